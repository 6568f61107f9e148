#include <limits>

#include "evaluate/evaluate.hpp"
#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/load_at.hpp"

/// A picture at places that a grid gives: sums over the elements around each place, along each axis by itself.
namespace eglantine {

namespace {

using check::fail;

constexpr std::string_view grid_sample_name = "grid_sample";

void require_shapes(const Tensor& x, const Tensor& grid) {
  const int axes = x.rank() - 2, last = grid.rank() - 1;
  if (axes < 2 || axes > 3)
    fail<ShapeError>(grid_sample_name, "takes (n, channels, spatial...) of 2 or 3 spatial axes, got ",
                     to_string(x.shape()));
  if (grid.rank() != x.rank())
    fail<ShapeError>(grid_sample_name, "takes a grid of as many axes as x, (n, spatial..., ", std::to_string(axes),
                     "), got ", to_string(grid.shape()), " for ", to_string(x.shape()));
  if (grid.shape()[0] != x.shape()[0])
    fail<ShapeError>(grid_sample_name, "axis 0 of the grid ", to_string(grid.shape()), " and of ", to_string(x.shape()),
                     " differ: ", std::to_string(grid.shape()[0]), " and ", std::to_string(x.shape()[0]));
  if (grid.shape()[last] != axes)
    fail<ShapeError>(grid_sample_name, "axis ", std::to_string(last), " of the grid ", to_string(grid.shape()), " has ",
                     std::to_string(grid.shape()[last]), " coordinates, for ", std::to_string(axes), " spatial axes");
  for (int axis = 2; axis < x.rank(); ++axis)
    if (x.shape()[axis] < 1 || x.shape()[axis] > std::numeric_limits<int32_t>::max())
      fail<ShapeError>(grid_sample_name, "axis ", std::to_string(axis), " of ", to_string(x.shape()), " has ",
                       std::to_string(x.shape()[axis]), " elements; it has at least 1 and fewer than 2^31");
}

void require_options(const Tensor& x, const GridOptions& options) {
  if (options.mode < Interpolation::nearest || options.mode > Interpolation::cubic)
    fail<Error>(grid_sample_name, std::to_string(static_cast<int>(options.mode)),
                " is no Interpolation; there are nearest, linear and cubic");
  if (options.padding < PadMode::constant || options.padding > PadMode::wrap)
    fail<Error>(grid_sample_name, std::to_string(static_cast<int>(options.padding)),
                " is no PadMode; there are constant, reflect, edge and wrap");
  if (options.mode == Interpolation::cubic && x.rank() == 5)
    fail<Error>(grid_sample_name, "cubic takes two spatial axes, got ", to_string(x.shape()));
}

/// An element along one axis: where, whether it is x's (undefined: always), and its weight (undefined: 1).
struct Tap {
  Tensor index, inside, weight;
};

/// One axis of `size` elements, and what is read along it.
class AxisTaps {
 public:
  AxisTaps(const Tensor& coordinate, int64_t size, const GridOptions& options) : size_(size), options_(options) {
    const auto s = static_cast<float>(size);
    place_ = options.align_corners ? (coordinate + 1.0F) * ((s - 1) / 2) : (coordinate + 1.0F) * (s / 2) - 0.5F;
  }

  std::vector<Tap> taps() const {
    if (options_.mode == Interpolation::nearest) return {tap(round(kept(place_)).astype(DType::i32), Tensor())};
    return options_.mode == Interpolation::cubic ? cubic() : linear();
  }

 private:
  float last() const { return static_cast<float>(size_ - 1); }
  int32_t size() const { return static_cast<int32_t>(size_); }

  /// The place, by edge and reflect one of the axis. Each element of a result computes it: what a remainder by the
  /// period loses in one step of rounding, the place has lost before, and where that turns is the same from both sides.
  Tensor kept(const Tensor& place) const {
    if (options_.padding == PadMode::edge) return clip(place, 0.0F, last());
    if (options_.padding != PadMode::reflect) return place;
    if (size_ == 1) return clip(place, 0.0F, 0.0F);
    const float low = options_.align_corners ? 0.0F : -0.5F, period = 2 * (last() - 2 * low);
    const Tensor from_low = place - low, there = from_low - floor(from_low * (1 / period)) * period;
    return clip(minimum(there, period - there) + low, 0.0F, last());
  }

