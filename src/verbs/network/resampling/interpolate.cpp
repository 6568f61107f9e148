#include <algorithm>
#include <cmath>
#include <limits>

#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/pooling/pool.hpp"
#include "verbs/network/resampling/resampling_tables.hpp"

/// Interpolation along axes: sums of weighted elements at places that tables give, one table for each axis.
namespace eglantine {

namespace {

using check::fail;
using verbs::Resampling;
using verbs::ResamplingTables;
using verbs::Taps1d;

constexpr std::string_view interpolate_name = "interpolate";
constexpr int64_t most_unrolled = 16;  ///< elements that a map combines; a reduction where they are more

void require_options(const InterpolateOptions& options, int axes) {
  if (options.mode < Interpolation::nearest || options.mode > Interpolation::cubic)
    fail<Error>(interpolate_name, std::to_string(static_cast<int>(options.mode)),
                " is no Interpolation; there are nearest, linear and cubic");
  const char* with = options.antialias ? "antialias" : options.align_corners ? "align_corners" : nullptr;
  if (options.mode == Interpolation::nearest && with != nullptr)
    fail<Error>(interpolate_name, with, " is of linear and cubic, not of nearest");
  if (!options.scale.empty() && std::ssize(options.scale) != axes)
    fail<Error>(interpolate_name, "scale has ", std::to_string(options.scale.size()), " numbers, for ",
                std::to_string(axes), " spatial axes");
  for (double scale : options.scale)
    if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(1 / scale))
      fail<Error>(interpolate_name, "scale is ", std::to_string(scale), "; it is positive and finite");
}

/// The axes of x that are to be resampled, the lengths of all in `result`.
std::vector<Resampling> resamplings(const Tensor& x, const PerAxis& sizes, const InterpolateOptions& options,
                                    Shape& result) {
  const int first = verbs::first_spatial(interpolate_name, "sizes", x, sizes);
  const std::vector<int64_t> outputs = verbs::per_axis(interpolate_name, "sizes", sizes, x.shape(), first);
  require_options(options, x.rank() - first);
  std::vector<Resampling> axes;
  for (int axis = first; axis < x.rank(); ++axis) {
    const auto k = static_cast<size_t>(axis - first);
    Resampling made{axis, x.shape()[axis], outputs[k]};
    if (made.length < 1 || std::max(made.length, made.outputs) > std::numeric_limits<int32_t>::max())
      fail<ShapeError>(interpolate_name, "axis ", std::to_string(axis), " of ", to_string(x.shape()), " has ",
                       std::to_string(made.length), " elements, and is to have ", std::to_string(made.outputs),
                       "; both are at least 1 and below 2^31");
    if (!options.scale.empty() && !options.align_corners) made.scale = options.scale[k];
    result[axis] = made.outputs;
    axes.push_back(made);
  }
  return axes;
}

/// Whether output o is element o.
bool is_identity(const Resampling& axis) { return axis.length == axis.outputs && axis.scale.value_or(1) == 1; }

/// A row of a table along one axis of a result of rank `rank`.
Tensor along(const Tensor& row, int axis, int rank) {
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank - axis), 1));
  shape[0] = row.size();
  return row.reshape(shape);
}

/// The sum of an axis's weighted elements in one map, over all axes at once.
class Unrolled {
 public:
  Unrolled(const Tensor& x, const std::vector<Taps1d>& axes, std::vector<Tensor> tables)
      : x_(x), axes_(axes), tables_(axes, std::move(tables)) {
    for (const Taps1d& axis : axes) {
      shape_[axis.axis] = axis.outputs;
      numbers_.push_back(axis.axis);
    }
  }

  Tensor sum() const {
    std::vector<Tensor> indices;
    return sum_of(indices);
  }

