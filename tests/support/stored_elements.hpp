#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "eglantine/half.hpp"
#include "graph/op/storage_type.hpp"
#include "support/array.hpp"
#include "support/random/random_data.hpp"

/// Elements as storage holds them: narrow ones share 32-bit words, the first in the lowest bits.
namespace eglantine::test {

using Words = std::vector<uint32_t>;

/// Of a value that the storage holds.
inline uint32_t bits_of_element(double value, StorageType storage) {
  const auto x = static_cast<float>(value);
  if (storage == StorageType::f32) return std::bit_cast<uint32_t>(x);
  if (storage == StorageType::f16) return half(x).bits;
  if (storage == StorageType::bf16) return bfloat16(x).bits;
  const auto whole = static_cast<uint32_t>(static_cast<int64_t>(value));
  return is_narrow(storage) ? whole & 0xffU : whole;
}

inline double element_of_bits(uint32_t bits, StorageType storage) {
  if (storage == StorageType::f32) return std::bit_cast<float>(bits);
  if (storage == StorageType::f16) return float(half::from_bits(static_cast<uint16_t>(bits)));
  if (storage == StorageType::bf16) return float(bfloat16::from_bits(static_cast<uint16_t>(bits)));
  if (storage == StorageType::i8) return static_cast<int8_t>(bits);
  return storage == StorageType::i32 ? static_cast<double>(static_cast<int32_t>(bits)) : bits;
}

/// Every number of a type of 16 bits, in the order of their bits.
template <class T>
std::vector<T> all_of_16_bits() {
  std::vector<T> values;
  for (uint32_t bits = 0; bits < 65536; ++bits) values.push_back(T::from_bits(static_cast<uint16_t>(bits)));
  return values;
}

/// Elements, given by their bits, in words.
inline Words joined(const Words& bits, StorageType storage) {
  const auto each = static_cast<size_t>(4 / bytes_of(storage));
  Words words((bits.size() + each - 1) / each);
  for (size_t i = 0; i < bits.size(); ++i) words[i / each] |= bits[i] << (i % each * (32 / each));
  return words;
}

/// The bits of element i.
inline uint32_t bits_at(const Words& words, StorageType storage, int64_t i) {
  const int64_t bytes = bytes_of(storage);
  const auto at = static_cast<size_t>(i * bytes);
  const uint32_t shifted = words[at / 4] >> (at % 4 * 8);
  return bytes == 4 ? shifted : shifted & ((1U << (8 * bytes)) - 1);
}

inline double element_at(const Words& words, StorageType storage, int64_t i) {
  return element_of_bits(bits_at(words, storage, i), storage);
}

/// x's elements behind `start` others, which are NaN or no zeros.
inline Words words_of(const Array& x, StorageType storage, int64_t start = 0) {
  Words bits(static_cast<size_t>(start), bytes_of(storage) == 1 ? 0x55U : bits_of_element(NAN, storage));
  for (double value : x.values) bits.push_back(bits_of_element(value, storage));
  return joined(bits, storage);
}

/// The values as elements of the storage.
inline Array as_stored(Array x, StorageType storage) {
  for (double& value : x.values) value = as_element(dtype_of(storage), value);
  return x;
}

/// Small numbers that the storage holds.
inline Array random_elements(StorageType storage, const Dims& shape, uint64_t seed) {
  if (computed_type(storage) == DType::f32) return as_stored(random_reals(shape, -1, 1, seed), storage);
  return random_array(storage == StorageType::u8 || storage == StorageType::u32 ? DType::u32 : DType::i32, shape, seed);
}

/// Whether `found` is a number within `error` of `expected`, rounded once.
inline bool is_rounded(double found, DType dtype, double expected, double error) {
  return as_element(dtype, expected - error) <= found && found <= as_element(dtype, expected + error);
}

/// The address of the element with row-major index i.
inline int64_t place_of(const Layout& x, int64_t i) {
  int64_t place = x.offset;
  for (int axis = x.shape.rank() - 1; axis >= 0; i /= x.shape[axis--])
    place += i % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
  return place;
}

}  // namespace eglantine::test
