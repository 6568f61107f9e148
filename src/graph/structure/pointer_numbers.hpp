#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace eglantine {

/// Numbers pointers in order of first use, in one table that keeps its memory: a graph of some hundred nodes is
/// numbered without an allocation.
class PointerNumbers {
 public:
  void clear() {
    slots_.assign(slots_.size(), {});
    count_ = 0;
  }

  /// The pointer's number, and whether it is new. Not null.
  std::pair<int32_t, bool> number(const void* pointer) {
    if (2 * static_cast<size_t>(count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(pointer)];
    if (slot.pointer != nullptr) return {slot.number, false};
    slot = {pointer, count_};
    return {count_++, true};
  }

  /// -1 of a pointer that has none.
  int32_t find(const void* pointer) const {
    if (slots_.empty()) return -1;
    const Slot& slot = slots_[place_of(pointer)];
    return slot.pointer == nullptr ? -1 : slot.number;
  }

 private:
  struct Slot {
    const void* pointer = nullptr;
    int32_t number = -1;
  };

  size_t place_of(const void* pointer) const {
    constexpr uint64_t golden = 0x9E3779B97F4A7C15;
    size_t place = (reinterpret_cast<uintptr_t>(pointer) * golden >> 32) & (slots_.size() - 1);
    while (slots_[place].pointer != nullptr && slots_[place].pointer != pointer)
      place = (place + 1) & (slots_.size() - 1);
    return place;
  }

  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 256 : 2 * slots_.size()));
    for (const Slot& slot : old)
      if (slot.pointer != nullptr) slots_[place_of(slot.pointer)] = slot;
  }

  std::vector<Slot> slots_;  ///< a power of two, at most half of them used
  int32_t count_ = 0;
};

}  // namespace eglantine
