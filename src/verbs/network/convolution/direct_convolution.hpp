#pragma once

#include "eglantine/tensor.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/spatial.hpp"

/// Convolutions of which each result is summed by itself, not in the tiles of a contraction.
namespace eglantine::verbs {

/// x with n, and w, as what is computed with.
struct Convolution {
  Tensor x, w;
  std::vector<SpatialAxis> axes;
  int64_t groups;

  int spatial() const { return static_cast<int>(axes.size()); }
  int64_t images() const { return x.shape()[0]; }
  int64_t results() const { return w.shape()[0]; }
  int64_t channels() const { return w.shape()[1]; }  ///< of a group
  Shape windows() const { return outputs_of(axes); }
  Shape shape() const { return joined({images(), results()}, windows()); }
};

/// The convolution as products of elements, added up: where a group has so few results that tiles would be mostly
/// empty. Undefined of others. Every length is at least 1.
Tensor direct_convolution(const Convolution& c);

}  // namespace eglantine::verbs
