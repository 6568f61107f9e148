#include "verbs/network/taps.hpp"

#include <algorithm>

#include "eglantine/ops.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine::verbs {

namespace {

Tensor padded(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes, float fill) {
  const int first = x.rank() - static_cast<int>(axes.size());
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.rank()));
  Shape wide = x.shape();
  for (size_t i = 0; i < axes.size(); ++i) {
    const int at = first + static_cast<int>(i);
    pads[static_cast<size_t>(at)] = {axes[i].before, axes[i].behind()};
    wide[at] += axes[i].before + axes[i].behind();
  }
  check::require_countable(function, wide);
  return wide == x.shape() ? x : x.pad(pads, fill);
}

}  // namespace

bool has_few_taps(const std::vector<SpatialAxis>& axes, int64_t channels) {
  constexpr int64_t few = 32;  // with their loads, what a kernel holds
  if (channels > few) return false;
  int64_t taps = channels;
  for (const SpatialAxis& axis : axes) {
    if (axis.outputs == 0 || axis.window > few) return false;
    taps *= axis.window;
  }
  return taps <= few;
}

WindowPlaces window_places(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                           float fill) {
  const int first = x.rank() - static_cast<int>(axes.size());
  WindowPlaces places{padded(function, x, axes, fill), {}};
  places.layouts.push_back(layout::contiguous(places.padded.shape()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const SpatialAxis& axis = axes[i];
    std::vector<Layout> cut;
    for (const Layout& place : places.layouts)
      for (int64_t j = 0; j < axis.window; ++j)
        cut.push_back(layout::slice(place, first + static_cast<int>(i), j * axis.dilation, axis.outputs, axis.stride));
    places.layouts = std::move(cut);
  }
  return places;
}

std::vector<Tensor> taps_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                            float fill) {
  const WindowPlaces places = window_places(function, x, axes, fill);
  std::vector<Tensor> taps;
  for (const Layout& place : places.layouts) taps.push_back(pend(make_view(places.padded.node(), place)));
  return taps;
}

Tensor tap_of(const Tensor& x, int64_t taps, int64_t number, const Shape& alike, const Shape& shape) {
  Layout each = layout::contiguous(alike, number);
  for (int64_t& stride : each.strides) stride *= taps;
  return pend(make_view(x.node(), layout::expand(each, shape)));
}

}  // namespace eglantine::verbs
