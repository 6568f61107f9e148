#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "system/large_pages.hpp"

/// Host memory for users' data: OutOfMemoryError (size, purpose), not std::bad_alloc or a process killed on touch.
namespace eglantine {

/// Bytes of main memory, from /proc/meminfo: all of it, and what is still available to programs. 0 where unknown.
struct SystemMemory {
  int64_t total = 0;
  int64_t available = 0;
};
SystemMemory system_memory();

bool has_host_memory(size_t bytes);
void require_host_memory(std::string_view function, size_t bytes);  ///< throws OutOfMemoryError, naming `function`
[[noreturn]] void fail_host_memory(std::string_view function, size_t bytes);

/// The result of allocate(), which takes `bytes`. Throws OutOfMemoryError, naming `function`, where it fails.
template <class Allocate>
auto in_host_memory(std::string_view function, size_t bytes, Allocate allocate) {
  require_host_memory(function, bytes);
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  fail_host_memory(function, bytes);
}

/// `count` zeros, in large pages where there are many. Throws OutOfMemoryError, naming `function`.
template <class T>
std::vector<T> fresh_vector(size_t count, std::string_view function) {
  return in_host_memory(function, count * sizeof(T), [&] {
    std::vector<T> values;
    values.reserve(count);
    ask_for_large_pages(values.data(), count * sizeof(T));
    values.resize(count);
    return values;
  });
}

/// `count` uninitialised elements, in large pages where many. Throws std::bad_alloc, also where the system overcommits.
template <class T>
std::unique_ptr<T[]> unset_array(size_t count) {
  if (!has_host_memory(count * sizeof(T))) throw std::bad_alloc();
  std::unique_ptr<T[]> values(new T[count]);
  ask_for_large_pages(values.get(), count * sizeof(T));
  return values;
}

/// Uninitialised booleans of a byte each, unlike std::vector<bool>'s. Throws OutOfMemoryError, naming `function`.
struct Booleans {
  Booleans(size_t count, std::string_view function)
      : values(in_host_memory(function, count, [&] { return unset_array<bool>(count); })), all(values.get(), count) {}
  std::unique_ptr<bool[]> values;
  std::span<bool> all;
};

/// Returns freed memory between live allocations to the system: drivers' compilers leave much of it.
void give_back_freed_memory();

}  // namespace eglantine