 private:
  /// Over the axes that have no index yet.
  Tensor sum_of(std::vector<Tensor>& indices) const {
    const size_t k = indices.size();
    if (k == axes_.size()) return element(indices);
    Tensor total;
    for (int64_t tap = 0; tap < axes_[k].taps; ++tap) {
      indices.push_back(along(index(k, tap), axes_[k].axis, x_.rank()));
      Tensor term = sum_of(indices);
      indices.pop_back();
      if (!tables_.has_weights()) return term;
      const Tensor share = along(weight(k, tap), axes_[k].axis, x_.rank());
      total = total.defined() ? verbs::plus_product(total, share, term) : share * term;
    }
    return total;
  }
  /// GPUs compute rather than read what follows from the first element and the second weight: 224 and 216 us, bilinear.
  bool follows(size_t k) const { return axes_[k].are_neighbours && verbs::is_gpu(x_.device()); }
  Tensor index(size_t k, int64_t tap) const {
    const Taps1d& axis = axes_[k];
    if (tap == 0 || !follows(k)) return tables_.indices(k, axis, tap);
    return minimum(index(k, 0) + 1, static_cast<int32_t>(axis.length - 1));
  }
  Tensor weight(size_t k, int64_t tap) const {
    if (tap == 1 || !follows(k)) return tables_.weights(k, axes_[k], tap);
    return 1 - weight(k, 1);
  }
  Tensor element(const std::vector<Tensor>& indices) const {
    const Tensor read = verbs::load_at(x_, numbers_, indices, shape_);
    return tables_.has_weights() ? verbs::to_f32(read) : read;
  }

  Tensor x_;
  const std::vector<Taps1d>& axes_;
  ResamplingTables tables_;
  Shape shape_ = x_.shape();
  Axes numbers_{};
};

/// The words from which a composite makes the axes of an Unrolled.
std::vector<int64_t> words_of(const std::vector<Taps1d>& axes) {
  std::vector<int64_t> words;
  for (const Taps1d& axis : axes)
    words.insert(words.end(), {axis.axis, axis.length, axis.outputs, axis.taps, int64_t{axis.are_neighbours}});
  return words;
}

/// Of x, indices and weights.
NodePtr unrolled_sum(const nodes::Composite& of) {
  std::vector<Taps1d> axes;
  for (auto at = of.numbers.begin(); at != of.numbers.end(); at += 5)
    axes.push_back({static_cast<int>(at[0]), at[1], at[2], at[3], {}, at[4] != 0});
  return Unrolled(Tensor(of.args[0]), axes, std::vector<Tensor>(of.args.begin() + 1, of.args.end())).sum().node();
}

/// Elements of axes in one map.
Tensor unrolled(const Tensor& x, const std::vector<Taps1d>& axes, const InterpolateOptions& options) {
  nodes::Composite sum{unrolled_sum, {x.node()}, words_of(axes), 1};
  Shape shape = x.shape();
  for (const Taps1d& axis : axes) {
    shape[axis.axis] = axis.outputs;
    sum.weight *= 4 * axis.taps;
  }
  for (const Tensor& table : verbs::tables_of(axes, options, x.device())) sum.args.push_back(table.node());
  const bool has_weights = sum.args.size() > 2;
  return verbs::composite(has_weights ? DType::f32 : x.dtype(), shape, std::move(sum));
}

/// One axis, too large to be read at any place, by gathers.
Tensor gathered(const Tensor& x, const Taps1d& taps, const InterpolateOptions& options) {
  const ResamplingTables tables({taps}, verbs::tables_of({taps}, options, x.device()));
  Tensor total;
  for (int64_t k = 0; k < taps.taps; ++k) {
    Tensor term = take(x, tables.indices(0, taps, k), taps.axis);
    if (!tables.has_weights()) return term;
    term = along(tables.weights(0, taps, k), taps.axis, x.rank()) * verbs::to_f32(term);
    total = total.defined() ? total + term : term;
  }
  return total;
}

/// One axis whose outputs are made of many elements each: these as an axis behind x's, reduced with their weights.
Tensor reduced(const Tensor& x, const Taps1d& taps) {
  const Device device = x.device();
  const Tensor indices = Tensor::from(taps.indices, {taps.taps, taps.outputs}, device);
  Shape shape = x.shape();
  shape[taps.axis] = taps.outputs;
  shape.push_back(taps.taps);
  const auto behind = [&](const Tensor& table) {  // outputs, ones, taps
    Shape rows(std::vector<int64_t>(static_cast<size_t>(x.rank() - taps.axis + 1), 1));
    rows[0] = taps.outputs;
    rows[rows.rank() - 1] = taps.taps;
    return table.transpose(0, 1).reshape(rows);
  };
  const Tensor weights = behind(Tensor::from(taps.weights, {taps.taps, taps.outputs}, device));
  const Tensor elements = verbs::load_at(x, {taps.axis}, {behind(indices)}, shape);
  return sum(weights * verbs::to_f32(elements), {x.rank()});
}

