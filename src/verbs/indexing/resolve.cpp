#include "verbs/indexing/resolve.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "layout/layout.hpp"

namespace eglantine::verbs {

namespace {

using check::fail;

bool is_mask(const Index& index) {
  const auto* tensor = std::get_if<Tensor>(&index.value());
  return tensor != nullptr && tensor->dtype() == DType::boolean;
}

/// Axes of the indexed tensor that an index takes.
int taken_by(const Index& index) {
  if (std::holds_alternative<NewAxis>(index.value()) || std::holds_alternative<Ellipsis>(index.value())) return 0;
  return is_mask(index) ? std::get<Tensor>(index.value()).rank() : 1;
}

/// The axes that the ellipsis stands for; without one, those behind the last index.
int left_over(std::string_view function, const Shape& shape, const std::vector<Index>& indices) {
  int taken = 0, ellipses = 0;
  for (const Index& index : indices) {
    taken += taken_by(index);
    ellipses += std::holds_alternative<Ellipsis>(index.value()) ? 1 : 0;
  }
  if (ellipses > 1) fail<ShapeError>(function, "two ellipses: which axes each stands for is open");
  if (taken > shape.rank())
    fail<ShapeError>(function, "indices for ", std::to_string(taken), " axes, but ", to_string(shape), " has ",
                     std::to_string(shape.rank()));
  return shape.rank() - taken;
}

/// Start, length and step of a slice whose bounds are cut to an axis, as Python's slice.indices.
struct Steps {
  int64_t start, count, step;
};

Steps steps_of(std::string_view function, const Slice& slice, int64_t length) {
  if (slice.step == 0) fail<IndexError>(function, "a slice with a step of 0 goes nowhere");
  const bool forward = slice.step > 0;
  const int64_t lowest = forward ? 0 : -1, highest = forward ? length : length - 1;
  const auto cut = [&](const std::optional<int64_t>& bound, int64_t absent) {
    if (!bound) return absent;
    return *bound < 0 ? std::max(*bound + length, lowest) : std::min(*bound, highest);
  };
  const int64_t start = cut(slice.start, forward ? lowest : highest);
  const int64_t stop = cut(slice.stop, forward ? highest : lowest);
  const int64_t count = count_of_steps(start, stop, slice.step);
  return {count == 0 ? 0 : start, count, count > 1 ? slice.step : 1};
}

/// Reads the indices from the left.
class Resolver {
 public:
  Resolver(std::string_view function, const Tensor& x)
      : function_(function), x_(x), whole_(layout::contiguous(x.shape())) {}

  void add(const Index& index, int whole_axes) {
    std::visit([&](const auto& value) { add(value, whole_axes); }, index.value());
  }

  void keep(int axes) {
    for (int i = 0; i < axes; ++i) keep(0, x_.shape()[next_], 1);
  }

  Selection take() {
    Selection result{whole_of(lengths_), std::move(tensors_), apart_ ? 0 : first_};
    broadcast(result.tensors);
    if (!result.tensors.empty()) require_rank(result.rest().rank() + result.places().rank());
    return result;
  }

 private:
  void add(int64_t place, int) {
    const int64_t length = x_.shape()[next_];
    if (place < -length || place >= length)
      fail<IndexError>(function_, "index ", std::to_string(place), " lies outside [", std::to_string(-length), ", ",
                       std::to_string(length), "): axis ", std::to_string(next_), " of ", to_string(x_.shape()));
    advanced();
    offset_ += (place < 0 ? place + length : place) * whole_.strides[static_cast<size_t>(next_)];
    ++next_;
  }
  void add(const Slice& slice, int) {
    const Steps steps = steps_of(function_, slice, x_.shape()[next_]);
    keep(steps.start, steps.count, steps.step);
  }
  void add(NewAxis, int) {
    lengths_.push_back(1);
    strides_.push_back(0);
    ++open_;
    plain();
  }
  void add(Ellipsis, int whole_axes) {
    keep(whole_axes);
    plain();
  }
  void add(const Tensor& places, int) {
    check::require_same_device(function_, x_, places);
    advanced();
    if (places.dtype() == DType::boolean) return add_mask(places);
    require_indices(function_, x_, places);
    pick(places);
  }