  /// The whole place i as what is read there, past the ends, too.
  Tap tap(const Tensor& i, const Tensor& weight) const {
    if (options_.padding == PadMode::wrap) return {remainder(i, size()), {}, weight};
    const Tensor index = clip(i, 0, size() - 1);
    if (options_.padding != PadMode::constant) return {index, {}, weight};
    return {index, index == i, weight};
  }

  /// A whole place mirrored, again and again.
  Tensor reflected(const Tensor& i) const {
    if (options_.padding != PadMode::reflect || size_ == 1) return i;
    const int32_t period = options_.align_corners ? 2 * (size() - 1) : 2 * size();
    const Tensor there = remainder(i, period);
    return minimum(there, (options_.align_corners ? period : period - 1) - there);
  }

  std::vector<Tap> linear() const {
    const Tensor place = kept(place_), first = floor(place), t = place - first, i = first.astype(DType::i32);
    return {tap(i, 1.0F - t), tap(i + 1, t)};
  }

  /// Keys' kernel with the coefficient -0.75 at the distances t + 1, t, 1 - t and 2 - t. The weights add up to 1.
  std::vector<Tap> cubic() const {
    const Tensor first = floor(place_), t = place_ - first, u = 1.0F - t, i = first.astype(DType::i32);
    const Tensor tu = t * u * -0.75F, before = tu * u, after = tu * t, near = (1.25F * t - 2.25F) * t * t + 1.0F;
    const std::vector<Tensor> weights{before, near, 1.0F - (before + near + after), after};
    std::vector<Tap> result;
    for (int32_t k = 0; k < 4; ++k) result.push_back(tap(reflected(i + (k - 1)), weights[static_cast<size_t>(k)]));
    return result;
  }

  int64_t size_;
  GridOptions options_;
  Tensor place_;
};

/// The elements that taps of all axes lead to, weighted and added.
class Sampled {
 public:
  Sampled(const Tensor& x, const Tensor& grid, const GridOptions& options)
      : x_(x),
        is_nearest_(options.mode == Interpolation::nearest),
        nothing_(zeros({}, is_nearest_ ? x.dtype() : DType::f32, x.device())),
        can_load_(can_load(x)) {
    if (!can_load_) check::require_i32_count(grid_sample_name, Shape(x.shape().begin() + 2, x.shape().end()));
    const int axes = x.rank() - 2;
    for (int k = 0; k < axes; ++k) {
      Shape each = grid.shape();
      each[axes + 1] = 1;
      each.insert(1, 1);
      each.erase(axes + 2);
      const int at = axes - 1 - k;  // a grid's coordinates begin with that along the last axis
      const Tensor coordinate = verbs::to_f32(grid).slice(grid.rank() - 1, at, at + 1).reshape(each);
      taps_.push_back(AxisTaps(coordinate, x.shape()[2 + k], options).taps());
      shape_[2 + k] = grid.shape()[1 + k];
    }
  }

  Tensor sum() const {
    std::vector<Tensor> indices;
    return sum_of(indices);
  }

  /// A kernel binds the source, the result and, at worst, an index for each axis.
  static bool can_load(const Tensor& x) {
    return verbs::can_load_at(x, spatial(x)) && limits_of(*x.node()).max_bindings >= x.rank();
  }

 private:
  static Axes spatial(const Tensor& x) {
    Axes axes;
    for (int axis = 2; axis < x.rank(); ++axis) axes.push_back(axis);
    return axes;
  }
  Tensor sum_of(std::vector<Tensor>& indices) const {
    const size_t k = indices.size();
    if (k == taps_.size()) return element(indices);
    Tensor total;
    for (const Tap& tap : taps_[k]) {
      indices.push_back(tap.index);
      total = with_term(total, tap, sum_of(indices));
      indices.pop_back();
    }
    return total;
  }

