#include "evaluate/pending.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "backend/buffer.hpp"
#include "graph/traversal.hpp"

namespace eglantine {

thread_local int BuiltWhole::depth_ = 0;

namespace {

/// What a pending node itself takes is not much less: smaller tensors are not worth counting.
constexpr int64_t fewest_bytes = 4096;

int64_t bytes_of(const Node& computed) { return computed.stored().buffer->bytes(); }

/// Whether a pending node, or one it is made of, reads a tensor that counts.
bool keeps_memory(const Node& pending, const GraphLock& lock) {
  bool keeps = false;
  for_each_source(pending, [&](const NodePtr& source) {
    const Node& x = *behind_views(source);
    keeps = keeps || (x.is_computed() ? bytes_of(x) >= fewest_bytes : x.account(lock).holds_memory);
  });
  return keeps;
}

/// Computed tensors that only pending nodes and their views have handles of; an estimate: other threads may take some.
/// Counts are kept in the nodes: a step of a large network looks often, at hundreds of nodes.
class Keeping {
 public:
  /// count: a number that no other Keeping has.
  Keeping(const std::vector<NodePtr>& pending, int64_t count, const GraphLock& lock) : count_(count), lock_(lock) {
    for (const NodePtr& node : pending) for_each_source(*node, [&](const NodePtr& source) { add(source); });
  }

  /// The tensor that a source of a pending node is, or is a view of, if it is kept by pending nodes alone; else null.
  const NodePtr* kept_by(const NodePtr& source) const {
    const NodePtr* x = &source;
    while (held(*x)) {
      const auto* view = (*x)->as<nodes::View>();
      if (view == nullptr) return (*x)->is_computed() ? x : nullptr;
      x = &view->source;
    }
    return nullptr;
  }

  /// Whether a pending node, or a view that only those hold, has it as a source.
  bool is_read(const Node& x) const { return x.account(lock_).handles_counted == count_; }

 private:
  /// A handle; of a view that nothing else holds, that on its source, too.
  void add(const NodePtr& source) {
    const NodePtr* x = &source;
    while (count_handle(**x) == x->use_count()) {
      const auto* view = (*x)->as<nodes::View>();
      if (view == nullptr) return;
      x = &view->source;
    }
  }

  int64_t count_handle(const Node& x) const {
    PendingAccount& account = x.account(lock_);
    if (std::exchange(account.handles_counted, count_) != count_) account.handles = 0;
    return ++account.handles;
  }

  bool held(const NodePtr& x) const { return is_read(*x) && x.use_count() <= x->account(lock_).handles; }

  int64_t count_;
  const GraphLock& lock_;
};

/// The pending nodes there are, as far as they were noted, the oldest first.
class Ledger {
 public:
  std::vector<NodePtr> note(const NodePtr& node, const GraphLock& lock) {
    std::vector<NodePtr> found = BuiltWhole::is_on() ? std::vector<NodePtr>() : overdue(lock);
    if (nodes_.size() >= 2 * pending_count_ + fewest) pending_nodes();
    nodes_.push_back(node);
    node->account(lock).holds_memory = true;
    for_each_source(*node, [&](const NodePtr& source) { reference(source, lock); });
    return found;
  }

  std::vector<NodePtr> overdue(const GraphLock& lock) {
    const int64_t most = limit();
    return fresh_bytes_ >= std::max(most - kept_bytes_, most / 4) ? look(1, lock) : std::vector<NodePtr>();
  }

  std::vector<NodePtr> look(double share, const GraphLock& lock) {
    const std::vector<NodePtr> pending = pending_nodes();
    const Keeping keeping(pending, ++counts_, lock);
    const int64_t count = ++counts_;
    kept_bytes_ = fresh_bytes_ = 0;
    largest_.reset();
    for (const NodePtr& node : pending) {
      for_each_source(*node, [&](const NodePtr& source) {
        const NodePtr* x = keeping.kept_by(source);
        if (x == nullptr || !meets(**x, count, lock)) return;
        kept_bytes_ += bytes_of(**x);
        raise_limit(*x);
      });
    }
    ++look_;
    const auto most = static_cast<int64_t>(share * static_cast<double>(limit()));
    return kept_bytes_ < most ? std::vector<NodePtr>() : oldest(pending, keeping, most / 2, lock);
  }

 private:
  static constexpr size_t fewest = 256;

  /// A tensor counts once between two looks, however many read it.
  void reference(const NodePtr& source, const GraphLock& lock) {
    const NodePtr& x = behind_views(source);
    if (!x->is_computed() || x->account(lock).noted == look_) return;
    x->account(lock).noted = look_;
    fresh_bytes_ += bytes_of(*x);
    raise_limit(x);
  }

