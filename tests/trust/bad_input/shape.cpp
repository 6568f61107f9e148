#include <functional>
#include <map>

#include "trust/bad_input/row.hpp"

/// Joining and cutting; shapes themselves.
namespace eglantine::test::bad_input {
namespace {

constexpr int64_t largest_length = int64_t{1} << 58;

using Join = std::function<Tensor(const std::vector<Tensor>&, int)>;

void add_join(Rows& rows, const std::string& name, const Join& join) {
  const OfTwo of_two = [=](const Tensor& x, const Tensor& y) { return join({x, y}, 0); };
  rows.push_back(row<ShapeError>(
      name, "nothing", [=] { return join({}, 0); }, "[" + name + "] got no tensors, and wants one at least"));
  add_differing_dtypes(rows, name, of_two);
  add_two_devices(rows, name, of_two);
  add_moved_from(rows, name, [=](const Tensor& x) { return join({x, of({3})}, 0); });
  add_moved_from(rows, name, [=](const Tensor& x) { return join({of({3}), x}, 0); });
}

void add_concatenate(Rows& rows) {
  const auto wrong = [&](const std::string& what, const std::vector<Shape>& shapes, const std::string& message) {
    const auto call = [=] {
      std::vector<Tensor> tensors;
      for (const Shape& shape : shapes) tensors.push_back(huge(shape));
      return concatenate(tensors, 0);
    };
    rows.push_back(row<ShapeError>("concatenate", what, call, "[concatenate] " + message));
  };
  const std::string rule = " along axis 0: all other lengths must be equal";
  wrong("other lengths", {{2, 3}, {2, 4}}, "cannot join (2, 3) and (2, 4)" + rule);
  wrong("other lengths, of which one would broadcast", {{2, 3}, {2, 1}}, "cannot join (2, 3) and (2, 1)" + rule);
  wrong("another rank", {{2, 3}, {3}}, "cannot join (2, 3) and (3,)" + rule);
  wrong("an overflowed product of sizes", {{largest_length}, {largest_length}, {largest_length}},
        "shape (864691128455135232,)" + too_many);
  add_axis(rows, "concatenate", [](const Tensor& x, int axis) { return concatenate({x, x}, axis); });
}

void add_stack(Rows& rows) {
  const auto wrong = [&](const std::string& what, const std::vector<Tensor>& tensors, int axis,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "stack", what, [=] { return stack(tensors, axis); }, "[stack] " + message));
  };
  wrong("other lengths", {of({2}), of({3})}, 0, "cannot join (2,) and (3,): all lengths must be equal");
  wrong("another rank", {of({2}), of({})}, 0, "cannot join (2,) and (): all lengths must be equal");
  for (int axis : {2, -3})
    wrong("axis " + std::to_string(axis), {of({2})}, axis,
          "axis " + std::to_string(axis) + " is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  wrong("the largest rank", {of({1, 1, 1, 1, 1, 1, 1, 1})}, 0,
        "(1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8");
  wrong("an overflowed product of sizes", {huge({largest_length}), huge({largest_length}), huge({largest_length})}, 0,
        "shape (3, 288230376151711744)" + too_many);
}

void add_split(Rows& rows) {
  const auto wrong = [&](int64_t parts, int axis, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "split", std::to_string(parts) + " parts",
        [=] {
          return split(of({7, 2}), parts, axis);
        },
        "[split] cannot cut axis " + message + " equal parts"));
  };
  wrong(2, 0, "0 of (7, 2) into 2");
  wrong(0, 0, "0 of (7, 2) into 0");
  wrong(-2, -1, "1 of (7, 2) into -2");
  wrong(INT64_MIN, 1, "1 of (7, 2) into -9223372036854775808");
  wrong(INT64_MAX, 1, "1 of (7, 2) into 9223372036854775807");
  add_axis(rows, "split", [](const Tensor& x, int axis) { return split(x, 1, axis)[0]; });
  add_moved_from(rows, "split", [](const Tensor& x) { return split(x, 1, 0)[0]; });
}

