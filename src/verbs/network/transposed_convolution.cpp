#include "verbs/network/transposed_convolution.hpp"

#include <algorithm>

#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/convolution_parts.hpp"
#include "verbs/network/residues.hpp"

namespace eglantine::verbs {

namespace {

/// A part of each axis's positions.
using Part = std::vector<Residues>;

/// x's windows for a part's positions: (n, channels, places..., taps...). x may have its channels in two axes.
Tensor met_windows(const TransposedConvolution& c, Tensor x, const Part& part) {
  const int first = x.rank() - c.spatial();
  std::vector<SpatialAxis> axes;
  for (size_t k = 0; k < part.size(); ++k) {
    const Residues& r = part[k];
    const int at = first + static_cast<int>(k);
    const int64_t start = std::max<int64_t>(r.shift, 0), stop = std::min(r.shift + r.windows(), x.shape()[at]);
    if (stop - start < x.shape()[at]) x = x.slice(at, start, stop);
    axes.push_back({.axis = at,
                    .length = stop - start,
                    .window = r.taps,
                    .dilation = r.step,
                    .before = start - r.shift,
                    .outputs = r.places});
  }
  return windows_of(c.function, x, axes);
}

/// What positions of a part multiply windows by: w's spatial axes, its last, become (..., taps..., remainders...).
Tensor met_weights(const TransposedConvolution& c, Tensor w, const Part& part) {
  const int first = w.rank() - c.spatial();
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(w.rank()));
  std::vector<int64_t> counts, steps;
  Axes along;
  for (size_t k = 0; k < part.size(); ++k) {
    const Residues& r = part[k];
    const int at = first + static_cast<int>(k);
    const int64_t begin = r.last - (r.taps - 1) * r.apart, end = r.last + r.count;
    pads[static_cast<size_t>(at)] = {std::max<int64_t>(-begin, 0), std::max<int64_t>(end - w.shape()[at], 0)};
    w = w.slice(at, std::max<int64_t>(begin, 0), std::min(end, w.shape()[at]));
    along.push_back(at);
    counts.push_back(r.count);
    steps.push_back(r.apart);
  }
  const bool whole = std::all_of(pads.begin(), pads.end(), [](const auto& pad) { return pad.first == 0 && pad.second == 0; });
  return windows(whole ? w : w.pad(pads, 0), along, counts, steps).flip(along);
}

/// Axes [0, rank) of which those of (..., taps..., remainders...) become (..., remainders..., taps...), with the
/// channels, axis `channels`, before the taps.
Axes remainders_first(int rank, int spatial, int channels) {
  Axes order;
  for (int i = 0; i < rank - 2 * spatial; ++i)
    if (i != channels) order.push_back(i);
  for (int i = rank - spatial; i < rank; ++i) order.push_back(i);
  order.push_back(channels);
  for (int i = rank - 2 * spatial; i < rank - spatial; ++i) order.push_back(i);
  return order;
}

/// The order (front..., places, remainders, places, remainders...) of results that have remainders from `remainders`
/// on, and places from `places` on.
Axes interleaved(Axes front, int remainders, int places, int spatial) {
  for (int k = 0; k < spatial; ++k) {
    front.push_back(places + k);
    front.push_back(remainders + k);
  }
  return front;
}

// The sums at a part's positions: (n, results, places, remainders, places, remainders...), or of groups (n, group,
// results...).

Tensor sums_of_all(const TransposedConvolution& c, const Part& part) {
  const int s = c.spatial();
  const Tensor x = met_windows(c, c.x, part), w = met_weights(c, c.w, part);
  return contraction(w.permute(remainders_first(w.rank(), s, 0)),
                     x.permute(channels_behind_windows(x.rank(), 2, s)), 0, 1 + s, 1 + s,
                     interleaved({1 + s, 0}, 1, 2 + s, s));
}

Tensor sums_of_groups(const TransposedConvolution& c, const Part& part) {
  const int s = c.spatial();
  const Shape outputs = lengths_from(c.x.shape(), 2), kernel = lengths_from(c.w.shape(), 2);
  const Tensor x = met_windows(c, c.x.reshape(joined({c.images(), c.groups, c.channels()}, outputs)), part),
               w = met_weights(c, c.w.reshape(joined({c.groups, c.channels(), c.results()}, kernel)), part);
  Axes moved = channels_behind_windows(x.rank(), 3, s);
  std::swap(moved[0], moved[1]);
  return contraction(w.permute(remainders_first(w.rank(), s, 1)), x.permute(moved), 1, 1 + s, 1 + s,
                     interleaved({2 + s, 0, 1}, 2, 3 + s, s));
}

/// One channel and one result in each group: sums over windows. With more than two spatial axes, of one remainder each.
Tensor sums_of_channels(const TransposedConvolution& c, const Part& part) {
  const int s = c.spatial();
  const bool flat = s > 2;
  const Tensor x = met_windows(c, c.x, part), w = met_weights(c, c.w.squeeze({1}), part);
  Shape windows{c.images(), c.groups}, weights{1, c.groups}, shape{c.images(), c.groups};
  Axes order{0}, summed;
  for (int k = 0; k < s; ++k) {
    windows.push_back(part[static_cast<size_t>(k)].places);
    weights.push_back(1);
    if (!flat) {
      order.push_back(1 + s + k);
      windows.push_back(1);
      weights.push_back(part[static_cast<size_t>(k)].count);
    }
    shape.push_back(part[static_cast<size_t>(k)].places);
    shape.push_back(part[static_cast<size_t>(k)].count);
  }
  for (int k = 0; k < s; ++k) {
    order.push_back(1 + k);
    summed.push_back(windows.rank());
    windows.push_back(part[static_cast<size_t>(k)].taps);
    weights.push_back(part[static_cast<size_t>(k)].taps);
  }
  if (flat)
    for (int k = 0; k < s; ++k) order.push_back(1 + s + k);
  return sum(x.reshape(windows) * w.permute(order).reshape(weights), summed).reshape(shape);
}

using Sums = Tensor (*)(const TransposedConvolution& c, const Part& part);

/// Where a part's sums lie in the result.
Layout places_in_result(const TransposedConvolution& c, const Shape& sums, const Part& part) {
  const Layout whole = layout::contiguous(c.shape());
  Layout at{sums, {}, 0};
  const int fronts = sums.rank() - 2 * c.spatial();
  at.strides.push_back(whole.strides[0]);
  if (fronts == 3) at.strides.push_back(whole.strides[1] * c.results());
  at.strides.push_back(whole.strides[1]);
  for (size_t k = 0; k < part.size(); ++k) {
    at.strides.push_back(whole.strides[k + 2] * c.axes[k].stride);
    at.strides.push_back(whole.strides[k + 2]);
    at.offset += whole.strides[k + 2] * part[k].first;
  }
  return at;
}

/// Every combination of parts of each axis.
std::vector<Part> combinations(const std::vector<Part>& of_axes) {
  std::vector<Part> all{{}};
  for (const Part& of_axis : of_axes) {
    std::vector<Part> longer;
    for (const Part& part : all)
      for (const Residues& r : of_axis) {
        longer.push_back(part);
        longer.back().push_back(r);
      }
    all = std::move(longer);
  }
  return all;
}

int64_t positions_of(const Part& part) {
  int64_t positions = 1;
  for (const Residues& r : part) positions *= r.positions();
  return positions;
}

/// The parts in their places.
Tensor placed_sums(const TransposedConvolution& c, const std::vector<Part>& parts, Sums sums) {
  const int64_t all = c.shape().elements() / (c.shape()[0] * c.shape()[1]);
  int64_t covered = 0;
  nodes::Placement placement;
  for (const Part& part : parts) {
    const Tensor piece = sums(c, part);
    if (positions_of(part) == all) return piece.reshape(c.shape());
    covered += positions_of(part);
    placement.regions.push_back(places_in_result(c, piece.shape(), part));
    placement.pieces.push_back(piece.node());
  }
  if (placement.pieces.empty()) return zeros(c.shape(), c.x.dtype(), c.x.device());
  if (covered < all) placement.fill = 0;
  return pend(make_placement(c.shape(), c.x.dtype(), c.x.node()->device, std::move(placement)));
}

Tensor without_waste(const TransposedConvolution& c, Sums sums, bool singly = false) {
  std::vector<Part> of_axes;
  for (const SpatialAxis& axis : c.axes)
    of_axes.push_back(singly ? one_by_one(without_waste(axis)) : without_waste(axis));
  return placed_sums(c, combinations(of_axes), sums);
}

/// Sums over windows as one kernel, where some places of the kernel may count as 0.
Tensor depthwise(const TransposedConvolution& c) {
  if (c.spatial() > 2) return without_waste(c, sums_of_channels, true);
  Part all;
  Shape whole{c.images(), c.groups};
  std::vector<std::pair<int64_t, int64_t>> kept{{0, c.images()}, {0, c.groups}};
  for (const SpatialAxis& axis : c.axes) {
    if (axis.dilation > 1 && axis.stride > 1) return without_waste(c, sums_of_channels);
    all.push_back(all_together(axis));
    if (!all.back().meets(axis.outputs)) return zeros(c.shape(), c.x.dtype(), c.x.device());
    whole.push_back(all.back().positions());
    kept.emplace_back(0, axis.length);
  }
  const Tensor result = sums_of_channels(c, all).reshape(whole);
  return whole == c.shape() ? result : result.crop(kept);
}

/// A product of matrices in memory.
bool is_product(const TransposedConvolution& c) {
  return c.groups == 1 && std::all_of(c.axes.begin(), c.axes.end(), [](const SpatialAxis& axis) {
           return axis.window == 1 && axis.stride == 1 && axis.outputs == axis.length && axis.before == 0;
         });
}

Tensor product(const TransposedConvolution& c) {
  const int64_t places = outputs_of(c.axes).elements();
  return matmul(c.w.reshape({c.channels(), c.results()}).transpose(0, 1),
                c.x.reshape({c.images(), c.channels(), places}))
      .reshape(c.shape());
}

/// More axes than a tensor has: each group by itself.
Tensor each_group(const TransposedConvolution& c) {
  const std::vector<Tensor> x = split(c.x, c.groups, 1), w = split(c.w, c.groups, 0);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < x.size(); ++i)
    parts.push_back(without_waste({c.function, x[i], w[i], c.axes, 1}, sums_of_all));
  return concatenate(parts, 1);
}

}  // namespace

Shape TransposedConvolution::shape() const {
  Shape whole{images(), groups * results()};
  for (const SpatialAxis& axis : axes) whole.push_back(axis.length);
  return whole;
}

Tensor transposed_convolution(const TransposedConvolution& given) {
  if (given.shape().elements() == 0 || given.x.size() == 0)
    return zeros(given.shape(), given.x.dtype(), given.x.device());
  if (is_product(given)) return product(given);
  if (given.groups > 1 && given.channels() == 1 && given.results() == 1) return depthwise(given);
  TransposedConvolution c = given;
  for (SpatialAxis& axis : c.axes) axis = with_own_residues(axis);
  if (c.groups == 1) return without_waste(c, sums_of_all);
  return c.spatial() < 3 ? without_waste(c, sums_of_groups) : each_group(c);
}

}  // namespace eglantine::verbs