/// Whether the axes are combined in one kernel: no more elements each than it takes, of what one binding covers.
bool is_unrolled(const Tensor& x, const std::vector<Taps1d>& axes) {
  int64_t taps = 1;
  Axes numbers;
  for (const Taps1d& axis : axes) {
    taps *= axis.taps;
    numbers.push_back(axis.axis);
  }
  return taps <= most_unrolled && verbs::can_load_at(x, numbers);
}

Tensor resampled(Tensor x, std::vector<Taps1d> axes, const InterpolateOptions& options) {
  while (!axes.empty()) {
    std::vector<Taps1d> last(axes.end() - 1, axes.end());
    // As many of the last axes at once as can be.
    while (last.size() < axes.size() && is_unrolled(x, std::vector(axes.end() - std::ssize(last) - 1, axes.end())))
      last.insert(last.begin(), axes[axes.size() - last.size() - 1]);
    if (is_unrolled(x, last))
      x = unrolled(x, last, options);
    else
      x = verbs::can_load_at(x, {last.front().axis}) ? reduced(x, last.front()) : gathered(x, last.front(), options);
    axes.resize(axes.size() - last.size());
  }
  return x;
}

/// x without what nearest reads in steps of whole elements, as a view; the axes that are left.
Tensor stepped(Tensor x, std::vector<Resampling>& axes) {
  std::erase_if(axes, [&](const Resampling& axis) {
    if (axis.scale || axis.length % axis.outputs != 0) return false;
    x = x.slice(axis.axis, 0, axis.length, axis.length / axis.outputs);
    return true;
  });
  return x;
}

/// How often nearest reads each element in a row; 0 where that differs between elements.
int64_t repeats(const Resampling& axis) {
  const int64_t count = axis.outputs / axis.length;
  return axis.outputs % axis.length == 0 && axis.scale.value_or(count) == static_cast<double>(count) ? count : 0;
}

/// x with elements repeated where nearest does nothing else, as a view; the axes that are left. For GPUs, and few
/// results, of which a copy is made while the host would make tables; of many, reading by those is faster.
Tensor repeated(const Tensor& x, const Shape& result, std::vector<Resampling>& axes) {
  constexpr int64_t few = int64_t{1} << 22;
  if (!verbs::is_gpu(x.device()) || result.elements() > few || x.rank() + std::ssize(axes) > max_rank) return x;
  Shape apart = x.shape(), spread = x.shape(), together = x.shape();
  for (size_t k = axes.size(); k-- > 0;) {
    const int64_t count = repeats(axes[k]);
    if (count == 0) continue;
    apart.insert(axes[k].axis + 1, 1);
    spread.insert(axes[k].axis + 1, count);
    together[axes[k].axis] *= count;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return x.reshape(apart).expand(spread).reshape(together);
}

}  // namespace

Tensor interpolate(const Tensor& x, const PerAxis& sizes, const InterpolateOptions& options) {
  Shape result = x.shape();
  std::vector<Resampling> axes = resamplings(x, sizes, options, result);
  check::require_countable(interpolate_name, result);
  const bool nearest = options.mode == Interpolation::nearest;
  const DType dtype = nearest ? x.dtype() : verbs::real_dtype(x);
  if (result.elements() == 0) return zeros(result, dtype, x.device());
  std::erase_if(axes, is_identity);
  const Tensor source = nearest ? repeated(stepped(x, axes), result, axes) : x;
  if (axes.empty()) return source.astype(dtype);
  std::vector<Taps1d> taps;
  for (const Resampling& axis : axes) taps.push_back(verbs::outline_of(axis, options));
  return resampled(nearest ? source : verbs::widened(source), std::move(taps), options).astype(dtype);
}

}  // namespace eglantine
