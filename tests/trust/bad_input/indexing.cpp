#include "trust/bad_input/row.hpp"

/// Indexing by integers, slices, new axes, ellipsis, masks and tensors.
namespace eglantine::test::bad_input {
namespace {

using Indices = std::vector<Index>;

/// What one of the three functions that take indices does with them.
struct Indexed {
  std::string name;  ///< in messages
  std::function<Tensor(const Tensor& x, const Indices& indices)> call;
};

Tensor places_in(const Shape& shape) { return zeros(shape, DType::i32); }
Tensor mask(const Shape& shape) { return ones(shape, DType::boolean); }

void add_shapes(Rows& rows, const Indexed& of_name) {
  const std::string function = "Tensor::" + of_name.name;
  const auto wrong = [&](const std::string& what, const Shape& shape, const Indices& indices, const std::string& says) {
    rows.push_back(row<ShapeError>(
        function, what, [=, call = of_name.call] { return call(of(shape), indices); },
        "[" + of_name.name + "] " + says));
  };
  wrong("more indices than axes", {2, 3}, {0, 0, 0}, "indices for 3 axes, but (2, 3) has 2");
  wrong("an index of a scalar", {}, {0}, "indices for 1 axes, but () has 0");
  wrong("two ellipses", {2, 3}, {ellipsis, ellipsis}, "two ellipses: which axes each stands for is open");
  wrong("a mask of another shape", {2, 3}, {mask({2, 2})},
        "the mask (2, 2) must have the shape of the axes that it stands for, from axis 0 of (2, 3) on");
  wrong("a mask of too many axes", {2}, {mask({2, 1})}, "indices for 2 axes, but (2,) has 1");
  wrong("tensors that do not broadcast", {2, 3}, {places_in({2}), places_in({3})},
        "shapes do not broadcast: (2,) and (3,)");
  wrong("a rank above the largest", {1, 1, 1, 1, 1, 1, 1, 1}, {newaxis}, "the indices give rank 9, above 8");
  wrong("tensors that give a rank above the largest", {1, 1, 1, 1, 1, 1, 1}, {places_in({1, 1, 1})},
        "the indices give rank 9, above 8");
}

void add_places(Rows& rows, const Indexed& of_name) {
  const std::string function = "Tensor::" + of_name.name, name = "[" + of_name.name + "] ";
  const auto call = of_name.call;
  const auto wrong = [&](const std::string& what, const Index& index, const std::string& says) {
    rows.push_back(row<IndexError>(
        function, what,
        [=] {
          return call(of({2, 3}), {ellipsis, index}).to_vector<float>();
        },
        name + says));
  };
  wrong("an integer past the end", 3, "index 3 lies outside [-3, 3): axis 1 of (2, 3)");
  wrong("an integer before the start", -4, "index -4 lies outside [-3, 3): axis 1 of (2, 3)");
  wrong("a step of 0", Slice{{}, {}, 0}, "a slice with a step of 0 goes nowhere");
  wrong("a tensor past the end", Tensor::from({0, 3}, {2}), "index 3 at (1,) lies outside [-3, 3): axis 1 of (2, 3)");
  rows.push_back(row<IndexError>(
      function, "two tensors, one past the end",
      [=] {
        return call(of({2, 3}), {Tensor::from({0, -3}, {2}), places_in({2})}).to_vector<float>();
      },
      name + "the index at (1,) lies outside [-2, 2): axis 0 of (2, 3)"));
  rows.push_back(row<ShapeError>(
      function, "an axis beyond i32", [=] { return call(huge({int64_t{1} << 31}), {places_in({1})}); },
      name + "axis 0 of (2147483648,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
  for (DType dtype : {DType::f32, DType::u32, DType::f16, DType::bf16, DType::i8, DType::u8})
    rows.push_back(row<DTypeError>(
        function, "a tensor of " + std::string(name_of(dtype)), [=] { return call(of({3}), {zeros({1}, dtype)}); },
        name + "indices are i32, got " + std::string(name_of(dtype)) + "; convert with astype"));
  const DeviceInfo here = Device::current().info(), there = other_device().info();
  rows.push_back(row<DeviceError>(
      function, "a tensor on another device", [=] { return call(of({3}), {elsewhere({1}, DType::i32)}); },
      name + "tensors on two devices: " + here.spec + " \"" + here.name + "\" and " + there.spec + " \"" + there.name +
          "\"; move one with to(device)"));
  add_moved_from(rows, function, [=](const Tensor& x) { return call(x, {0}); });
  add_moved_from(rows, function, [=](const Tensor& x) { return call(of({3}), {x}); });
}

void add_numbers(Rows& rows, const std::string& name, const std::function<Tensor(const Tensor&, const Operand&)>& put) {
  const auto add_one = [&](DType dtype, const Scalar& number, const std::string& from, const std::string& advice) {
    const std::string to(name_of(dtype));
    rows.push_back(row<DTypeError>(
        "Tensor::" + name, "the number " + number.text() + " into " + to,
        [=] { return put(of({2}, dtype), Operand(number)); },
        "[" + name + "] the number " + number.text() + " counts as " + from + ", which does not become " + to +
            " by itself; write " + advice + ", or convert the tensor with astype"));
  };
  for (DType dtype : {DType::i32, DType::u32, DType::i8, DType::u8})
    add_one(dtype, 0.5, "f32", "a whole number as an integer");
  if (name == "index_put") add_one(DType::boolean, 1, "i32", "true or false");  // the other takes no booleans
}

void add_values(Rows& rows, const std::string& name, Tensor (Tensor::*put)(const Indices&, const Operand&) const) {
  const std::string function = "Tensor::" + name;
  const auto to_row = [=](const Tensor& x, const Operand& value) { return (x.*put)({0}, value); };
  rows.push_back(row<ShapeError>(
      function, "a value that does not broadcast",
      [=] {
        return to_row(of({2, 3}), of({2}));
      },
      "[" + name + "] a value of (2,) does not broadcast to (3,), which the indices name of (2, 3)"));
  rows.push_back(row<ShapeError>(
      function, "a value of a larger shape",
      [=] {
        return to_row(of({2, 3}), of({2, 3}));
      },
      "[" + name + "] a value of (2, 3) does not broadcast to (3,), which the indices name of (2, 3)"));
  rows.push_back(row<DTypeError>(
      function, "a value that does not convert", [=] { return to_row(of({2}, DType::i32), of({})); },
      "[" + name + "] f32 does not become i32 by itself; convert it with astype"));
  add_numbers(rows, name, to_row);
  add_moved_from(rows, function, [=](const Tensor& x) { return to_row(of({3}), x); });
}

}  // namespace

void add_indexing(Rows& rows) {
  const std::vector<Indexed> all = {
      {"index", [](const Tensor& x, const Indices& indices) { return x.index(indices); }},
      {"index_put", [](const Tensor& x, const Indices& indices) { return x.index_put(indices, 1); }},
      {"index_put_add", [](const Tensor& x, const Indices& indices) { return x.index_put_add(indices, 1); }}};
  for (const Indexed& each : all) {
    add_shapes(rows, each);
    add_places(rows, each);
  }
  rows.push_back(row<ShapeError>(
      "Tensor::index_put", "axes that are too long together",
      [] {
        return huge({1 << 16, 1 << 16}).index_put({places_in({1}), places_in({1})}, 1);
      },
      "[index_put] the indexed axes of (65536, 65536) together are longer than i32 indices reach, 2^31 - 9; work on "
      "slices of it"));
  add_values(rows, "index_put", &Tensor::index_put);
  add_values(rows, "index_put_add", &Tensor::index_put_add);
  rows.push_back(row<DTypeError>(
      "Tensor::index_put_add", "booleans", [] { return of({2}, DType::boolean).index_put_add({0}, true); },
      "[index_put_add] takes any dtype but boolean, got boolean; convert with astype"));
  rows.push_back(row<IndexError>(
      "Tensor::operator[]", "an integer past the end", [] { return of({3})[3]; },
      "[index] index 3 lies outside [-3, 3): axis 0 of (3,)"));
  rows.push_back(row<IndexError>(
      "Index", "an integer beyond int64_t", [] { return of({3})[UINT64_MAX]; },
      "[Index] 18446744073709551615 is no place in any tensor: it is beyond int64_t"));
}

}  // namespace eglantine::test::bad_input