void add_split_with_sizes(Rows& rows) {
  const auto wrong = [&](const std::vector<int64_t>& sizes, int axis, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "split_with_sizes", std::to_string(sizes.size()) + " sizes",
        [=] {
          return split_with_sizes(of({7, 2}), sizes, axis)[0];
        },
        "[split_with_sizes] " + message));
  };
  wrong({3, 3}, 0, "sizes add up to 6, axis 0 of (7, 2) is 7 long");
  wrong({}, 0, "sizes add up to 0, axis 0 of (7, 2) is 7 long");
  wrong({8, -1}, 0, "a negative size: -1; they add up to the length of axis 0 of (7, 2)");
  wrong({-3, 5}, -1, "a negative size: -3; they add up to the length of axis 1 of (7, 2)");
  wrong({5, INT64_MAX}, 0, "sizes pass 2^63 - 1 at 9223372036854775807; they add up to the length of axis 0 of (7, 2)");
  add_axis(rows, "split_with_sizes", [](const Tensor& x, int axis) { return split_with_sizes(x, {2}, axis)[0]; });
  add_axis(rows, "unstack", [](const Tensor& x, int axis) { return unstack(x, axis)[0]; });
  add_moved_from(rows, "split_with_sizes", [](const Tensor& x) { return split_with_sizes(x, {3}, 0)[0]; });
  add_moved_from(rows, "unstack", [](const Tensor& x) { return unstack(x)[0]; });
}

/// Verbs made of movement.
void add_rearranged(Rows& rows) {
  const auto wrong = [&](const std::string& name, const std::string& what, const std::function<Tensor()>& call,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(name, what, call, "[" + name + "] " + message));
  };
  wrong(
      "flatten", "axes in the wrong order",
      [] {
        return flatten(of({2, 3}), 1, 0);
      },
      "axis 1 comes after axis 0 of (2, 3)");
  wrong(
      "flatten", "axes without elements, too long together",
      [] {
        return flatten(of({int64_t{1} << 32, int64_t{1} << 31, 0}), 0, 1);
      },
      "shape (4294967296, 2147483648)" + too_many);
  wrong(
      "flatten", "an axis out of range",
      [] {
        return flatten(of({2, 3}), 0, 2);
      },
      "axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  wrong(
      "moveaxis", "more axes than places",
      [] {
        return moveaxis(of({2, 3}), {0, 1}, {0});
      },
      "as many axes go as come: (0, 1) to (0,)");
  add_axes(rows, "moveaxis", [](const Tensor& x, Axes axes) { return moveaxis(x, axes, axes); });
  add_axis(rows, "swapaxes", [](const Tensor& x, int axis) { return swapaxes(x, axis, 0); });
  wrong(
      "rot90", "one axis",
      [] {
        return rot90(of({2, 3}), 1, 0);
      },
      "turns a plane, which two axes name, got (0,)");
  wrong(
      "rot90", "an axis named twice",
      [] {
        return rot90(of({2, 3}), 1, {0, 0});
      },
      "axis 0 is named twice in (0, 0) for shape (2, 3)");
  wrong(
      "repeat", "a negative count", [] { return repeat(of({3}), -1, 0); }, "a negative count: -1");
  wrong(
      "repeat", "an axis too long", [] { return repeat(of({3}), INT64_MAX, 0); },
      "an axis would be longer than 2^63 - 1");
  wrong(
      "repeat", "too many elements", [] { return repeat(of({3}), largest_length, 0); },
      "shape (864691128455135232,)" + too_many);
  add_axis(rows, "repeat", [](const Tensor& x, int axis) { return repeat(x, 2, axis); });
  wrong(
      "tile", "a negative count",
      [] {
        return tile(of({3}), {2, -2});
      },
      "a negative count: -2");
  wrong(
      "tile", "nine counts", [] { return tile(of({3}), std::vector<int64_t>(9, 1)); },
      "9 counts are more than the largest rank, 8");
  wrong(
      "tile", "too many elements", [] { return tile(of({3}), {largest_length}); },
      "shape (864691128455135232,)" + too_many);
  wrong(
      "broadcast_to", "an axis that is no 1",
      [] {
        return broadcast_to(of({2, 3}), {4, 3});
      },
      "cannot repeat (2, 3) to (4, 3): only axes of length 1 grow, and new axes come in front");
  wrong(
      "broadcast_to", "a negative length", [] { return broadcast_to(of({1}), {-4}); }, "(-4,) has a negative length");
  add_broadcast(
      rows, "broadcast_tensors",
      [](const Tensor& x, const Tensor& y) {
        return broadcast_tensors({x, y})[0];
      },
      DType::f32);
  for (const auto& [name, call] : std::map<std::string, Tensor (*)(const Tensor&)>{
           {"ravel", ravel}, {"atleast_1d", atleast_1d}, {"atleast_2d", atleast_2d}, {"atleast_3d", atleast_3d}})
    add_moved_from(rows, name, call);
  add_moved_from(rows, "repeat", [](const Tensor& x) { return repeat(x, 2, 0); });
  add_moved_from(rows, "tile", [](const Tensor& x) { return tile(x, {2}); });
}