  /// A mask is the coordinates of where it is true, one tensor for each of its axes.
  void add_mask(const Tensor& mask) {
    for (int i = 0; i < mask.rank(); ++i)
      if (mask.shape()[i] != x_.shape()[next_ + i])
        fail<ShapeError>(function_, "the mask ", to_string(mask.shape()), " must have the shape of the axes that it ",
                         "stands for, from axis ", std::to_string(next_), " of ", to_string(x_.shape()), " on");
    const Tensor places = nonzero(mask);
    if (mask.rank() == 0) {
      tensors_.push_back({static_cast<int>(lengths_.size()), -1, zeros({places.shape()[0]}, DType::i32, x_.device())});
      lengths_.push_back(1);
      strides_.push_back(0);
    }
    for (int i = 0; i < mask.rank(); ++i) pick(places.slice(1, i, i + 1).squeeze(1));
  }

  void pick(const Tensor& places) {
    check::i32_axis_of(function_, next_, x_.shape());
    tensors_.push_back({static_cast<int>(lengths_.size()), next_, places});
    lengths_.push_back(x_.shape()[next_]);
    strides_.push_back(whole_.strides[static_cast<size_t>(next_++)]);
  }

  void keep(int64_t start, int64_t count, int64_t step) {
    const int64_t stride = whole_.strides[static_cast<size_t>(next_++)];
    if (count > 0) offset_ += start * stride;
    lengths_.push_back(count);
    strides_.push_back(stride * step);
    ++open_;
    plain();
  }

  /// Integers count as tensors where they stand beside some, as in NumPy: something between them sets them apart.
  void advanced() {
    if (first_ < 0) first_ = open_;
    apart_ = apart_ || ended_;
  }
  void plain() { ended_ = first_ >= 0; }

  void require_rank(int rank) const {
    if (rank > max_rank)
      fail<ShapeError>(function_, "the indices give rank ", std::to_string(rank), ", above ", std::to_string(max_rank));
  }

  Layout whole_of(const std::vector<int64_t>& lengths) const {
    require_rank(static_cast<int>(lengths.size()));
    return {Shape(lengths), strides_, offset_};
  }

  void broadcast(std::vector<TensorIndex>& tensors) const {
    Shape shape;
    for (const TensorIndex& each : tensors) shape = check::require_broadcast(function_, shape, each.places.shape());
    for (TensorIndex& each : tensors) each.places = each.places.expand(shape);
  }

  std::string_view function_;
  const Tensor& x_;
  Layout whole_;
  int next_ = 0;    ///< the axis of x that the next index takes
  int open_ = 0;    ///< axes of the selection so far that no tensor indexes
  int first_ = -1;  ///< as many when the first integer or tensor came
  bool ended_ = false, apart_ = false;
  int64_t offset_ = 0;
  std::vector<int64_t> lengths_, strides_;
  std::vector<TensorIndex> tensors_;
};

}  // namespace

const Tensor* leading_mask(const Tensor& x, const std::vector<Index>& indices) {
  if (indices.size() != 1 || !is_mask(indices[0])) return nullptr;
  const auto& mask = std::get<Tensor>(indices[0].value());
  if (mask.rank() > x.rank()) return nullptr;
  return std::equal(mask.shape().begin(), mask.shape().end(), x.shape().begin()) ? &mask : nullptr;
}

Shape Selection::rest() const {
  Shape result;
  for (int i = 0; i < view.shape.rank(); ++i)
    if (std::none_of(tensors.begin(), tensors.end(), [&](const TensorIndex& each) { return each.axis == i; }))
      result.push_back(view.shape[i]);
  return result;
}

Shape Selection::result() const {
  Shape shape = rest();
  if (tensors.empty()) return shape;
  for (int i = 0; i < places().rank(); ++i) shape.insert(at + i, places()[i]);
  return shape;
}

Selection resolve(std::string_view function, const Tensor& x, const std::vector<Index>& indices) {
  const int left = left_over(function, x.shape(), indices);
  Resolver resolver(function, x);
  bool has_ellipsis = false;
  for (const Index& index : indices) {
    resolver.add(index, left);
    has_ellipsis = has_ellipsis || std::holds_alternative<Ellipsis>(index.value());
  }
  if (!has_ellipsis) resolver.keep(left);
  return resolver.take();
}

Tensor selected(const Tensor& x, const Selection& selection) {
  const Layout whole = layout::contiguous(x.shape());
  if (selection.view.shape == whole.shape && layout::same(selection.view, whole)) return x;
  return pend(make_view(x.node(), selection.view));
}

}  // namespace eglantine::verbs
