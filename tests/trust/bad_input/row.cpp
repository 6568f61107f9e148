#include "trust/bad_input/row.hpp"

#include <map>

#include "support/devices.hpp"
#include "support/shapes.hpp"

namespace eglantine::test::bad_input {
namespace {

constexpr int64_t half_the_range = int64_t{1} << 31;

std::string name_of_device(const Device& device) { return device.info().spec + " \"" + device.info().name + "\""; }

}  // namespace

Tensor of(const Shape& shape, DType dtype) { return ones(shape, dtype); }
Tensor huge(const Shape& shape, DType dtype) { return ones({}, dtype).expand(shape); }

Tensor moved_from() {
  Tensor x = of({3});
  const Tensor y = std::move(x);
  return x;  // NOLINT(bugprone-use-after-move)
}

Device other_device() {
  if (Device::current().info().kind != "cpu") return Device::open("cpu");
  for (const std::string& spec : device_specs())
    if (spec != "cpu") return open_device(spec);
  return Device::open("gl");
}

Tensor elsewhere(const Shape& shape, DType dtype) { return ones(shape, dtype, other_device()); }

void add_axis(Rows& rows, const std::string& function, const AlongAxis& call, const std::string& said) {
  const std::string start = "[" + (said.empty() ? function : said) + "] axis ";
  const std::string rest = " is out of range for a tensor of rank 2: it must lie in [-2, 1]";
  for (int axis : {2, -3, INT32_MAX, INT32_MIN})
    rows.push_back(row<ShapeError>(
        function, "axis " + std::to_string(axis),
        [=] {
          return call(of({2, 3}), axis);
        },
        start + std::to_string(axis) + rest));
  rows.push_back(row<ShapeError>(
      function, "an axis of a scalar", [=] { return call(of({}), 0); }, start + "0 of a scalar, which has no axes"));
}

void add_axes(Rows& rows, const std::string& function, const OverAxes& call, const std::string& said) {
  add_axis(
      rows, function, [call](const Tensor& x, int axis) { return call(x, {axis}); }, said);
  rows.push_back(row<ShapeError>(
      function, "an axis named twice",
      [=] {
        return call(of({2, 3}), {0, -2});
      },
      "[" + (said.empty() ? function : said) + "] axis -2 is named twice in (0, -2) for shape (2, 3)"));
}

void add_dtypes(Rows& rows, const std::string& function, const OfOne& call, Types taken) {
  static const std::map<Types, std::string> wanted = {{Types::real, "f32, f16 or bf16"},
                                                      {Types::numeric, "any dtype but boolean"},
                                                      {Types::integer, "i32, u32, i8 or u8"},
                                                      {Types::logical, "boolean"}};
  for (DType dtype : every_dtype) {
    if (takes(taken, dtype)) continue;
    const std::string got(name_of(dtype));
    rows.push_back(row<DTypeError>(
        function, "of " + got, [=] { return call(of({3}, dtype)); },
        "[" + function + "] takes " + wanted.at(taken) + ", got " + got + "; convert with astype"));
  }
}

void add_two_devices(Rows& rows, const std::string& function, const OfTwo& call, DType dtype) {
  rows.push_back(row<DeviceError>(
      function, "two devices", [=] { return call(of({3}, dtype), elsewhere({3}, dtype)); },
      "[" + function + "] tensors on two devices: " + name_of_device(Device::current()) + " and " +
          name_of_device(other_device()) + "; move one with to(device)"));
}

void add_differing_dtypes(Rows& rows, const std::string& function, const OfTwo& call) {
  rows.push_back(row<DTypeError>(
      function, "dtypes that differ", [=] { return call(of({3}, DType::i32), of({3}, DType::u32)); },
      "[" + function + "] no dtype holds both i32 and u32; convert one with astype"));
  rows.push_back(row<DTypeError>(
      function, "u32 and i8", [=] { return call(of({3}, DType::u32), of({3}, DType::i8)); },
      "[" + function + "] no dtype holds both u32 and i8; convert one with astype"));
}

void add_broadcast(Rows& rows, const std::string& function, const OfTwo& call, DType dtype) {
  rows.push_back(row<ShapeError>(
      function, "shapes that do not broadcast",
      [=] {
        return call(of({2, 3}, dtype), of({4}, dtype));
      },
      "[" + function + "] shapes do not broadcast: (2, 3) and (4,)"));
  rows.push_back(row<ShapeError>(
      function, "an overflowed product of sizes",
      [=] {
        return call(huge({half_the_range, 1}, dtype), huge({half_the_range}, dtype));
      },
      "[" + function + "] shape (2147483648, 2147483648)" + too_many));
}

void add_moved_from(Rows& rows, const std::string& function, const OfOne& call) {
  rows.push_back(row<Error>(
      function, "a tensor that was moved from", [=] { return call(moved_from()); },
      "[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first"));
}

void add_shaped(Rows& rows, const std::string& name, const OfShape& call, bool of_dtypes) {
  rows.push_back(row<ShapeError>(
      name, "a negative length",
      [=] {
        return call({2, -3}, DType::f32);
      },
      "[" + name + "] shape (2, -3) has a negative length"));
  rows.push_back(row<ShapeError>(
      name, "a negative length beside a zero",
      [=] {
        return call({0, -1}, DType::f32);
      },
      "[" + name + "] shape (0, -1) has a negative length"));
  rows.push_back(row<ShapeError>(
      name, "an overflowed product of sizes",
      [=] {
        return call({INT64_MAX, 2}, DType::f32);
      },
      "[" + name + "] shape (9223372036854775807, 2)" + too_many));
  rows.push_back(row<ShapeError>(
      name, "bytes that overflow", [=] { return call({int64_t{1} << 61}, DType::f32); },
      "[" + name + "] shape (2305843009213693952,)" + too_many));
  rows.push_back(row<ShapeError>(
      name, "nine axes",
      [=] {
        return call({1, 1, 1, 1, 1, 1, 1, 1, 1}, DType::f32);
      },
      "[Shape] got 9 values, but a tensor has at most 8 axes"));
  if (!of_dtypes) return;
  rows.push_back(row<DTypeError>(
      name, "no dtype", [=] { return call({2}, nine); }, "[" + name + "] " + no_dtype));
}

void add_real(Rows& rows, const std::string& name, const std::function<Tensor(DType dtype)>& call) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean, DType::i8, DType::u8})
    rows.push_back(row<DTypeError>(
        name, "of " + std::string(name_of(dtype)), [=] { return call(dtype); },
        "[" + name + "] takes f32, f16 or bf16, got " + std::string(name_of(dtype)) + "; convert with astype"));
}

}  // namespace eglantine::test::bad_input
