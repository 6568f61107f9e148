#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// How one element lies in memory, densely. Loads widen it to the 32 bits that kernels compute with, stores narrow it:
/// a boolean is computed as 0 or 1 in a 32-bit word, and lies in memory as such a word or as a byte.
enum class StorageType : uint8_t { f32, i32, u32, boolean_word, boolean_byte };

constexpr DType dtype_of(StorageType storage) {
  constexpr std::array dtypes{DType::f32, DType::i32, DType::u32, DType::boolean, DType::boolean};
  return dtypes[static_cast<size_t>(storage)];
}

constexpr int64_t bytes_of(StorageType storage) { return storage == StorageType::boolean_byte ? 1 : 4; }

constexpr bool is_narrow(StorageType storage) { return bytes_of(storage) < 4; }  ///< elements share a 32-bit word

/// The storage of `dtype` with a 32-bit word an element: a kernel's own buffers, and results that are written singly.
constexpr StorageType word_storage(DType dtype) {
  constexpr std::array words{StorageType::f32, StorageType::i32, StorageType::u32, StorageType::boolean_word};
  return words[static_cast<size_t>(dtype)];
}

/// The storage of `dtype` that takes least memory: results of maps, and what the host uploads.
constexpr StorageType dense_storage(DType dtype) {
  return dtype == DType::boolean ? StorageType::boolean_byte : word_storage(dtype);
}

}  // namespace eglantine
