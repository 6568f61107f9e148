#include <algorithm>
#include <ostream>

#include "eglantine/ops.hpp"
#include "eglantine/tensor.hpp"
#include "element_types.hpp"
#include "tensor/float_text.hpp"

/// Printing as in NumPy: brackets for axes, aligned columns, long axes abbreviated.
namespace eglantine {

namespace {

constexpr int64_t longest_whole = 1000;  ///< larger tensors are abbreviated
constexpr int64_t edge_items = 3;        ///< shown at each end of an abbreviated axis
constexpr size_t line_width = 75;

std::string text_of(bool value) { return value ? "True" : "False"; }
template <class T>
std::string text_of(T value) {
  return std::to_string(value);
}

std::vector<std::string> texts(const Tensor& x) {
  return with_element_type(x.dtype(), [&]<class T>() -> std::vector<std::string> {
    if constexpr (!std::is_integral_v<T>) {
      std::vector<float> values, decimals;
      for (const T value : x.to_vector<T>()) values.push_back(value), decimals.push_back(shortest_decimal(value));
      return x.rank() == 0 ? std::vector{scalar_text(decimals[0])} : float_texts(values, decimals);
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
