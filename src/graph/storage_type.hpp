#pragma once

#include <cstdint>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// How one element lies in memory, densely. Loads widen it to the 32 bits that kernels compute with, stores narrow it:
/// a boolean is computed as 0 or 1 in a 32-bit word, and lies in memory as such a word or as a byte.
enum class StorageType : uint8_t { f32, i32, u32, boolean_word, boolean_byte };

constexpr DType dtype_of(StorageType storage) {
  switch (storage) {
    case StorageType::f32:
      return DType::f32;
    case StorageType::i32:
      return DType::i32;
    case StorageType::u32:
      return DType::u32;
    case StorageType::boolean_word:
    case StorageType::boolean_byte:
      return DType::boolean;
  }
  return {};
}

constexpr int64_t bytes_of(StorageType storage) { return storage == StorageType::boolean_byte ? 1 : 4; }

constexpr bool is_narrow(StorageType storage) { return bytes_of(storage) < 4; }  ///< elements share a 32-bit word

/// The storage of `dtype` as a 32-bit word an element: kernels' own buffers, and results written element by element.
constexpr StorageType word_storage(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return StorageType::f32;
    case DType::i32:
      return StorageType::i32;
    case DType::u32:
      return StorageType::u32;
    case DType::boolean:
      return StorageType::boolean_word;
  }
  return {};
}

/// The storage of `dtype` that takes least memory: results of maps, and what the host uploads.
constexpr StorageType dense_storage(DType dtype) {
  return dtype == DType::boolean ? StorageType::boolean_byte : word_storage(dtype);
}

}  // namespace eglantine
