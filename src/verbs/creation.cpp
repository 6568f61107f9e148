#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Creation: constants, and functions of the element's number. Nothing is stored before it is read.
namespace eglantine {

namespace {

Tensor constant(std::string_view function, const Shape& shape, Scalar value, DType dtype, const Device& device) {
  check::require_countable(function, shape);
  check::require_dtype(function, dtype);
  return Tensor(make_constant(device.state(), dtype, shape, value.bits(dtype, function)));
}

/// The element's row-major number, as u32.
Tensor number(const Device& device, const Shape& shape) { return Tensor(make_iota(device.state(), shape)); }

/// A bound of arange as an element: for integer dtypes, whole numbers in range only.
Scalar element(double value, DType dtype) {
  Scalar(value).bits(dtype, "arange");
  if (dtype == DType::f32) return value;
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

/// Random words: word i mod 4 of counter i / 4.
Tensor random_words(Op stream, const Tensor& counter, uint64_t seed) {
  const DevicePtr& device = counter.node()->device;
  const NodePtr low = make_constant(device, DType::u32, counter.shape(), static_cast<uint32_t>(seed));
  const NodePtr high = make_constant(device, DType::u32, counter.shape(), static_cast<uint32_t>(seed >> 32));
  return pend(make_elementwise(stream, DType::u32, {counter.node(), low, high}));
}

void require_f32(std::string_view function, DType dtype) { check::require_types(function, Types::real, dtype); }

/// The counter numbers elements with 32 bits; larger tensors would repeat.
void require_numbered(std::string_view function, const Shape& shape) {
  check::require_countable(function, shape);
  if (shape.elements() > int64_t{1} << 32)
    check::fail<ShapeError>(function, to_string(shape),
                            " has more than 2^32 elements; concatenate parts of different seeds");
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

Tensor eye(int64_t n, int64_t m, DType dtype, const Device& device) {
  if (n < 0) check::fail<ShapeError>("eye", "a negative number of rows: ", std::to_string(n));
  if (m < -1)
    check::fail<ShapeError>("eye", "a negative number of columns: ", std::to_string(m), "; -1 means as many as rows");
  if (m == -1) m = n;
  check::require_dtype("eye", dtype);
  check::require_countable("eye", {n, m});
  if (std::max(n, m) > int64_t{1} << 32)
    check::fail<ShapeError>("eye", to_string(Shape{n, m}), " has an axis longer than 2^32");
  const Tensor rows = number(device, {n}).unsqueeze(1), columns = number(device, {m});
  return eq(rows, columns).astype(dtype);
}

Tensor arange(double start, double stop, double step, DType dtype, const Device& device) {
  check::require_types("arange", Types::numeric, dtype);
  const int64_t count = steps_between(start, stop, step);
  if (count > int64_t{1} << 32)
    check::fail<ShapeError>("arange", std::to_string(count), " elements are more than 2^32");
  element(stop, dtype == DType::f32 ? dtype : DType::f32);
  const Scalar first = element(start, dtype);
  if (count == 0) return zeros({0}, dtype, device);
  // u32 and i32 arithmetic wrap alike, so a negative step needs no other kernel.
  const Tensor i = number(device, {count});
  if (dtype == DType::u32 && step < 0) return first - i * element(-step, dtype);
  return first + i.astype(dtype) * element(step, dtype);
}

Tensor linspace(double start, double stop, int64_t count, DType dtype, const Device& device) {
  require_f32("linspace", dtype);
  if (count < 0) check::fail<ShapeError>("linspace", "a negative count: ", std::to_string(count));
  if (count > int64_t{1} << 32)
    check::fail<ShapeError>("linspace", std::to_string(count), " elements are more than 2^32");
  if (!std::isfinite(start) || !std::isfinite(stop))
    check::fail<Error>("linspace", "start and stop must be finite, got ", Scalar(start).text(), " and ",
                       Scalar(stop).text());
  for (double end : {start, stop}) Scalar(end).bits(dtype, "linspace");
  if (count <= 1) return full({count}, start, dtype, device);
  const Tensor i = number(device, {count});
  const double steps = static_cast<double>(count - 1);
  // Where the distance overflows f32, both ends are weighted instead.
  const Tensor at = i.astype(dtype);
  const Tensor line = std::abs(stop - start) <= std::numeric_limits<float>::max()
                          ? at * ((stop - start) / steps) + start
                          : (1.0 - at / steps) * start + at / steps * stop;
  return where(eq(i, static_cast<uint32_t>(count - 1)), stop, line);
}

Tensor uniform(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_f32("uniform", dtype);
  require_numbered("uniform", shape);
  return pend(make_elementwise(Op::uniform_from_bits, dtype,
                               {random_words(Op::philox, number(device, shape), seed).node(), nullptr, nullptr}));
}

Tensor normal(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_f32("normal", dtype);
  require_numbered("normal", shape);
  if (shape.elements() > int64_t{1} << 31)
    check::fail<ShapeError>("normal", to_string(shape), " has more than 2^31 elements, and each takes two words");
  // Element i takes words 2i and 2i + 1: no word is used twice.
  const Tensor first = number(device, shape) * 2U;
  const Tensor radius = random_words(Op::philox_normal, first, seed);
  const Tensor angle = random_words(Op::philox_normal, first + 1U, seed);
  return pend(make_elementwise(Op::normal_from_bits, dtype, {radius.node(), angle.node(), nullptr}));
}

}  // namespace eglantine
