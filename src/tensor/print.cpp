#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "eglantine/ops.hpp"
#include "eglantine/tensor.hpp"

/// Printing in NumPy's way: brackets for axes, columns aligned, the middle of long axes left out.
namespace eglantine {

namespace {

constexpr int64_t longest_whole = 1000;  ///< elements that are printed without abbreviation
constexpr int64_t edge_items = 3;        ///< elements shown at each end of an abbreviated axis
constexpr size_t line_width = 75;

/// The shortest decimal text, of at most 8 places, that reads back as the same float; at least `places` of them.
std::string fixed(float value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, static_cast<double>(value));
  return text;
}

/// Places after the point that tell every finite value apart, at most 8.
int places_needed(const std::vector<float>& values) {
  int places = 0;
  for (float value : values)
    while (std::isfinite(value) && places < 8 && std::strtof(fixed(value, places).c_str(), nullptr) != value) ++places;
  return places;
}

bool wants_exponent(const std::vector<float>& values) {
  float largest = 0, smallest = INFINITY;
  for (float value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  return largest >= 1e8F || (largest > 0 && (smallest < 1e-4F || largest / smallest > 1e3F * 1e3F));
}

std::string float_text(float value, bool exponent, int places) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[64];
  if (exponent) {
    std::snprintf(text, sizeof text, "%.8e", static_cast<double>(value));
    return text;
  }
  // Zeros at the end become spaces, so that points stay above each other.
  std::string shown = places == 0 ? fixed(value, 0) + "." : fixed(value, places);
  for (size_t i = shown.size(); shown[i - 1] == '0'; --i) shown[i - 1] = ' ';
  return shown;
}

std::vector<std::string> texts(const Tensor& x) {
  std::vector<std::string> result;
  if (x.dtype() == DType::f32) {
    const std::vector<float> values = x.to_vector<float>();
    const bool exponent = wants_exponent(values);
    const int places = places_needed(values);
    for (float value : values) result.push_back(float_text(value, exponent, places));
    if (x.rank() == 0) result[0].erase(result[0].find_last_not_of(' ') + 1);
  } else if (x.dtype() == DType::boolean) {
    for (bool value : x.to_vector<bool>()) result.push_back(value ? "True" : "False");
  } else {
    if (x.dtype() == DType::i32)
      for (int32_t value : x.to_vector<int32_t>()) result.push_back(std::to_string(value));
    else
      for (uint32_t value : x.to_vector<uint32_t>()) result.push_back(std::to_string(value));
  }
  return result;
}

/// Prints one axis and those inside it. `gap[axis]`: the axis was abbreviated, and shows "..." in its middle.
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

/// The ends of every axis longer than both, joined.
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
  std::vector<bool> gap(static_cast<size_t>(x.rank()), false);
  const Tensor shown = x.size() > longest_whole ? abbreviate(x, gap) : x;
  return out << Printer(shown.shape(), gap, texts(shown)).run();
}

}  // namespace eglantine
