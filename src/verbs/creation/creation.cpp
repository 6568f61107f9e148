#include <cmath>

#include "verbs/build.hpp"

/// Creation: constants, and functions of the element's number. Nothing is stored before it is read.
namespace eglantine {

using verbs::iota;

namespace {

Tensor constant(std::string_view function, const Shape& shape, Scalar value, DType dtype, const Device& device) {
  check::require_countable(function, shape);
  check::require_dtype(function, dtype);
  return Tensor(make_constant(device.state(), dtype, shape, value.bits(dtype, function)));
}

/// A number of arange as what computes: for integer dtypes, whole numbers in range only.
Scalar element(double value, DType dtype) {
  Scalar(value).bits(dtype, "arange");
  if (is_float(dtype)) return value;
  return static_cast<int64_t>(value);
}

/// ceil((stop - start) / step), at least 0.
int64_t steps_between(double start, double stop, double step) {
  if (step == 0) check::fail<Error>("arange", "a step of 0 never reaches the stop");
  if (!std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
    check::fail<Error>("arange", "start, stop and step must be finite, got ", Scalar(start).text(), ", ",
                       Scalar(stop).text(), ", ", Scalar(step).text());
  const double count = std::ceil((stop - start) / step);
  if (count > 0x1p53)
    check::fail<ShapeError>("arange", "from ", Scalar(start).text(), " to ", Scalar(stop).text(), " by ",
                            Scalar(step).text(), " has too many elements");
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

}  // namespace

Tensor zeros(Shape shape, DType dtype, const Device& device) { return constant("zeros", shape, 0, dtype, device); }
Tensor ones(Shape shape, DType dtype, const Device& device) { return constant("ones", shape, 1, dtype, device); }
Tensor full(Shape shape, Scalar value, DType dtype, const Device& device) {
  return constant("full", shape, value, dtype, device);
}
Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype(), x.device()); }
Tensor ones_like(const Tensor& x) { return ones(x.shape(), x.dtype(), x.device()); }
Tensor full_like(const Tensor& x, Scalar value) {
  return constant("full_like", x.shape(), value, x.dtype(), x.device());
}

Tensor arange(double start, double stop, double step, DType dtype, const Device& device) {
  check::require_types("arange", Types::numeric, dtype);
  const int64_t count = steps_between(start, stop, step);
  if (count > int64_t{1} << 32)
    check::fail<ShapeError>("arange", std::to_string(count), " elements are more than 2^32");
  Scalar(stop).bits(is_float(dtype) ? dtype : DType::f32, "arange");
  // u32 and i32 arithmetic wrap alike, so a negative step needs no other kernel.
  const bool falls = dtype == DType::u32 && step < 0;
  const DType computed = computed_type(dtype);
  const Scalar first = element(start, dtype), stride = element(falls ? -step : step, computed);
  if (count == 0) return zeros({0}, dtype, device);
  // Beyond 2^53 the sum is rounded, and fits no integer dtype either way.
  if (!is_float(dtype)) element(start + static_cast<double>(count - 1) * step, dtype);
  const Tensor i = iota(device, {count}).astype(computed);
  return (falls ? first - i * stride : first + i * stride).astype(dtype);
}

}  // namespace eglantine
