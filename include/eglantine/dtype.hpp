#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "eglantine/export.hpp"
#include "eglantine/half.hpp"

namespace eglantine {

/// Element types, with four, one, two and one bytes an element in memory: f32, i32, u32; boolean (a byte 0 or 1 where a
/// map computed it or the host uploaded it, else a word); f16 (IEEE binary16), bf16 (bfloat16); i8, u8.
/// The narrow ones save memory: arithmetic on f16 and bf16 is that of f32, on i8 and u8 that of i32, and its result is
/// rounded to the nearest (ties to even), or wraps, when an element-wise verb ends.
enum class DType : uint8_t { f32, i32, u32, boolean, f16, bf16, i8, u8 };

/// Bytes one element of `dtype` takes in a buffer at most: 4, 2 of f16 and bf16, 1 of i8 and u8. (A boolean may take
/// one, as above.)
EGLANTINE_API int64_t size_of(DType dtype);

/// "f32", "i32", "u32", "boolean", "f16", "bf16", "i8" or "u8".
EGLANTINE_API std::string_view name_of(DType dtype);
EGLANTINE_API std::ostream& operator<<(std::ostream& out, DType dtype);  ///< its name

/// The dtype that tensors of a and b meet in: their own where it is one; boolean and another give the other; an integer
/// and a float the float; two floats f32; u8 and i8, and either of them with i32, give i32; u8 and u32 give u32.
/// Throws DTypeError for u32 with i32 or i8, whose values no dtype holds: astype decides.
EGLANTINE_API DType result_type(DType a, DType b);

/// A C++ type that stores a dtype: float, int32_t, uint32_t, bool, half, bfloat16, int8_t or uint8_t.
template <class T>
concept Element =
    std::is_same_v<T, float> || std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, bool> ||
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

/// A C++ type whose values tensors are made of and read into: an Element, double, or an integer of any width.
template <class T>
concept HostNumber = Element<T> || std::is_same_v<T, double> || std::is_same_v<T, int16_t> ||
    std::is_same_v<T, uint16_t> || std::is_same_v<T, long> || std::is_same_v<T, unsigned long> ||
    std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long>;

/// The dtype that stores the C++ type T, an Element.
template <class T>
constexpr DType dtype_of() {
  static_assert(Element<T>, "elements are float, int32_t, uint32_t, bool, half, bfloat16, int8_t or uint8_t");
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::u32;
  if constexpr (std::is_same_v<T, half>) return DType::f16;
  if constexpr (std::is_same_v<T, bfloat16>) return DType::bf16;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::u8;
  return DType::boolean;
}

}  // namespace eglantine
