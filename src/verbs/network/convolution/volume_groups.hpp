#pragma once

#include <string_view>
#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/spatial.hpp"

/// Groups of convolutions over three spatial axes: with images, channels and the places of the kernel they have nine
/// axes, one more than a tensor.
namespace eglantine::verbs {

/// Sums (n, groups, results, windows...) of x (n, groups, channels, spatial...) and w (groups, results, channels,
/// kernel...). axes: the three spatial ones; `before` may be negative: the first elements are in no window. One
/// contraction for an image; of several a contraction for each, or for each group, or for each place of the kernel
/// along its first axis, whichever are fewest.
Tensor sums_of_volumes(std::string_view function, const Tensor& x, const Tensor& w,
                       const std::vector<SpatialAxis>& axes);

/// What windows along one axis have at a place of theirs, in the order of the windows: x with that axis as long as
/// there are windows, padded with 0. Undefined where no window has an element there.
Tensor at_place(const Tensor& x, int axis, const SpatialAxis& windows, int64_t place);

}  // namespace eglantine::verbs
