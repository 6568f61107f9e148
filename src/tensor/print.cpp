#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "eglantine/ops.hpp"
#include "eglantine/tensor.hpp"
#include "element_types.hpp"

/// Printing as in NumPy: brackets for axes, aligned columns, long axes abbreviated.
namespace eglantine {

namespace {

constexpr int64_t longest_whole = 1000;  ///< larger tensors are abbreviated
constexpr int64_t edge_items = 3;        ///< shown at each end of an abbreviated axis
constexpr size_t line_width = 75;

constexpr size_t most_places = 8;  ///< digits after the point: NumPy's default precision

/// The shortest digits that read back as the same float: before the point, after it, and the exponent.
struct Digits {
  std::string whole, fraction, exponent;
};

Digits digits_of(float value, std::chars_format format) {
  char text[64];
  const auto split = [&](std::to_chars_result result) {
    const std::string all(text, result.ptr);
    const size_t exponent = std::min(all.find('e'), all.size()), point = std::min(all.find('.'), exponent);
    return Digits{all.substr(0, point), point < exponent ? all.substr(point + 1, exponent - point - 1) : "",
                  all.substr(exponent)};
  };
  Digits digits = split(std::to_chars(text, std::end(text), value, format));
  if (digits.fraction.size() <= most_places) return digits;
  digits = split(std::to_chars(text, std::end(text), value, format, static_cast<int>(most_places)));
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

/// All with the same number of places, which aligns the points: padded with zeros before an exponent, else with spaces.
std::vector<std::string> float_texts(const std::vector<float>& values) {
  const bool exponent = wants_exponent(values);
  std::vector<Digits> all;
  size_t places = 0;
  for (float value : values) {
    all.push_back(std::isfinite(value)
                      ? digits_of(value, exponent ? std::chars_format::scientific : std::chars_format::fixed)
                      : Digits{});
    places = std::max(places, all.back().fraction.size());
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& [whole, fraction, power] = all[i];
    const std::string filling(places - fraction.size(), exponent ? '0' : ' ');
    texts.push_back(std::isfinite(values[i]) ? whole + "." + fraction + filling + power : not_finite(values[i]));
  }
  return texts;
}

/// A scalar has a digit on both sides of the point, or an exponent.
std::string scalar_text(float value) {
  if (!std::isfinite(value)) return not_finite(value);
  const float size = std::abs(value);
  const bool exponent = size != 0 && (size < 1e-4F || size >= 1e16F);
  const auto [whole, fraction, power] =
      digits_of(value, exponent ? std::chars_format::scientific : std::chars_format::fixed);
  if (!fraction.empty()) return whole + "." + fraction + power;
  return whole + (exponent ? power : ".0");
}

std::string text_of(bool value) { return value ? "True" : "False"; }
template <class T>
std::string text_of(T value) {
  return std::to_string(value);
}

std::vector<std::string> texts(const Tensor& x) {
  return with_element_type(x.dtype(), [&]<class T>() -> std::vector<std::string> {
    if constexpr (std::is_same_v<T, float>) {
      if (x.rank() == 0) return {scalar_text(x.item<float>())};
      return float_texts(x.to_vector<float>());
    } else {
      std::vector<std::string> result;
      for (const T value : x.to_vector<T>()) result.push_back(text_of(value));
      return result;
    }
  });
}

/// Prints an axis and the axes inside it. `gap[axis]`: the axis was abbreviated, and shows "..." in its middle.
class Printer {
 public:
  Printer(const Shape& shape, std::vector<bool> gap, std::vector<std::string> texts)
      : shape_(shape), gap_(std::move(gap)), texts_(std::move(texts)) {
    for (const std::string& text : texts_) width_ = std::max(width_, text.size());
  }

  std::string run() {
    print(0);
    return std::move(out_);
  }

 private:
  void print(int axis) {
    if (axis == shape_.rank()) return element();
    out_ += '[';
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) separate(axis);
      if (gap_[static_cast<size_t>(axis)] && i == edge_items) out_ += "...", separate(axis);
      print(axis + 1);
    }
    out_ += ']';
  }

  void separate(int axis) {
    const int inner = shape_.rank() - 1 - axis;
    const size_t line = out_.size() - (out_.rfind('\n') + 1);
    if (inner == 0 && line + width_ + 1 < line_width) return void(out_ += ' ');
    out_ +=
        std::string(static_cast<size_t>(std::max(inner, 1)), '\n') + std::string(static_cast<size_t>(axis) + 1, ' ');
  }

  void element() {
    const std::string& text = texts_[next_++];
    out_ += std::string(width_ - text.size(), ' ') + text;
  }

  const Shape& shape_;
  std::vector<bool> gap_;
  std::vector<std::string> texts_;
  std::string out_;
  size_t width_ = 0;
  size_t next_ = 0;
};

/// Joins the two ends of every axis that is longer than both.
Tensor abbreviate(const Tensor& x, std::vector<bool>& gap) {
  Tensor shown = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t length = x.shape()[axis];
    if (length <= 2 * edge_items) continue;
    gap[static_cast<size_t>(axis)] = true;
    shown = concatenate({shown.slice(axis, 0, edge_items), shown.slice(axis, length - edge_items)}, axis);
  }
  return shown;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  if (x.size() == 0) return out << "[]";
  std::vector<bool> gap(static_cast<size_t>(x.rank()), false);
  const Tensor shown = x.size() > longest_whole ? abbreviate(x, gap) : x;
  return out << Printer(shown.shape(), gap, texts(shown)).run();
}

}  // namespace eglantine