void add_lists(Rows& rows) {
  const std::vector<int64_t> nine(9, 1);
  const std::string most = "[Shape] got 9 values, but a tensor has at most 8 axes";
  rows.insert(rows.end(),
              {row<ShapeError>(
                   "IntList::IntList", "nine values", [=] { return Shape(nine); }, most),
               row<ShapeError>(
                   "IntList::IntList", "nine axes", [=] { return Axes(nine); }, most),
               row<ShapeError>(
                   "IntList::push_back", "a ninth value", [] { Shape{1, 1, 1, 1, 1, 1, 1, 1}.push_back(1); }, most),
               row<ShapeError>(
                   "IntList::insert", "a ninth value", [] { Shape{1, 1, 1, 1, 1, 1, 1, 1}.insert(0, 1); }, most),
               row<IndexError>(
                   "IntList::insert", "a position behind the end",
                   [] {
                     Shape{2, 3}.insert(3, 1);
                   },
                   "[Shape::insert] position 3 of (2, 3), whose positions lie in [0, 2]"),
               row<IndexError>(
                   "IntList::erase", "a position behind the last",
                   [] {
                     Shape{2, 3}.erase(2);
                   },
                   "[Shape::erase] position 2 of (2, 3), whose positions lie in [0, 1]"),
               row<IndexError>(
                   "IntList::erase", "nothing to erase", [] { Shape{}.erase(0); },
                   "[Shape::erase] position 0 of (), which has no positions"),
               row<ShapeError>(
                   "sum", "an axis beyond int64_t",
                   [] {
                     return sum(of({2, 3}), size_t(-1));
                   },
                   "[Axes] 18446744073709551615 is no axis of any tensor: it is beyond int64_t"),
               row<IndexError>(
                   "IntList::operator[]", "a negative position",
                   [] {
                     return Shape{2, 3}[-1];
                   },
                   "[Shape::[]] position -1 of (2, 3), whose positions lie in [0, 1]")});
}

void add_lengths(Rows& rows) {
  rows.insert(rows.end(), {row<ShapeError>(
                               "Shape::elements", "a negative length",
                               [] {
                                 return Shape{2, -3}.elements();
                               },
                               "[Shape] (2, -3) has a negative length"),
                           row<ShapeError>(
                               "Shape::elements", "an overflowed product of sizes",
                               [] {
                                 return Shape{INT64_MAX, 2}.elements();
                               },
                               "[Shape] (9223372036854775807, 2) has more than 2^63 - 1 elements"),
                           row<ShapeError>(
                               "broadcast_shapes", "shapes that do not broadcast",
                               [] {
                                 return broadcast_shapes({2, 3}, {4});
                               },
                               "[broadcast_shapes] cannot broadcast (2, 3) with (4,)"),
                           row<ShapeError>(
                               "broadcast_shapes", "a negative length", [] { return broadcast_shapes({1}, {-4}); },
                               "[broadcast_shapes] (-4,) has a negative length"),
                           row<DTypeError>(
                               "size_of", "no dtype", [] { return size_of(static_cast<DType>(8)); },
                               "[size_of] 8 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8"),
                           row<DTypeError>(
                               "name_of", "no dtype", [] { return name_of(static_cast<DType>(255)); },
                               "[name_of] 255 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8"),
                           row<ShapeError>(
                               "Layout::is_contiguous", "fewer strides than axes",
                               [] {
                                 return Layout{{2, 3}, {1}, 0}.is_contiguous();
                               },
                               "[Layout::is_contiguous] 1 strides for the shape (2, 3)")});
}

}  // namespace

void add_shape(Rows& rows) {
  add_join(rows, "concatenate", concatenate);
  add_join(rows, "stack", stack);
  add_join(rows, "hstack", [](const std::vector<Tensor>& tensors, int) { return hstack(tensors); });
  add_join(rows, "vstack", [](const std::vector<Tensor>& tensors, int) { return vstack(tensors); });
  add_concatenate(rows);
  add_stack(rows);
  add_split(rows);
  add_split_with_sizes(rows);
  add_rearranged(rows);
  add_lists(rows);
  add_lengths(rows);
}

}  // namespace eglantine::test::bad_input
