#include <cmath>

#include "check/check.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"

namespace eglantine::nn {

namespace {

struct Fans {
  double in, out;
};

Fans fans_of(std::string_view function, const Shape& shape) {
  if (shape.rank() < 2) check::fail<ShapeError>(function, "weights are (out, in, kernel...), got ", to_string(shape));
  double kernel = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) kernel *= static_cast<double>(shape[axis]);
  return {static_cast<double>(shape[1]) * kernel, static_cast<double>(shape[0]) * kernel};
}

Tensor within(const Shape& shape, uint64_t seed, double bound) { return uniform_(shape, seed, -bound, bound); }

}  // namespace

Tensor uniform_(Shape shape, uint64_t seed, double low, double high) {
  if (!(low <= high))
    check::fail<Error>("nn::uniform_", "low is at most high, got ", Scalar(low).text(), " and ", Scalar(high).text());
  return uniform(shape, seed) * (high - low) + low;
}

Tensor normal_(Shape shape, uint64_t seed, double mean, double deviation) {
  if (!(deviation >= 0)) check::fail<Error>("nn::normal_", "deviation is at least 0, got ", Scalar(deviation).text());
  return normal(shape, seed) * deviation + mean;
}

Tensor xavier_uniform(Shape shape, uint64_t seed, double gain) {
  const Fans fans = fans_of("nn::xavier_uniform", shape);
  return within(shape, seed, gain * std::sqrt(6 / (fans.in + fans.out)));
}

Tensor xavier_normal(Shape shape, uint64_t seed, double gain) {
  const Fans fans = fans_of("nn::xavier_normal", shape);
  return normal_(shape, seed, 0, gain * std::sqrt(2 / (fans.in + fans.out)));
}

Tensor kaiming_uniform(Shape shape, uint64_t seed) {
  return within(shape, seed, std::sqrt(6 / fans_of("nn::kaiming_uniform", shape).in));
}

Tensor kaiming_normal(Shape shape, uint64_t seed) {
  return normal_(shape, seed, 0, std::sqrt(2 / fans_of("nn::kaiming_normal", shape).in));
}

}  // namespace eglantine::nn
