#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/spatial.hpp"

namespace eglantine::verbs {

/// Convolutions the other way round: x is (n, channels, outputs...) of windows `axes` of axes that have `length`
/// elements, w (channels, results / groups, kernel...). Both are f32, i32 or u32, of one dtype.
struct TransposedConvolution {
  std::string_view function;
  Tensor x, w;
  std::vector<SpatialAxis> axes;
  int64_t groups;

  int spatial() const { return static_cast<int>(axes.size()); }
  int64_t images() const { return x.shape()[0]; }
  int64_t channels() const { return x.shape()[1] / groups; }  ///< of a group
  int64_t results() const { return w.shape()[1]; }            ///< of a group
  Shape shape() const;                                        ///< (n, results, lengths...)
};

/// out[n, o, q...] = sum over c, and p and t with p * stride + t * dilation - before = q, of x[n, c, p...] * w[c, o,
/// t...], of the channels c of o's group. Nothing is multiplied by what stands between the windows: positions with one
/// remainder by the stride meet the same places of the kernel, and are a convolution of stride 1 with those.
Tensor transposed_convolution(const TransposedConvolution& c);

}  // namespace eglantine::verbs
