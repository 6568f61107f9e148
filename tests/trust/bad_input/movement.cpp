#include <limits>

#include "trust/bad_input/row.hpp"

/// Movement: the members of Tensor, each also a free function.
namespace eglantine::test::bad_input {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// Two rows: x.name(...) and name(x, ...).
#define EG_BOTH(E, name, wrong, x, message, ...)                                               \
  row<E>(                                                                                      \
      "Tensor::" #name, wrong, [=] { return (x).name(__VA_ARGS__); }, "[" #name "] " message), \
      row<E>(                                                                                  \
          #name, wrong, [=] { return eglantine::name(x, __VA_ARGS__); }, "[" #name "] " message)

void add_reshape(Rows& rows) {
  const auto x = [] { return of({2, 3}); };
  rows.insert(rows.end(), {EG_BOTH(ShapeError, reshape, "another count", x(),
                                   "cannot make (4, 5) of 20 elements from (2, 3): 6 elements", Shape{4, 5}),
                           EG_BOTH(ShapeError, reshape, "no length to infer", x(),
                                   "cannot infer -1 in (-1, 4) from (2, 3): 6 elements", Shape{-1, 4}),
                           EG_BOTH(ShapeError, reshape, "two lengths to infer", x(),
                                   "two lengths of (-1, -1) are -1: only one can be inferred", Shape{-1, -1}),
                           EG_BOTH(ShapeError, reshape, "a negative length", x(),
                                   "length -2 in (-2, 3): lengths are not negative; one may be -1", Shape{-2, 3}),
                           EG_BOTH(ShapeError, reshape, "a length to infer beside a zero", of({0}),
                                   "cannot infer -1 in (-1, 0) from (0,): 0 elements", Shape{-1, 0}),
                           EG_BOTH(ShapeError, reshape, "an overflowed product of sizes", x(),
                                   "(9223372036854775807, 2) has more than 2^63 - 1 elements", Shape{INT64_MAX, 2}),
                           EG_BOTH(ShapeError, reshape, "an overflowed product of sizes", x(),
                                   "(4294967296, 4294967296, -1) has more than 2^63 - 1 elements",
                                   Shape{int64_t{1} << 32, int64_t{1} << 32, -1}),
                           row<ShapeError>(
                               "reshape", "nine axes",
                               [] {
                                 return reshape(of({6}), {1, 1, 1, 1, 1, 1, 1, 2, 3});
                               },
                               "[Shape] got 9 values, but a tensor has at most 8 axes")});
}

void add_permute(Rows& rows) {
  const auto x = [] { return of({2, 3}); };
  const Axes none;
  rows.insert(
      rows.end(),
      {EG_BOTH(ShapeError, permute, "an axis twice", x(), "(0, 0) is no permutation of the 2 axes of (2, 3)",
               Axes{0, 0}),
       EG_BOTH(ShapeError, permute, "too few axes", x(), "(0,) is no permutation of the 2 axes of (2, 3)", Axes{0}),
       EG_BOTH(ShapeError, permute, "too many axes", x(), "(0, 1, 2) is no permutation of the 2 axes of (2, 3)",
               Axes{0, 1, 2}),
       EG_BOTH(ShapeError, permute, "no axes", x(), "() is no permutation of the 2 axes of (2, 3)", none),
       EG_BOTH(ShapeError, permute, "an axis out of range", x(),
               "axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]", Axes{0, 2})});
  for (bool first : {true, false}) {
    add_axis(rows, "transpose", [=](const Tensor& y, int axis) {
      return first ? transpose(y, axis, 0) : transpose(y, y.rank() == 0 ? 0 : 1, axis);
    });
    add_axis(
        rows, "Tensor::transpose",
        [=](const Tensor& y, int axis) {
          return first ? y.transpose(axis, 0) : y.transpose(y.rank() == 0 ? 0 : 1, axis);
        },
        "transpose");
  }
}

void add_expand(Rows& rows) {
  constexpr auto half = int64_t{1} << 31;
  const auto x = [] { return of({2, 3}); };
  rows.insert(
      rows.end(),
      {EG_BOTH(ShapeError, expand, "an axis that is longer than 1", x(),
               "cannot repeat (2, 3) to (4, 3): only axes of length 1 grow, and new axes come in front", Shape{4, 3}),
       EG_BOTH(ShapeError, expand, "too few axes", x(),
               "cannot repeat (2, 3) to (3,): only axes of length 1 grow, and new axes come in front", Shape{3}),
       EG_BOTH(ShapeError, expand, "a new axis behind", of({3}),
               "cannot repeat (3,) to (3, 4): only axes of length 1 grow, and new axes come in front", Shape{3, 4}),
       EG_BOTH(ShapeError, expand, "a length of 1 made 0 of 3", of({3}),
               "cannot repeat (3,) to (0,): only axes of length 1 grow, and new axes come in front", Shape{0}),
       EG_BOTH(ShapeError, expand, "a negative length", of({1, 3}), "(-1, 3) has a negative length", Shape{-1, 3}),
       EG_BOTH(ShapeError, expand, "an overflowed product of sizes", of({1}),
               "shape (2147483648, 2147483648) has more elements than memory can be addressed for",
               Shape{half, half})});
}

void add_squeeze(Rows& rows) {
  rows.insert(rows.end(), {EG_BOTH(ShapeError, squeeze, "an axis longer than 1", of({2, 1}),
                                   "axis 0 of (2, 1) has length 2, not 1", Axes{0}),
                           EG_BOTH(ShapeError, squeeze, "an axis of length 0", of({0, 1}),
                                   "axis 0 of (0, 1) has length 0, not 1", Axes{0}),
                           EG_BOTH(ShapeError, unsqueeze, "the largest rank", of({1, 1, 1, 1, 1, 1, 1, 1}),
                                   "(1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8", 0),
                           EG_BOTH(ShapeError, unsqueeze, "an axis behind the last", of({2}),
                                   "axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]", 2),
                           EG_BOTH(ShapeError, unsqueeze, "an axis before the first", of({2}),
                                   "axis -3 is out of range for a tensor of rank 2: it must lie in [-2, 1]", -3)});
  add_axes(rows, "squeeze", [](const Tensor& x, Axes axes) { return squeeze(x, axes); });
  add_axes(
      rows, "Tensor::squeeze", [](const Tensor& x, Axes axes) { return x.squeeze(axes); }, "squeeze");
  add_axes(rows, "flip", [](const Tensor& x, Axes axes) { return flip(x, axes); });
  add_axes(
      rows, "Tensor::flip", [](const Tensor& x, Axes axes) { return x.flip(axes); }, "flip");
}

void add_crop(Rows& rows) {
  const auto x = [] { return of({2, 3}); };
  rows.insert(rows.end(),
              {EG_BOTH(ShapeError, crop, "too few pairs", x(), "wants a pair for each of the 2 axes of (2, 3), got 1",
                       Pairs{{0, 1}}),
               EG_BOTH(ShapeError, crop, "pairs for a scalar", of({}),
                       "wants a pair for each of the 0 axes of (), got 1", Pairs{{0, 1}}),
               EG_BOTH(IndexError, crop, "a stop beyond the end", x(),
                       "[2, 4) of axis 1 is not within [0, 3) of (2, 3)", Pairs{{0, 1}, {2, 4}}),
               EG_BOTH(IndexError, crop, "a negative start", x(), "[-1, 1) of axis 0 is not within [0, 2) of (2, 3)",
                       Pairs{{-1, 1}, {0, 3}}),
               EG_BOTH(IndexError, crop, "a start behind the stop", x(),
                       "[1, 0) of axis 0 is not within [0, 2) of (2, 3)", Pairs{{1, 0}, {0, 3}}),
               EG_BOTH(IndexError, crop, "the ends of 64 bits", x(),
                       "[-9223372036854775808, 9223372036854775807) of axis 0 is not within [0, 2) of (2, 3)",
                       Pairs{{INT64_MIN, INT64_MAX}, {0, 3}})});
}

void add_slice(Rows& rows) {
  const auto x = [] { return of({2, 3}); };
  rows.insert(rows.end(),
              {EG_BOTH(IndexError, slice, "a start beyond the end", x(),
                       "start 4 is outside [-3, 3] for an axis of length 3 of (2, 3)", 1, 4),
               EG_BOTH(IndexError, slice, "a start before the first", x(),
                       "start -4 is outside [-3, 3] for an axis of length 3 of (2, 3)", 1, -4),
               EG_BOTH(IndexError, slice, "the lowest start", x(),
                       "start -9223372036854775808 is outside [-3, 3] for an axis of length 3 of (2, 3)", 1, INT64_MIN),
               EG_BOTH(IndexError, slice, "a stop beyond the end", x(),
                       "stop 4 is outside [-3, 3] for an axis of length 3 of (2, 3)", 1, 0, 4),
               EG_BOTH(IndexError, slice, "a stop before the first", x(),
                       "stop -4 is outside [-3, 3] for an axis of length 3 of (2, 3)", 1, 0, -4),
               EG_BOTH(IndexError, slice, "a stop too far back", x(),
                       "stop -5 is outside [-4, 3] for an axis of length 3 of (2, 3)", 1, -1, -5, -1),
               EG_BOTH(IndexError, slice, "a step of 0", x(), "a step of 0 goes nowhere", 1, 0, 3, 0)});
  add_axis(rows, "slice", [](const Tensor& y, int axis) { return slice(y, axis, 0); });
  add_axis(
      rows, "Tensor::slice", [](const Tensor& y, int axis) { return y.slice(axis, 0); }, "slice");
}

void add_pad(Rows& rows) {
  const auto x = [] { return of({2, 3}); };
  rows.insert(rows.end(),
              {EG_BOTH(ShapeError, pad, "too few pairs", x(), "wants a pair for each of the 2 axes of (2, 3), got 1",
                       Pairs{{1, 1}}),
               EG_BOTH(ShapeError, pad, "a negative count", x(),
                       "(-1, 0) on axis 1: counts are not negative; crop cuts", Pairs{{1, 1}, {-1, 0}}),
               EG_BOTH(ShapeError, pad, "a length that overflows", x(), "axis 0 would be longer than 2^63 - 1",
                       Pairs{{INT64_MAX, 0}, {0, 0}}),
               EG_BOTH(ShapeError, pad, "an overflowed product of sizes", x(),
                       "shape (1152921504606846978, 3) has more elements than memory can be addressed for",
                       Pairs{{int64_t{1} << 60, 0}, {0, 0}}),
               EG_BOTH(DTypeError, pad, "a fraction beside i32", of({2}, DType::i32),
                       "the number 0.5 does not fit i32; convert the tensor with astype", Pairs{{1, 1}}, 0.5F),
               EG_BOTH(DTypeError, pad, "a NaN beside u32", of({2}, DType::u32),
                       "the number nan does not fit u32; convert the tensor with astype", Pairs{{1, 1}},
                       std::numeric_limits<float>::quiet_NaN())});
}

#undef EG_BOTH

void add_pad_modes(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& shape, const Pairs& pairs, PadMode mode,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "pad", what, [=] { return pad(of(shape), pairs, mode); }, "[pad] " + message));
  };
  for (PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap}) {
    wrong("too many pairs for a mode", {3}, {{1, 1}, {1, 1}}, mode,
          "wants a pair for each of the 1 axes of (3,), got 2");
    wrong("a negative count for a mode", {3}, {{1, -1}}, mode, "(1, -1) on axis 0: counts are not negative; crop cuts");
    wrong("a length that overflows for a mode", {3}, {{INT64_MAX, 0}}, mode, "axis 0 would be longer than 2^63 - 1");
    wrong("an axis without elements", {2, 0}, {{1, 0}, {0, 1}}, mode,
          "axis 1 of (2, 0) has no elements to pad it with: only PadMode::constant needs none");
  }
  for (int none : {9, -1})
    rows.push_back(row<Error>(
        "pad", "a mode that does not exist",
        [=] {
          return pad(of({3}), {{1, 1}}, static_cast<PadMode>(none));
        },
        "[pad] " + std::to_string(none) + " is no PadMode; there are constant, reflect, edge and wrap"));
  rows.push_back(row<DTypeError>(
      "pad", "a fraction beside i32 for a mode",
      [] {
        return pad(of({2}, DType::i32), {{1, 1}}, PadMode::constant, 0.5F);
      },
      "[pad] the number 0.5 does not fit i32; convert the tensor with astype"));
  add_moved_from(rows, "pad", [](const Tensor& x) { return pad(x, {{1, 1}}, PadMode::edge); });
}

