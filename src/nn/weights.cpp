#include "nn/weights.hpp"

#include <cmath>

#include "check/check.hpp"
#include "eglantine/layers.hpp"

namespace eglantine::nn::weights {

void require_positive(std::string_view layer, std::string_view what, int64_t count) {
  if (count < 1) check::fail<ShapeError>(layer, what, " is at least 1, got ", std::to_string(count));
}

Tensor within(const Shape& shape, uint64_t seed, int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return uniform_(shape, seed, -bound, bound).eval();
}

}  // namespace eglantine::nn::weights
