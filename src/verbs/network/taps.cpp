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

bool has_few_taps(const std::vector<SpatialAxis>& axes, int64_t channels, int64_t few) {
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
  WindowPlaces windows{padded(function, x, axes, fill), {}, {}, {}};
  windows.first = layout::contiguous(windows.padded.shape());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<size_t>(first) + i;
    windows.places.push_back(axes[i].window);
    windows.steps.push_back(windows.first.strides[at] * axes[i].dilation);
    windows.first = layout::slice(windows.first, static_cast<int>(at), 0, axes[i].outputs, axes[i].stride);
  }
  return windows;
}

Layout WindowPlaces::at(int64_t number) const {
  Layout layout = first;
  for (int axis = places.rank() - 1; axis >= 0; number /= places[axis--])
    layout.offset += number % places[axis] * steps[axis];
  return layout;
}

std::vector<Tensor> taps_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                            float fill) {
  const WindowPlaces windows = window_places(function, x, axes, fill);
  std::vector<Tensor> taps;
  for (int64_t number = 0; number < windows.places.elements(); ++number)
    taps.push_back(pend(make_view(windows.padded.node(), windows.at(number))));
  return taps;
}

bool can_be_in_stencil(const Tensor& x) { return !x.node()->is_traced() && !x.node()->as<nodes::Constant>(); }

/// Other layouts may make of a window's places views that differ in more than their offsets; not of a copy, which they
/// do not show through.
bool can_be_stencil(const WindowPlaces& windows) {
  const Node& padded = *windows.padded.node();
  const auto* copy = padded.as<nodes::Elementwise>();
  return can_be_in_stencil(windows.padded) &&
         (padded.dominant.layout == nullptr || (copy != nullptr && copy->op == Op::copy));
}

Tensor combined_places(const WindowPlaces& windows, Op op) {
  if (windows.places.elements() < 2 || !can_be_stencil(windows)) return {};
  return pend(make_stencil({windows.padded.node(), nullptr, windows.first, {}, windows.places, windows.steps, op}));
}

Tensor tap_of(const Tensor& x, int64_t taps, int64_t number, const Shape& alike, const Shape& shape) {
  Layout layout = layout_of_taps(taps, alike, shape);
  layout.offset = number;
  return pend(make_view(x.node(), layout));
}

Layout layout_of_taps(int64_t taps, const Shape& alike, const Shape& shape) {
  Layout each = layout::contiguous(alike);
  for (int64_t& stride : each.strides) stride *= taps;
  return layout::expand(each, shape);
}

}  // namespace eglantine::verbs