void add_roll(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Axes& shifts, const Axes& axes, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "roll", what,
        [=] {
          return roll(of({2, 3}), shifts, axes);
        },
        "[roll] " + message));
  };
  wrong("no shifts", {}, {0, 1}, "0 shifts for 2 axes: wants as many, or one of either");
  wrong("nothing at all", {}, {}, "0 shifts for 1 axes: wants as many, or one of either");
  wrong("three shifts for two axes", {1, 2, 3}, {0, 1}, "3 shifts for 2 axes: wants as many, or one of either");
  wrong("two shifts for three axes", {1, 2}, {0, 1, 0}, "2 shifts for 3 axes: wants as many, or one of either");
  add_axis(rows, "roll", [](const Tensor& x, int axis) { return roll(x, 1, axis); });
  add_moved_from(rows, "roll", [](const Tensor& x) { return roll(x, 1); });
}

void add_windows(Rows& rows) {
  using Numbers = std::vector<int64_t>;
  const auto wrong = [&](const std::string& what, const Shape& shape, const Axes& axes, const Numbers& sizes,
                         const Numbers& steps, const Numbers& dilations, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "windows", what, [=] { return windows(huge(shape), axes, sizes, steps, dilations); }, "[windows] " + message));
  };
  const std::string longer = " is longer than axis 0 of (4,), which has 4 places";
  wrong("a window longer than its axis", {4}, 0, {5}, {}, {}, "a window of 5 elements" + longer);
  wrong("a dilated window longer than its axis", {4}, 0, {3}, {}, {2}, "a window of 3 elements, 2 apart," + longer);
  wrong("an extent beyond 64 bits", {4}, 0, {INT64_MAX}, {}, {INT64_MAX},
        "a window of 9223372036854775807 elements, 9223372036854775807 apart," + longer);
  wrong("an axis without elements", {0, 2}, 0, {1}, {}, {},
        "a window of 1 elements is longer than axis 0 of (0, 2), which has 0 places");
  wrong("an axis named again, with too few places", {4}, {0, 0}, {3, 3}, {}, {},
        "a window of 3 elements is longer than axis 0 of (4,), which has 2 places");
  wrong("a size of 0", {4}, 0, {0}, {}, {}, "sizes are at least 1, got 0");
  wrong("a step of 0", {4}, 0, {2}, {0}, {}, "steps are at least 1, got 0");
  wrong("a negative dilation", {4}, 0, {2}, {}, {-1}, "dilations are at least 1, got -1");
  wrong("no size", {4}, 0, {}, {}, {}, "wants one of the sizes for each of 1 axes, got 0");
  wrong("too few sizes for all axes", {4, 4}, {}, {2}, {}, {}, "wants one of the sizes for each of 2 axes, got 1");
  wrong("too many steps", {4}, 0, {2}, {1, 1}, {}, "wants one of the steps for each of 1 axes, got 2");
  wrong("too few dilations", {4, 4}, {0, 1}, {2, 2}, {}, {1}, "wants one of the dilations for each of 2 axes, got 1");
  wrong("nine axes", {1, 1, 1, 1, 1}, {}, {1, 1, 1, 1, 1}, {}, {},
        "5 axes beside those of (1, 1, 1, 1, 1) are more than the largest rank, 8");
  wrong("an overflowed product of sizes", {int64_t{1} << 58}, 0, {int64_t{1} << 57}, {}, {},
        "shape (144115188075855873, 144115188075855872)" + too_many);
  add_axis(rows, "windows", [](const Tensor& x, int axis) { return windows(x, axis, {1}); });
  add_moved_from(rows, "windows", [](const Tensor& x) { return windows(x, 0, {1}); });
}

}  // namespace

