#include "verbs/network/convolution/volume_groups.hpp"

#include <algorithm>

#include "eglantine/ops.hpp"
#include "layout/divide.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"

namespace eglantine::verbs {

namespace {

using SpatialAxes = std::vector<SpatialAxis>;

/// windows_of() where the first and the last elements may be in no window.
Tensor windows_from(std::string_view function, Tensor x, SpatialAxes axes) {
  const int first = x.rank() - static_cast<int>(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    SpatialAxis& axis = axes[k];
    const int64_t start = std::max<int64_t>(0, -axis.before), stop = std::min(axis.length, axis.span() - axis.before);
    if (stop - start < axis.length) x = x.slice(first + static_cast<int>(k), start, stop);
    axis.length = stop - start;
    axis.before += start;
  }
  return windows_of(function, x, axes);
}

/// Of one image: x (groups, channels, spatial...).
Tensor sums_of_image(std::string_view function, const Tensor& x, const Tensor& w, const SpatialAxes& axes) {
  const Tensor view = windows_from(function, x, axes);  // (groups, channels, windows..., kernel...)
  return contraction(w, view.permute({0, 2, 3, 4, 1, 5, 6, 7}), 1, 1, 3, {0, 1, 2, 3, 4});
}

Tensor image_by_image(std::string_view function, const Tensor& x, const Tensor& w, const SpatialAxes& axes) {
  std::vector<Tensor> images;
  for (const Tensor& image : split(x, x.shape()[0], 0))
    images.push_back(sums_of_image(function, image.squeeze({0}), w, axes).unsqueeze(0));
  return images.size() == 1 ? images.front() : concatenate(images, 0);
}

Tensor group_by_group(std::string_view function, const Tensor& x, const Tensor& w, const SpatialAxes& axes) {
  const std::vector<Tensor> parts = split(x, x.shape()[1], 1), weights = split(w, w.shape()[0], 0);
  std::vector<Tensor> sums;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Tensor view = windows_from(function, parts[i].squeeze({1}), axes);  // (n, channels, windows..., kernel...)
    const Tensor sum = contraction(weights[i].squeeze({0}), view.permute(channels_behind_windows(view.rank(), 2, 3)), 0,
                                   1, 4, {1, 0, 2, 3, 4});
    sums.push_back(sum.unsqueeze(1));
  }
  return concatenate(sums, 1);
}

/// The places of the kernel along its first axis are added up, in order.
Tensor place_by_place(std::string_view function, const Tensor& x, const Tensor& w, const SpatialAxes& axes) {
  Tensor result;
  for (int64_t place = 0; place < axes[0].window; ++place) {
    const Tensor there = at_place(x, 3, axes[0], place);
    if (!there.defined()) continue;
    const Tensor view = windows_from(function, there, {axes[1], axes[2]});  // (n, groups, channels, windows..., ...)
    const Tensor sum = contraction(w.slice(3, place, place + 1).squeeze({3}), view.permute({1, 0, 3, 4, 5, 2, 6, 7}), 1,
                                   1, 4, {2, 0, 1, 3, 4, 5});
    result = result.defined() ? result + sum : sum;
  }
  if (result.defined()) return result;
  return zeros(verbs::joined({x.shape()[0], w.shape()[0], w.shape()[1]}, outputs_of(axes)), x.dtype(), x.device());
}

}  // namespace

Tensor at_place(const Tensor& x, int axis, const SpatialAxis& windows, int64_t place) {
  const int64_t first = place * windows.dilation - windows.before, length = x.shape()[axis];
  const int64_t start = first >= 0 ? 0 : ceil_divide(-first, windows.stride),
                stop = first >= length ? 0 : std::min(windows.outputs, (length - 1 - first) / windows.stride + 1);
  if (start >= stop) return {};
  const Tensor some =
      x.slice(axis, first + start * windows.stride, first + (stop - 1) * windows.stride + 1, windows.stride);
  if (stop - start == windows.outputs) return some;
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.rank()));
  pads[static_cast<size_t>(axis)] = {start, windows.outputs - stop};
  return some.pad(pads, 0);
}

Tensor sums_of_volumes(std::string_view function, const Tensor& x, const Tensor& w, const SpatialAxes& axes) {
  const int64_t images = x.shape()[0], groups = x.shape()[1], places = axes[0].window;
  if (images <= std::min(groups, places)) return image_by_image(function, x, w, axes);
  return places < groups ? place_by_place(function, x, w, axes) : group_by_group(function, x, w, axes);
}

}  // namespace eglantine::verbs
