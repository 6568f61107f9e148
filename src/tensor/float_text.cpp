#include "tensor/float_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace eglantine {

namespace {

constexpr size_t most_places = 8;  ///< digits after the point: NumPy's default precision

/// Before the point, after it, and the exponent.
struct Digits {
  std::string whole, fraction, exponent;
};

/// The shortest digits that read back as the same float; or as many places as are given.
template <class... Places>
Digits digits_of(float value, std::chars_format format, Places... places) {
  char text[64];
  const std::string all(text, std::to_chars(text, std::end(text), value, format, places...).ptr);
  const size_t exponent = std::min(all.find('e'), all.size()), point = std::min(all.find('.'), exponent);
  return {all.substr(0, point), point < exponent ? all.substr(point + 1, exponent - point - 1) : "",
          all.substr(exponent)};
}

Digits default_digits_of(float value, std::chars_format format) {
  Digits digits = digits_of(value, format);
  if (digits.fraction.size() <= most_places) return digits;
  digits = digits_of(value, format, static_cast<int>(most_places));
  digits.fraction.erase(digits.fraction.find_last_not_of('0') + 1);
  return digits;
}

bool wants_exponent(const std::vector<float>& values) {
  float largest = 0, smallest = INFINITY;
  for (float value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  return largest >= 1e8F || (largest > 0 && (smallest < 1e-4F || largest / smallest > 1000));
}

std::string not_finite(float value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

template <class T>
float shortest(T value) {
  const float exact = value;
  constexpr int enough = 4;  // places after the first digit: five digits tell all halves apart
  for (int places = 0; std::isfinite(exact) && places <= enough; ++places) {
    char text[32];
    const char* end = std::to_chars(text, std::end(text), exact, std::chars_format::scientific, places).ptr;
    float decimal = 0;
    std::from_chars(text, end, decimal);
    if (T(decimal).bits == value.bits) return decimal;
  }
  return exact;
}

}  // namespace

float shortest_decimal(float value) { return value; }
float shortest_decimal(half value) { return shortest(value); }
float shortest_decimal(bfloat16 value) { return shortest(value); }

std::vector<std::string> float_texts(const std::vector<float>& values, const std::vector<float>& decimals) {
  const bool exponent = wants_exponent(decimals);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Digits> all;
  size_t places = 0;
  for (float decimal : decimals) {
    all.push_back(std::isfinite(decimal) ? default_digits_of(decimal, format) : Digits{});
    places = std::max(places, all.back().fraction.size());
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      texts.push_back(not_finite(values[i]));
      continue;
    }
    // Where there is room for more digits than the shortest, they are the value's own: all those before the point.
    if (exponent || all[i].fraction.empty())
      all[i] = digits_of(values[i], format, exponent ? static_cast<int>(places) : 0);
    const auto& [whole, fraction, power] = all[i];
    texts.push_back(whole + "." + fraction + std::string(places - fraction.size(), ' ') + power);
  }
  return texts;
}

std::string scalar_text(float decimal) {
  if (!std::isfinite(decimal)) return not_finite(decimal);
  const float size = std::abs(decimal);
  const bool exponent = size != 0 && (size < 1e-4F || size >= 1e16F);
  const auto [whole, fraction, power] = digits_of(decimal, std::chars_format::scientific);
  if (exponent) return whole + (fraction.empty() ? "" : ".") + fraction + power;
  const size_t places_before = power.starts_with("e+") ? std::stoul(power.substr(2)) : 0;
  if (places_before >= fraction.size() && size >= 1)
    return whole + fraction + std::string(places_before - fraction.size(), '0') + ".0";
  const Digits digits = digits_of(decimal, std::chars_format::fixed);
  return digits.whole + "." + (digits.fraction.empty() ? "0" : digits.fraction);
}

}  // namespace eglantine
