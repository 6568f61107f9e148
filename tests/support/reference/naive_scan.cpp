#include <cmath>
#include <limits>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

/// The smallest, or largest, value of a dtype.
double extreme_of(DType dtype, bool lowest) {
  if (is_float(dtype)) return lowest ? -std::numeric_limits<double>::infinity() : HUGE_VAL;
  if (dtype == DType::i32) return lowest ? -2147483648.0 : 2147483647.0;
  if (dtype == DType::i8) return lowest ? -128 : 127;
  if (dtype == DType::u8) return lowest ? 0 : 255;
  return lowest ? 0.0 : dtype == DType::u32 ? 4294967295.0 : 1.0;
}

}  // namespace

DType counted(DType dtype) { return is_float(dtype) || dtype == DType::u32 ? dtype : DType::i32; }

double product(DType dtype, double a, double b) {
  if (is_float(dtype)) return a * b;
  const auto bits = [](double v) { return static_cast<uint32_t>(static_cast<int64_t>(v)); };
  return as_element(dtype, static_cast<double>(bits(a) * bits(b)));
}

Array scan(const Array& x, Axis axis, ScanWay way, DType result, double start,
           const std::function<double(double, double)>& combine) {
  const auto along = static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  const int64_t length = x.shape[along];
  int64_t step = 1;
  for (size_t i = along + 1; i < x.shape.size(); ++i) step *= x.shape[i];
  Array y{result, x.shape, x.values};
  for (int64_t row = 0; length > 0 && row < x.size() / length; ++row) {
    const int64_t first = row / step * step * length + row % step;
    double before = start;
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<size_t>(first + (way.reverse ? length - 1 - i : i) * step);
      const double next = i == 0 ? x.values[at] : combine(before, x.values[at]);
      y.values[at] = way.exclusive ? before : next;
      before = next;
    }
  }
  return y;
}

Array cumsum(const Array& x, Axis axis, ScanWay way) {
  const DType dtype = counted(x.dtype);
  return scan(x, axis, way, dtype, 0,
              [=](double a, double b) { return is_float(dtype) ? a + b : as_element(dtype, a + b); });
}

Array cumprod(const Array& x, Axis axis, ScanWay way) {
  const DType dtype = counted(x.dtype);
  return scan(x, axis, way, dtype, 1,
              [=](double a, double b) { return is_float(dtype) ? a * b : product(dtype, a, b); });
}

Array cummax(const Array& x, Axis axis, ScanWay way) {
  return scan(x, axis, way, x.dtype, extreme_of(x.dtype, true),
              [](double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b); });
}

Array cummin(const Array& x, Axis axis, ScanWay way) {
  return scan(x, axis, way, x.dtype, extreme_of(x.dtype, false),
              [](double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b); });
}

}  // namespace eglantine::test::naive