void add_movement(Rows& rows) {
  add_reshape(rows);
  add_permute(rows);
  add_expand(rows);
  add_squeeze(rows);
  add_crop(rows);
  add_slice(rows);
  add_pad(rows);
  add_pad_modes(rows);
  add_roll(rows);
  add_windows(rows);
  const std::vector<std::pair<std::string, OfOne>> free = {
      {"reshape", [](const Tensor& x) { return reshape(x, {3}); }},
      {"permute", [](const Tensor& x) { return permute(x, {0}); }},
      {"transpose", [](const Tensor& x) { return transpose(x, 0, 0); }},
      {"expand", [](const Tensor& x) { return expand(x, {3}); }},
      {"squeeze", [](const Tensor& x) { return squeeze(x); }},
      {"unsqueeze", [](const Tensor& x) { return unsqueeze(x, 0); }},
      {"flip", [](const Tensor& x) { return flip(x, {0}); }},
      {"crop",
       [](const Tensor& x) {
         return crop(x, {{0, 1}});
       }},
      {"slice", [](const Tensor& x) { return slice(x, 0, 0); }},
      {"pad", [](const Tensor& x) {
         return pad(x, {{1, 1}});
       }}};
  for (const auto& [name, call] : free) {
    add_moved_from(rows, name, call);
    add_moved_from(rows, "Tensor::" + name, call);
  }
}

}  // namespace eglantine::test::bad_input
