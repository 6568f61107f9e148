#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "eglantine/export.hpp"

namespace eglantine {

/// Element types. `boolean` is stored as a byte 0 or 1 where a map computed it or the host uploaded it, else as a
/// 32-bit 0 or 1.
enum class DType : uint8_t { f32, i32, u32, boolean };

/// Bytes one element of `dtype` takes in a buffer at most: 4. (A boolean may take one, as above.)
EGLANTINE_API int64_t size_of(DType dtype);

/// "f32", "i32", "u32" or "boolean".
EGLANTINE_API std::string_view name_of(DType dtype);
EGLANTINE_API std::ostream& operator<<(std::ostream& out, DType dtype);  ///< its name

/// The dtype that tensors of a and b meet in: their own where it is one; boolean and another give the other, an integer
/// and f32 give f32. Throws DTypeError for i32 and u32, whose values no dtype holds: astype decides.
EGLANTINE_API DType result_type(DType a, DType b);

/// A C++ type that stores a dtype: float, int32_t, uint32_t or bool.
template <class T>
concept Element =
    std::is_same_v<T, float> || std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, bool>;

/// The dtype that stores the C++ type T: float, int32_t, uint32_t or bool.
template <class T>
constexpr DType dtype_of() {
  static_assert(Element<T>, "elements are float, int32_t, uint32_t or bool");
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::u32;
  return DType::boolean;
}

}  // namespace eglantine
