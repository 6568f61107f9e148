#include "eglantine/scalar.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "check/check.hpp"
#include "element_types.hpp"

namespace eglantine {

namespace {

/// A double may be rounded, but not to an infinity; an integer must be exact.
template <class T>
bool fits_f32(T value) {
  if constexpr (std::is_same_v<T, double>)
    return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
  else
    return static_cast<long double>(static_cast<float>(value)) == static_cast<long double>(value);
}

template <class I, class T>
bool fits(T value) {
  if constexpr (std::is_same_v<I, float>)
    return fits_f32(value);
  else if constexpr (std::is_same_v<I, bool>)
    return value == T(0) || value == T(1);
  else if constexpr (std::is_same_v<T, double>)
    return value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<I>::min()) &&
           value <= static_cast<double>(std::numeric_limits<I>::max());
  else
    return std::in_range<I>(value);
}

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
template <class I>
uint32_t bits_of(I value) {
  return static_cast<uint32_t>(value);
}

template <class T>
std::optional<uint32_t> convert(T value, DType dtype) {
  return with_element_type(dtype, [value]<class E>() {
    return fits<E>(value) ? std::optional(bits_of(static_cast<E>(value))) : std::nullopt;
  });
}

std::optional<uint32_t> convert(bool value, DType dtype) { return convert(static_cast<int64_t>(value), dtype); }

}  // namespace

uint32_t Scalar::bits(DType dtype, std::string_view function, std::string_view advice) const {
  const std::optional<uint32_t> found = std::visit([&](auto value) { return convert(value, dtype); }, value_);
  if (found) return *found;
  const bool whole = dtype == DType::f32 && !std::holds_alternative<double>(value_);
  check::fail<DTypeError>(function, "the number ", text(), " does not fit ", name_of(dtype),
                          whole ? "; as a double, " + text() + ".0, it is rounded" : std::string(advice));
}

DType Scalar::dtype() const {
  if (std::holds_alternative<bool>(value_)) return DType::boolean;
  return std::holds_alternative<double>(value_) ? DType::f32 : DType::i32;
}

DType Scalar::dtype_beside(DType beside) const {
  const DType own = dtype();
  if (own == DType::f32) return DType::f32;
  return beside == DType::boolean ? own : beside;
}

std::string Scalar::text() const {
  if (const bool* truth = std::get_if<bool>(&value_)) return *truth ? "true" : "false";
  if (const double* number = std::get_if<double>(&value_)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", *number);
    return text;
  }
  return std::visit([](auto value) { return std::to_string(value); }, value_);
}

}  // namespace eglantine
