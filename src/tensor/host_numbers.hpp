#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "eglantine/dtype.hpp"

/// The host's number types beside those of elements.
namespace eglantine {

/// The element type of a host's number: itself, or the 32-bit one of its kind.
template <class T>
using StoredAs = std::conditional_t<
    Element<T>, T,
    std::conditional_t<std::is_same_v<T, double>, float, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;

template <class T>
inline constexpr int digits = std::numeric_limits<T>::digits;
template <>
inline constexpr int digits<half> = 11;
template <>
inline constexpr int digits<bfloat16> = 8;

template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

/// Whether T has every value of E.
template <class E, class T>
constexpr bool holds() {
  if constexpr (std::is_same_v<E, T> || std::is_same_v<E, bool>)
    return true;
  else if constexpr (is_real<E>)  // half and bfloat16 do not hold each other
    return std::is_floating_point_v<T> && digits<T> >= digits<E>;
  else if constexpr (is_real<T>)
    return digits<T> >= digits<E>;
  else
    return digits<T> >= digits<E> && (std::is_signed_v<T> || !std::is_signed_v<E>);
}

template <class T, class E>
T converted_to(E value) {
  if constexpr (std::is_same_v<E, T>)
    return value;
  else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// The name of T in C++.
template <class T>
std::string_view host_name() {
  if constexpr (std::is_same_v<T, half>) return "half";
  if constexpr (std::is_same_v<T, bfloat16>) return "bfloat16";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float" : "double";
  constexpr std::string_view names[] = {"int8_t",  "uint8_t",  "int16_t", "uint16_t",
                                        "int32_t", "uint32_t", "int64_t", "uint64_t"};
  constexpr size_t width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
  return names[width + (std::is_signed_v<T> ? 0 : 1)];
}

}  // namespace eglantine