  /// Whether x was not part of this count so far.
  static bool meets(const Node& x, int64_t count, const GraphLock& lock) {
    return std::exchange(x.account(lock).met, count) != count;
  }

  int64_t limit() const {
    const NodePtr largest = largest_.lock();
    return largest ? std::max(max_pending_bytes, max_pending_tensors * bytes_of(*largest)) : max_pending_bytes;
  }

  void raise_limit(const NodePtr& computed) {
    if (max_pending_tensors * bytes_of(*computed) > limit()) largest_ = computed;
  }

  /// Forgets what is no longer pending: a dead node's memory stays as long as it is known here.
  std::vector<NodePtr> pending_nodes() {
    std::vector<NodePtr> pending;
    pending.reserve(nodes_.size());
    std::erase_if(nodes_, [&](const std::weak_ptr<const Node>& known) {
      if (known.expired()) return true;  // most: told without a handle
      NodePtr node = known.lock();
      if (!node || !is_pending(*node)) return true;
      pending.push_back(std::move(node));
      return false;
    });
    pending_count_ = nodes_.size();
    return pending;
  }

  /// Those whose results take less memory than they let go, until the others keep so many bytes.
  std::vector<NodePtr> oldest(const std::vector<NodePtr>& pending, const Keeping& keeping, int64_t bytes_left,
                              const GraphLock& lock) {
    const int64_t counted = ++counts_;
    std::vector<NodePtr> chosen;
    for (size_t i = 0; i < pending.size() && kept_bytes_ > bytes_left; ++i) {
      const NodePtr& root = pending[i];
      if (keeping.is_read(*root)) continue;
      int64_t bytes = 0;
      const auto count = [&](const NodePtr& source) {
        const NodePtr* x = keeping.kept_by(source);
        if (x != nullptr && meets(**x, counted, lock)) bytes += bytes_of(**x);
      };
      for (const NodePtr& node : sources_first({root}, [](const Node&) { return true; })) for_each_source(*node, count);
      if (bytes <= root->shape.elements() * size_of(root->dtype)) continue;
      chosen.push_back(root);
      kept_bytes_ -= bytes;
    }
    add_sharing(chosen, pending, keeping);
    return chosen;
  }

  /// Adds small results that are made of a pending tensor which the chosen ones compute on the way: later it would be
  /// computed once more, in parts, since what it is made of is read by both.
  static void add_sharing(std::vector<NodePtr>& chosen, const std::vector<NodePtr>& pending, const Keeping& keeping) {
    constexpr int64_t times_smaller = 8;
    if (chosen.empty()) return;
    const auto all = [](const Node&) { return true; };
    std::unordered_set<const Node*> made;
    for (const NodePtr& node : sources_first(chosen, all))
      if (is_pending(*node)) made.insert(node.get());
    for (const NodePtr& root : chosen) made.erase(root.get());
    const auto shares = [&](const NodePtr& root) {
      const auto is_shared = [&](const NodePtr& x) {
        return made.count(x.get()) != 0 && x->shape.elements() >= times_smaller * root->shape.elements();
      };
      return std::ranges::any_of(sources_first({root}, all), is_shared);
    };
    const std::unordered_set<NodePtr> known(chosen.begin(), chosen.end());
    for (const NodePtr& root : pending)
      if (!keeping.is_read(*root) && known.count(root) == 0 && shares(root)) chosen.push_back(root);
  }

  std::vector<std::weak_ptr<const Node>> nodes_;
  size_t pending_count_ = 0;  ///< of them, when the others were last forgotten
  int64_t look_ = 1;
  int64_t counts_ = 0;                 ///< of handles, or of tensors
  int64_t kept_bytes_ = 0;             ///< at the last look
  int64_t fresh_bytes_ = 0;            ///< of tensors that were first read after it
  std::weak_ptr<const Node> largest_;  ///< of what was read, where it raises the limit; while it is there
};

Ledger& ledger(const GraphLock&) {
  static auto& one = *new Ledger;  // leaked: tensors in static storage may be made of others until the very end
  return one;
}

}  // namespace

std::vector<NodePtr> note_pending(const NodePtr& node, const GraphLock& lock) {
  return is_pending(*node) && keeps_memory(*node, lock) ? ledger(lock).note(node, lock) : std::vector<NodePtr>();
}

std::vector<NodePtr> overdue_pending(const GraphLock& lock) { return ledger(lock).overdue(lock); }

std::vector<NodePtr> look_at_pending(double share, const GraphLock& lock) { return ledger(lock).look(share, lock); }

}  // namespace eglantine
