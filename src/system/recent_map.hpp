#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

namespace eglantine {

/// A map that knows in what order its entries were used, so that a cache can drop the one that was not for longest.
/// Entries stay where they are in memory.
template <class Key, class Value, class Hash, class Equal = std::equal_to<Key>>
class RecentMap {
 public:
  using Entry = std::pair<const Key, Value>;

  /// The entry's value, which is used now; null where there is none.
  Value* use(const Key& key) {
    const auto known = places_.find(std::cref(key));
    if (known == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, known->second);
    return &known->second->second;
  }
  bool has(const Key& key) const { return places_.find(std::cref(key)) != places_.end(); }
  /// A new entry, which is used now; the key must be unknown.
  Value& add(const Key& key, Value value) {
    entries_.emplace_front(key, std::move(value));
    places_.emplace(std::cref(entries_.front().first), entries_.begin());
    return entries_.front().second;
  }
  /// The entry that was not used for longest, of a map that is not empty.
  Entry& oldest() { return entries_.back(); }
  void drop_oldest() {
    places_.erase(std::cref(entries_.back().first));
    entries_.pop_back();
  }
  void clear() {
    places_.clear();
    entries_.clear();
  }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  using Entries = std::list<Entry>;
  Entries entries_;  ///< used last first
  std::unordered_map<std::reference_wrapper<const Key>, typename Entries::iterator, Hash, Equal> places_;
};

}  // namespace eglantine
