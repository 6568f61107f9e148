#include "verbs/network/convolution/transposed_sums.hpp"

#include <algorithm>

#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/convolution/volume_groups.hpp"
#include "verbs/network/taps.hpp"

namespace eglantine::verbs {

namespace {

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
  std::vector<int64_t> counts, steps;
  Axes along;
  for (size_t k = 0; k < part.size(); ++k) {
    const Residues& r = part[k];
    const int at = first + static_cast<int>(k);
    w = w.slice(at, r.last - (r.taps - 1) * r.apart, r.last + r.count);
    along.push_back(at);
    counts.push_back(r.count);
    steps.push_back(r.apart);
  }
  return windows(w, along, counts, steps).flip(along);
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

Shape taps_of(const Part& part) {
  Shape taps;
  for (const Residues& r : part) taps.push_back(r.taps);
  return taps;
}

}  // namespace

Tensor sums_of_all(const TransposedConvolution& c, const Part& part) {
  const int s = c.spatial();
  const Tensor x = met_windows(c, c.x, part), w = met_weights(c, c.w, part);
  return contraction(w.permute(remainders_first(w.rank(), s, 0)), x.permute(channels_behind_windows(x.rank(), 2, s)), 0,
                     1 + s, 1 + s, interleaved({1 + s, 0}, 1, 2 + s, s));
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

Tensor sums_of_volume_groups(const TransposedConvolution& c, const Part& part) {
  const Shape of_x = lengths_from(c.x.shape(), 2), kernel = lengths_from(c.w.shape(), 2);
  const Tensor x = c.x.reshape(joined({c.images(), c.groups, c.channels()}, of_x));
  Tensor w = c.w.reshape(joined({c.groups, c.channels(), c.results()}, kernel));
  std::vector<SpatialAxis> axes;
  for (size_t k = 0; k < part.size(); ++k) {
    const Residues& r = part[k];
    const int at = 3 + static_cast<int>(k);
    axes.push_back({.axis = 2 + static_cast<int>(k),
                    .length = of_x[static_cast<int>(k)],
                    .window = r.taps,
                    .dilation = r.step,
                    .before = -r.shift,
                    .outputs = r.places});
    w = w.slice(at, r.last - (r.taps - 1) * r.apart, r.last + 1, r.apart).flip({at});
  }
  return sums_of_volumes(c.function, x, w.permute({0, 2, 1, 3, 4, 5}), axes);
}

Tensor sums_of_channels(const TransposedConvolution& c, const Part& part) {
  const int s = c.spatial();
  Shape windows{c.images(), c.groups}, weights{1, c.groups}, all = windows;
  Axes order{0};
  for (int k = 0; k < s; ++k) order.push_back(1 + s + k);
  for (int k = 0; k < s; ++k) order.push_back(1 + k);
  for (const Residues& r : part) {
    for (int64_t length : {r.places, int64_t{1}}) windows.push_back(length);
    for (int64_t length : {int64_t{1}, r.count}) weights.push_back(length);
    for (int64_t length : {r.places, r.count}) all.push_back(length);
  }
  const Tensor x = met_windows(c, c.x, part), w = met_weights(c, c.w.squeeze({1}), part).permute(order);
  const int64_t taps = taps_of(part).elements();
  if (taps > 1 && can_be_in_stencil(x) && can_be_in_stencil(w))
    return pend(make_stencil(
        {x.node(), w.node(), layout_of_taps(taps, windows, all), layout_of_taps(taps, weights, all), {taps}, {1}}));
  Tensor sums;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const Tensor read = tap_of(x, taps, tap, windows, all), weight = tap_of(w, taps, tap, weights, all);
    sums = sums.defined() ? plus_product(sums, read, weight) : read * weight;
  }
  return sums;
}

SpreadElements::SpreadElements(const TransposedConvolution& c, const std::vector<Part>& parts)
    : kernel_(lengths_from(c.w.shape(), 2)), images_(c.images()), results_(c.groups * c.results()) {
  Tensor x = c.x;
  std::vector<std::pair<int64_t, int64_t>> pads(2);
  for (size_t k = 0; k < c.axes.size(); ++k) {
    int64_t start = c.axes[k].outputs, stop = 0;
    for (const Part& part : parts) {
      start = std::min(start, part[k].shift);
      stop = std::max(stop, part[k].shift + part[k].windows());
    }
    const int at = 2 + static_cast<int>(k);
    pads.emplace_back(std::max<int64_t>(-start, 0), std::max<int64_t>(stop - x.shape()[at], 0));
    x = x.slice(at, std::max<int64_t>(start, 0), std::min(stop, x.shape()[at]));
    first_.push_back(start);
    elements_.push_back(stop - start);
  }
  const Tensor w = c.w.reshape({c.groups, c.channels(), c.results() * kernel_.elements()}).transpose(1, 2);
  products_ = matmul(w, x.pad(pads).reshape({c.images(), c.groups, c.channels(), elements_.elements()}));
}

Tensor SpreadElements::sums(const Part& part) const {
  const Layout places = layout::contiguous(kernel_), elements = layout::contiguous(elements_);
  const Shape taps = taps_of(part);
  const int64_t of_result = kernel_.elements() * elements_.elements();
  Layout at{{images_, results_}, {results_ * of_result, of_result}, 0};
  std::vector<int64_t> of_taps;
  for (size_t k = 0; k < part.size(); ++k) {
    const Residues& r = part[k];
    const int64_t place = places.strides[k] * elements_.elements(), element = elements.strides[k];
    for (int64_t length : {r.places, r.count}) at.shape.push_back(length);
    for (int64_t stride : {element, place}) at.strides.push_back(stride);
    at.offset += (r.shift - first_[k]) * element + r.last * place;
    of_taps.push_back(r.step * element - r.apart * place);
  }
  Tensor sums;
  for (int64_t tap = 0; tap < taps.elements(); ++tap) {
    Layout layout = at;
    for (int64_t k = taps.rank() - 1, number = tap; k >= 0; number /= taps[static_cast<int>(k)], --k)
      layout.offset += number % taps[static_cast<int>(k)] * of_taps[static_cast<size_t>(k)];
    const Tensor product = pend(make_view(products_.node(), layout));
    sums = sums.defined() ? sums + product : product;
  }
  return sums;
}

}  // namespace eglantine::verbs
