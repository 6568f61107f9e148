#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "eglantine/dtype.hpp"
#include "element_types.hpp"

namespace eglantine {

/// How one element lies in memory, densely. Loads widen it to the 32 bits that kernels compute with, stores narrow it:
/// a boolean is computed as 0 or 1 in a 32-bit word, and lies in memory as such a word or as a byte.
enum class StorageType : uint8_t { f32, i32, u32, boolean_word, boolean_byte, f16, bf16, i8, u8 };

/// Of the tensors that lie so.
constexpr DType dtype_of(StorageType storage) {
  constexpr std::array dtypes{DType::f32, DType::i32,  DType::u32, DType::boolean, DType::boolean,
                              DType::f16, DType::bf16, DType::i8,  DType::u8};
  return dtypes[static_cast<size_t>(storage)];
}

/// What a load gives and a store takes.
constexpr DType computed_type(StorageType storage) { return computed_type(dtype_of(storage)); }

constexpr int64_t bytes_of(StorageType storage) {
  constexpr std::array<int64_t, 9> bytes{4, 4, 4, 4, 1, 2, 2, 1, 1};
  return bytes[static_cast<size_t>(storage)];
}

constexpr bool is_narrow(StorageType storage) { return bytes_of(storage) < 4; }  ///< elements share a 32-bit word

/// The storage with a 32-bit word an element for what is computed as `dtype`: a kernel's own buffers.
constexpr StorageType word_storage(DType dtype) {
  constexpr std::array words{StorageType::f32, StorageType::i32, StorageType::u32, StorageType::boolean_word};
  return words[static_cast<size_t>(computed_type(dtype))];
}

/// The storage of `dtype` that takes least memory: results of maps, and what the host uploads.
constexpr StorageType dense_storage(DType dtype) {
  constexpr std::array dense{StorageType::f32, StorageType::i32,  StorageType::u32, StorageType::boolean_byte,
                             StorageType::f16, StorageType::bf16, StorageType::i8,  StorageType::u8};
  return dense[static_cast<size_t>(dtype)];
}

/// The storage of `dtype` where elements may be written singly: dense, but for booleans, a word each.
constexpr StorageType result_storage(DType dtype) {
  return dtype == DType::boolean ? StorageType::boolean_word : dense_storage(dtype);
}

}  // namespace eglantine
