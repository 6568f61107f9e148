#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// A tiling's axes in all its layouts, axis for axis: over elements (prologue) and over the grid (epilogue and output).
class TileAxes {
 public:
  explicit TileAxes(TileKernel& kernel) : kernel_(kernel), elements_(kernel.prologue), grid_(kernel.epilogue) {
    grid_.push_back(&kernel.out.layout);
  }

  void put_in_memory_order() {
    const Axes order = memory_order();
    each([&](Layout& x) { x = layout::permute(x, order); });
    each_shape([&](Shape& shape) {
      const Shape before = shape;
      for (int i = 0; i < rank(); ++i) shape[i] = before[static_cast<int>(order[i])];
    });
  }

  void drop_ones() {
    for (int axis = rank() - 1; axis >= 0; --axis)
      if (lengths()[axis] == 1 && rank() > 1) drop(axis);
    if (rank() == 0) add_one();
  }

  void merge() {
    for (int axis = rank() - 2; axis >= 0; --axis)
      if (whole_rows(axis)) merge_rows(axis);
  }

 private:
  struct Layouts : std::vector<Layout*> {
    explicit Layouts(Expr& expr) {
      for (Strided& operand : expr.operands) push_back(&operand.layout);
      for (Layout& iota : expr.iotas) push_back(&iota);
    }
  };

  Shape& lengths() { return kernel_.prologue.domain; }
  int rank() { return lengths().rank(); }

  template <class F>
  void each(F f) {
    for (Layout* x : elements_) f(*x);
    for (Layout* x : grid_) f(*x);
  }
  template <class F>
  void each_shape(F f) {
    for (Shape* shape : {&lengths(), &kernel_.tile, &kernel_.epilogue.domain}) f(*shape);
  }

  /// By decreasing stride of the furthest-reaching operand, stride 0 first: a tile's innermost elements are neighbours.
  Axes memory_order() {
    std::vector<int64_t> order(static_cast<size_t>(rank()));
    std::iota(order.begin(), order.end(), 0);
    const Layout* furthest = nullptr;
    for (const Strided& operand : kernel_.prologue.operands) {
      const bool further =
          furthest == nullptr || layout::reach(operand.layout).count() > layout::reach(*furthest).count();
      if (further) furthest = &operand.layout;
    }
    const auto stride = [&](int64_t axis) {
      const int64_t length = std::abs(furthest->strides[static_cast<size_t>(axis)]);
      return length == 0 ? std::numeric_limits<int64_t>::max() : length;
    };
    if (furthest != nullptr)
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
    return order;
  }

  void drop(int axis) {
    each([&](Layout& x) { x = layout::squeeze(x, axis); });
    each_shape([&](Shape& shape) { shape.erase(axis); });
  }

  void add_one() {
    each([&](Layout& x) { x = layout::unsqueeze(x, 0); });
    each_shape([&](Shape& shape) { shape.push_back(1); });
  }

  /// Whether tiles are whole along the next axis too, and both axes are one in every layout of the elements.
  bool whole_rows(int axis) {
    const auto along = static_cast<size_t>(axis);
    return kernel_.tile[axis + 1] == lengths()[axis + 1] &&
           std::all_of(elements_.begin(), elements_.end(), [&](const Layout* x) {
             return x->strides[along] == x->strides[along + 1] * lengths()[axis + 1];
           });
  }

  void merge_rows(int axis) {
    const auto along = static_cast<size_t>(axis);
    for (Layout* x : elements_) x->strides[along] = x->strides[along + 1];
    each_shape([&](Shape& shape) { shape[axis] *= shape[axis + 1]; });
    each([&](Layout& x) {
      x.shape[axis] *= x.shape[axis + 1];
      x.shape.erase(axis + 1);
      x.strides.erase(x.strides.begin() + axis + 1);
    });
    each_shape([&](Shape& shape) { shape.erase(axis + 1); });
  }

  TileKernel& kernel_;
  Layouts elements_, grid_;
};

}  // namespace

void collapse(TileKernel& kernel) {
  TileAxes axes(kernel);
  axes.put_in_memory_order();
  axes.drop_ones();
  axes.merge();
}

}  // namespace eglantine
