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

/// The host's memory for what users read and write: what cannot be had is an OutOfMemoryError that says how much it was
/// and for what, not std::bad_alloc, nor the end of the process when its pages are touched.
namespace eglantine {

/// Bytes of main memory, from /proc/meminfo: all of it, and what programs can still take. 0 where it does not say.
struct SystemMemory {
  int64_t total = 0;
  int64_t available = 0;
};
SystemMemory system_memory();

/// Whether the system has so much left.
bool has_host_memory(size_t bytes);
/// Throws OutOfMemoryError, naming `function`, where it has not.
void require_host_memory(std::string_view function, size_t bytes);
[[noreturn]] void fail_host_memory(std::string_view function, size_t bytes);

/// What allocate() gives, of `bytes` bytes. Throws OutOfMemoryError, naming `function`, when there is no room for them.
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

/// `count` elements, not yet set, in large pages where there are many. Throws std::bad_alloc, also where the system
/// would promise memory that it has not.
template <class T>
std::unique_ptr<T[]> unset_array(size_t count) {
  if (!has_host_memory(count * sizeof(T))) throw std::bad_alloc();
  std::unique_ptr<T[]> values(new T[count]);
  ask_for_large_pages(values.get(), count * sizeof(T));
  return values;
}

/// Booleans side by side, which those of a vector are not. Not yet set. Throws OutOfMemoryError, naming `function`.
struct Booleans {
  Booleans(size_t count, std::string_view function)
      : values(in_host_memory(function, count, [&] { return unset_array<bool>(count); })), all(values.get(), count) {}
  std::unique_ptr<bool[]> values;
  std::span<bool> all;
};

/// Gives the system what was freed and lies between what is held: compilers in a driver leave much of it.
void give_back_freed_memory();

}  // namespace eglantine
