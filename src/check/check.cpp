#include "check/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "eglantine/scalar.hpp"

namespace eglantine::check {

namespace {

/// Keeps bytes and offsets within 64 bits.
constexpr int64_t most_elements = std::numeric_limits<int64_t>::max() / 16;
constexpr int64_t most_i32 = std::numeric_limits<int32_t>::max();

std::string rank_text(int rank) { return "a tensor of rank " + std::to_string(rank); }

std::string_view wanted(Types types) {
  static constexpr std::array<std::string_view, 7> names{
      "f32, f16 or bf16", "any dtype but boolean", "i32, u32, i8 or u8", "any dtype", "boolean", "any dtype", "u32"};
  return names[static_cast<size_t>(types)];
}

}  // namespace

int axis_in(std::string_view function, int64_t axis, int rank) {
  if (rank == 0) fail<ShapeError>(function, "axis ", std::to_string(axis), " of a scalar, which has no axes");
  if (axis < -rank || axis >= rank)
    fail<ShapeError>(function, "axis ", std::to_string(axis), " is out of range for ", rank_text(rank),
                     ": it must lie in [", std::to_string(-rank), ", ", std::to_string(rank - 1), "]");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int axis_of(std::string_view function, int64_t axis, const Shape& shape) {
  return axis_in(function, axis, shape.rank());
}

int i32_axis_of(std::string_view function, int64_t axis, const Shape& shape) {
  const int along = axis_of(function, axis, shape);
  if (shape[along] > most_i32)
    fail<ShapeError>(function, "axis ", std::to_string(along), " of ", to_string(shape),
                     " is longer than i32 places reach, 2^31 - 1; work on slices of it");
  return along;
}

Axes axes_of(std::string_view function, const Axes& axes, const Shape& shape) {
  Axes result;
  if (axes.empty())
    for (int i = 0; i < shape.rank(); ++i) result.push_back(i);
  for (int64_t axis : axes) {
    const int found = axis_of(function, axis, shape);
    if (result.contains(found))
      fail<ShapeError>(function, "axis ", std::to_string(axis), " is named twice in ", to_string(axes), " for shape ",
                       to_string(shape));
    result.push_back(found);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void require_countable(std::string_view function, const Shape& shape) {
  bool empty = false, too_many = false;
  int64_t count = 1;
  for (int64_t length : shape) {
    if (length < 0) fail<ShapeError>(function, "shape ", to_string(shape), " has a negative length");
    empty = empty || length == 0;
    too_many = too_many || __builtin_mul_overflow(count, length, &count) || count > most_elements;
  }
  if (too_many && !empty)
    fail<ShapeError>(function, "shape ", to_string(shape), " has more elements than memory can be addressed for");
}

int64_t elements_of(std::string_view function, const Shape& shape) {
  require_countable(function, shape);
  return shape.elements();
}

void require_i32_count(std::string_view function, const Shape& shape) {
  if (shape.elements() > most_i32)
    fail<ShapeError>(function, to_string(shape), " has more elements than i32 counts, 2^31 - 1; work on parts of it");
}

void require_dtype(std::string_view function, DType dtype) {
  if (dtype > DType::u8)
    fail<DTypeError>(function, std::to_string(static_cast<int>(dtype)),
                     " is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8");
}

void require_types(std::string_view function, Types types, DType dtype) {
  require_dtype(function, dtype);
  if (takes(types, dtype)) return;
  fail<DTypeError>(function, "takes ", wanted(types), ", got ", name_of(dtype), "; convert with astype");
}

DType common_dtype(std::string_view function, DType a, DType b) {
  if (a == b || b == DType::boolean) return a;
  if (a == DType::boolean) return b;
  if (is_float(a) || is_float(b)) return is_float(a) && is_float(b) ? DType::f32 : is_float(a) ? a : b;
  // Where one is signed and the other is not, i32 holds both, unless one is u32.
  if (a != DType::u32 && b != DType::u32) return DType::i32;
  if (a == DType::u8 || b == DType::u8) return DType::u32;
  fail<DTypeError>(function, "no dtype holds both ", name_of(a), " and ", name_of(b), "; convert one with astype");
}

void require_converts(std::string_view function, DType from, DType to) {
  if (common_dtype(function, to, from) != to)
    fail<DTypeError>(function, name_of(from), " does not become ", name_of(to), " by itself; convert it with astype");
}

void require_finite(std::string_view function, std::string_view name, double value, bool positive) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded) || rounded < 0 || (positive && rounded == 0))
    fail<Error>(function, name, " is finite as f32 and ", positive ? "positive" : "not negative", ", got ",
                Scalar(value).text());
}

void require_same_device(std::string_view function, const Tensor& a, const Tensor& b) {
  if (a.node()->device == b.node()->device) return;
  const DeviceInfo& one = a.device().info();
  const DeviceInfo& other = b.device().info();
  fail<DeviceError>(function, "tensors on two devices: ", one.spec, " \"", one.name, "\" and ", other.spec, " \"",
                    other.name, "\"; move one with to(device)");
}

Shape require_broadcast(std::string_view function, const Shape& a, const Shape& b) {
  if (a == b) return a;
  Shape shape;
  try {
    shape = broadcast_shapes(a, b);
  } catch (const ShapeError&) {
    fail<ShapeError>(function, "shapes do not broadcast: ", to_string(a), " and ", to_string(b));
  }
  require_countable(function, shape);
  return shape;
}

}  // namespace eglantine::check

namespace eglantine {

DType result_type(DType a, DType b) {
  for (DType dtype : {a, b}) check::require_dtype("result_type", dtype);
  return check::common_dtype("result_type", a, b);
}

}  // namespace eglantine