  /// What the tap reads, weighted, beside `total` (undefined: none).
  Tensor with_term(const Tensor& total, const Tap& tap, const Tensor& read) const {
    if (!tap.inside.defined() && tap.weight.defined() && total.defined())
      return verbs::plus_product(total, tap.weight, read);
    Tensor term = tap.weight.defined() ? tap.weight * read : read;
    if (tap.inside.defined()) term = where(tap.inside, term, nothing_);
    return total.defined() ? total + term : term;
  }

  Tensor element(const std::vector<Tensor>& indices) const {
    const Tensor read = can_load_ ? verbs::load_at(x_, spatial(x_), indices, shape_) : gathered(indices);
    return is_nearest_ ? read : verbs::to_f32(read);
  }

  /// From pictures too large to be read at any place.
  Tensor gathered(const std::vector<Tensor>& indices) const {
    Tensor place = indices.front();
    for (size_t k = 1; k < indices.size(); ++k)
      place = place * static_cast<int32_t>(x_.shape()[2 + static_cast<int>(k)]) + indices[k];
    Shape pictures{x_.shape()[0], x_.shape()[1], Shape(x_.shape().begin() + 2, x_.shape().end()).elements()};
    Shape places = pictures;
    places[2] = Shape(shape_.begin() + 2, shape_.end()).elements();
    return gather(x_.reshape(pictures), 2, place.expand(shape_).reshape(places)).reshape(shape_);
  }

  Tensor x_;
  bool is_nearest_;
  Tensor nothing_;  ///< what lies outside
  bool can_load_;
  Shape shape_ = x_.shape();
  std::vector<std::vector<Tap>> taps_{};
};

Tensor sampled(const Tensor& x, const Tensor& grid, const GridOptions& options) {
  const bool nearest = options.mode == Interpolation::nearest;
  const DType dtype = nearest ? x.dtype() : verbs::real_dtype(x);
  return Sampled(nearest ? x : verbs::widened(x), grid, options).sum().astype(dtype);
}

/// sampled() of a composite's arguments.
NodePtr sampled_parts(const nodes::Composite& of) {
  const GridOptions options{static_cast<Interpolation>(of.numbers[0]), static_cast<PadMode>(of.numbers[1]),
                            of.numbers[2] != 0};
  return sampled(Tensor(of.args[0]), Tensor(of.args[1]), options).node();
}

/// The same as one node: a hundred nodes take the caller longer than a device takes for their kernel.
Tensor sampled_at_once(const Tensor& x, const Tensor& grid, const Shape& result, const GridOptions& options) {
  const int64_t taps = options.mode == Interpolation::nearest ? 1 : options.mode == Interpolation::linear ? 2 : 4;
  int64_t weight = 8;
  for (int axis = 2; axis < x.rank(); ++axis) weight = weight * taps + 20;
  const DType dtype = options.mode == Interpolation::nearest ? x.dtype() : verbs::real_dtype(x);
  const std::vector<int64_t> numbers{static_cast<int64_t>(options.mode), static_cast<int64_t>(options.padding),
                                     int64_t{options.align_corners}};
  return verbs::composite(dtype, result, {sampled_parts, {x.node(), grid.node()}, numbers, weight});
}

}  // namespace

Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridOptions& options) {
  require_shapes(x, grid);
  require_options(x, options);
  check::require_same_device(grid_sample_name, x, grid);
  Shape result = x.shape();
  for (int axis = 2; axis < x.rank(); ++axis) result[axis] = grid.shape()[axis - 1];
  check::require_countable(grid_sample_name, result);
  const bool nearest = options.mode == Interpolation::nearest;
  if (result.elements() == 0) return zeros(result, nearest ? x.dtype() : verbs::real_dtype(x), x.device());
  if (!Sampled::can_load(x)) return sampled(x, grid, options);
  return sampled_at_once(x, grid, result, options);
}

}  // namespace eglantine
