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

template <class F>
constexpr bool is_float_type = std::is_same_v<F, float> || std::is_same_v<F, half> || std::is_same_v<F, bfloat16>;

/// The nearest F. A double is rounded once: to odd on the way, where F is narrower than a float.
template <class F>
F nearest(double value) {
  auto between = static_cast<float>(value);
  if constexpr (!std::is_same_v<F, float>)
    if (std::isfinite(between) && static_cast<double>(between) != value) {
      const bool is_above = std::abs(static_cast<double>(between)) > std::abs(value);
      const uint32_t below = std::bit_cast<uint32_t>(between) - (is_above ? 1 : 0);
      between = std::bit_cast<float>(below | 1U);
    }
  return F(between);
}

/// A double may be rounded, but not to an infinity; an integer must be exact.
template <class F, class T>
bool fits_float(T value) {
  const F rounded = nearest<F>(static_cast<double>(value));
  if constexpr (std::is_same_v<T, double>)
    return !std::isfinite(value) || std::isfinite(static_cast<float>(rounded));
  else
    return static_cast<long double>(static_cast<float>(rounded)) == static_cast<long double>(value);
}

template <class I, class T>
bool fits(T value) {
  if constexpr (is_float_type<I>)
    return fits_float<I>(value);
  else if constexpr (std::is_same_v<I, bool>)
    return value == T(0) || value == T(1);
  else if constexpr (std::is_same_v<T, double>)
    return value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<I>::min()) &&
           value <= static_cast<double>(std::numeric_limits<I>::max());
  else
    return std::in_range<I>(value);
}

template <class E, class T>
E element_of(T value) {
  if constexpr (is_float_type<E>)
    return nearest<E>(static_cast<double>(value));
  else
    return static_cast<E>(value);
}

template <class T>
std::optional<uint32_t> convert(T value, DType dtype) {
  return with_element_type(dtype, [value]<class E>() {
    return fits<E>(value) ? std::optional(computed_bits(element_of<E>(value))) : std::nullopt;
  });
}

std::optional<uint32_t> convert(bool value, DType dtype) { return convert(static_cast<int64_t>(value), dtype); }

template <class Value>
bool holds(DType dtype, const Value& value) {
  return std::visit([dtype](auto x) { return convert(x, dtype).has_value(); }, value);
}

/// How to go on with a number that `dtype` does not hold.
template <class Value>
std::string what_to_do(DType dtype, const Value& value, const std::string& text, std::string_view advice) {
  const bool whole = is_float(dtype) && !std::holds_alternative<double>(value);
  if (whole && convert(std::visit([](auto x) { return static_cast<double>(x); }, value), dtype))
    return "; as a double, " + text + ".0, it is rounded";
  // What none of these holds, no dtype does.
  const bool held = holds(DType::f32, value) || holds(DType::i32, value) || holds(DType::u32, value);
  return advice.empty() || held ? std::string(advice) : ", nor any other dtype";
}

}  // namespace

uint32_t Scalar::bits(DType dtype, std::string_view function, std::string_view advice) const {
  const std::optional<uint32_t> found = std::visit([&](auto value) { return convert(value, dtype); }, value_);
  if (found) return *found;
  check::fail<DTypeError>(function, "the number ", text(), " does not fit ", name_of(dtype),
                          what_to_do(dtype, value_, text(), advice));
}

DType Scalar::dtype() const {
  if (std::holds_alternative<bool>(value_)) return DType::boolean;
  return std::holds_alternative<double>(value_) ? DType::f32 : DType::i32;
}

DType Scalar::dtype_beside(DType beside) const {
  const DType own = dtype();
  if (own == DType::f32) return is_float(beside) ? beside : DType::f32;
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
