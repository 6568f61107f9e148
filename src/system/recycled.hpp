#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace eglantine {

/// Blocks of one size for what is made and dropped in bursts: those that a thread frees, it takes again, from a list of
/// its own, without a lock. Allocators keep only a few of a size so near at hand. A block may be freed on another
/// thread than took it. A list has at most half a MiB, and ends with its thread.
template <size_t bytes>
class RecycledBlocks {
 public:
#ifdef __SANITIZE_ADDRESS__
  static constexpr int most = 0;  // a freed block is to be found when it is used
#else
  static constexpr int most = static_cast<int>((size_t{1} << 19) / bytes);
#endif

  static void* take() {
    if (list_.first == nullptr) return ::operator new(bytes);
    --list_.count;
    return std::exchange(list_.first, list_.first->next);
  }

  static void put(void* block) noexcept {
    if (list_.count == most) return ::operator delete(block);
    if (list_.first == nullptr) watch_this_thread();
    list_.first = new (block) Block{list_.first};
    ++list_.count;
  }

 private:
  struct Block {
    Block* next;
  };
  /// Never destroyed: tensors may be dropped later than a thread's other variables.
  struct List {
    Block* first = nullptr;
    int count = 0;
  };
  /// Leaves a list that is empty and counts as full.
  struct End {
    ~End() {
      while (list_.first != nullptr) ::operator delete(std::exchange(list_.first, list_.first->next));
      list_.count = most;
    }
  };
  static void watch_this_thread() noexcept { static thread_local const End end; }

  static_assert(bytes >= sizeof(Block));
  static inline constinit thread_local List list_{};
};

/// For std::allocate_shared.
template <class T>
struct RecyclingAllocator {
  using value_type = T;
  RecyclingAllocator() = default;
  template <class Other>
  RecyclingAllocator(const RecyclingAllocator<Other>&) {}

  static T* allocate(size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return static_cast<T*>(count == 1 ? RecycledBlocks<sizeof(T)>::take() : ::operator new(count * sizeof(T)));
  }
  static void deallocate(T* block, size_t count) noexcept {
    return count == 1 ? RecycledBlocks<sizeof(T)>::put(block) : ::operator delete(block);
  }
  bool operator==(const RecyclingAllocator&) const { return true; }
};

}  // namespace eglantine
