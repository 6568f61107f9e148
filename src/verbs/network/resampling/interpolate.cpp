#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "verbs/build.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/pooling/pool.hpp"
#include "verbs/network/resampling/weighted_sums.hpp"

/// Interpolation along axes: sums of weighted elements, over all axes at once or over one after the other.
namespace eglantine {

namespace {

using check::fail;
using verbs::Resampling;
using verbs::Taps1d;

constexpr std::string_view interpolate_name = "interpolate";

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

/// Elements that one output is made of along all these axes.
int64_t taps_of_all(const std::vector<Taps1d>& axes) {
  int64_t taps = 1;
  for (const Taps1d& axis : axes) taps *= axis.taps;
  return taps;
}

bool can_load_at(const Tensor& x, const std::vector<Taps1d>& axes) {
  Axes numbers;
  for (const Taps1d& axis : axes) numbers.push_back(axis.axis);
  return verbs::can_load_at(x, numbers);
}

/// The most elements that a map combines. GPUs: 60 loads from a cache are less than a tensor between two kernels. Each
/// has a derivative of its own.
int64_t most_unrolled(const Tensor& x) { return verbs::is_gpu(x.device()) && !x.node()->is_traced() ? 64 : 16; }

bool is_unrolled(const Tensor& x, const std::vector<Taps1d>& axes) {
  return taps_of_all(axes) <= most_unrolled(x) && can_load_at(x, axes);
}

/// Whether axes in turn, from the last, take less than all at once: elements, rows of tables and stores of all outputs.
bool are_less_in_turn(const std::vector<Taps1d>& axes) {
  double outputs = 1, in_turn = 0, rows = 1;
  for (const Taps1d& axis : axes) outputs *= static_cast<double>(axis.length);
  for (const Taps1d& axis : axes | std::views::reverse) {
    outputs *= static_cast<double>(axis.outputs) / static_cast<double>(axis.length);
    in_turn += outputs * static_cast<double>(2 * axis.taps + 1);
    rows += static_cast<double>(axis.taps);
  }
  return in_turn < outputs * (static_cast<double>(taps_of_all(axes)) + rows);
}

/// Whether tensors between kernels cost less than they save: on software devices, where an element that is read takes
/// as long from a cache. At once and in turn, ms, cubic to twice the size (8 x 48 x 112 x 112): llvmpipe 1004 and 584,
/// CPU 448 and 204.
bool goes_in_turn(const Tensor& x, const std::vector<Taps1d>& axes) {
  return !verbs::is_gpu(x.device()) && axes.size() > 1 && axes.front().taps > 1 && are_less_in_turn(axes);
}

/// Axes in turn: as many of the last ones at once as can be, or each by itself.
Tensor in_turn(Tensor x, std::vector<Taps1d> axes, bool each, const InterpolateOptions& options) {
  while (!axes.empty()) {
    std::vector<Taps1d> last(axes.end() - 1, axes.end());
    while (!each && last.size() < axes.size() &&
           is_unrolled(x, std::vector(axes.end() - std::ssize(last) - 1, axes.end())))
      last.insert(last.begin(), axes[axes.size() - last.size() - 1]);
    if (is_unrolled(x, last))
      x = verbs::unrolled(x, last, options);
    else
      x = can_load_at(x, last) ? verbs::reduced(x, last) : verbs::gathered(x, last.front(), options);
    axes.resize(axes.size() - last.size());
  }
  return x;
}

Tensor resampled(const Tensor& x, const std::vector<Taps1d>& axes, const InterpolateOptions& options) {
  std::vector<Taps1d> ordered = axes;  // what leaves the fewest elements comes first, from the end
  std::ranges::stable_sort(
      ordered, [](const Taps1d& a, const Taps1d& b) { return a.outputs * b.length > b.outputs * a.length; });
  if (goes_in_turn(x, ordered)) return in_turn(x, std::move(ordered), true, options);
  const bool is_one = verbs::is_gpu(x.device()) && !x.node()->is_traced() && can_load_at(x, axes);
  return is_one && !is_unrolled(x, axes) ? verbs::reduced(x, axes) : in_turn(x, axes, false, options);
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
  return resampled(nearest ? source : verbs::widened(source), taps, options).astype(dtype);
}

}  // namespace eglantine
