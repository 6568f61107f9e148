#include "eglantine/verbs/interpolation.hpp"

#include <cmath>
#include <limits>

#include "trust/bad_input/row.hpp"

/// interpolate and grid_sample.
namespace eglantine::test::bad_input {
namespace {

using Options = InterpolateOptions;

void add_interpolation_shapes(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& shape, const PerAxis& sizes,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "interpolate", what, [=] { return interpolate(huge(shape), sizes); }, "[interpolate] " + message));
  };
  wrong("no spatial axis", {2, 3}, 2, "takes (n, channels, spatial...) of 1 to 3 spatial axes, got (2, 3)");
  wrong("four spatial axes", {1, 1, 2, 2, 2, 2}, 2,
        "takes (n, channels, spatial...) of 1 to 3 spatial axes, got (1, 1, 2, 2, 2, 2)");
  wrong("a number too few", {1, 1, 4, 4}, {2},
        "sizes is (2,), one number for each spatial axis; (1, 1, 4, 4) is not (n, channels, spatial...) or "
        "(channels, spatial...) of 1 to 3 such");
  wrong("a size of 0", {1, 1, 4, 4}, {2, 0}, "sizes of axis 3 is 0; it is at least 1");
  wrong("a negative size", {1, 1, 4, 4}, -2, "sizes of axis 2 is -2; it is at least 1");
  wrong("an axis without elements", {1, 1, 4, 0}, {2, 3},
        "axis 3 of (1, 1, 4, 0) has 0 elements, and is to have 3; both are at least 1 and below 2^31");
  wrong("an axis too long", {1, 1, int64_t{1} << 31}, 3,
        "axis 2 of (1, 1, 2147483648) has 2147483648 elements, and is to have 3; both are at least 1 and below 2^31");
  wrong("a size too large", {1, 1, 4}, int64_t{1} << 31,
        "axis 2 of (1, 1, 4) has 4 elements, and is to have 2147483648; both are at least 1 and below 2^31");
  wrong("more elements than can be addressed", {1 << 20, 1 << 20, 1, 1}, 1 << 30,
        "shape (1048576, 1048576, 1073741824, 1073741824)" + too_many);
  add_moved_from(rows, "interpolate", [](const Tensor& x) { return interpolate(x, 2); });
}

void add_options(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Options& options, const std::string& message) {
    rows.push_back(row<Error>(
        "interpolate", what,
        [=] {
          return interpolate(of({1, 1, 4, 4}), 2, options);
        },
        "[interpolate] " + message));
  };
  wrong("corners of nearest", {.align_corners = true}, "align_corners is of linear and cubic, not of nearest");
  wrong("antialias of nearest", {.antialias = true}, "antialias is of linear and cubic, not of nearest");
  wrong("a scale too many", {.scale = {1, 2, 3}}, "scale has 3 numbers, for 2 spatial axes");
  wrong("a scale too few", {.scale = {2}}, "scale has 1 numbers, for 2 spatial axes");
  wrong("a scale of 0", {.scale = {2, 0}}, "scale is 0.000000; it is positive and finite");
  wrong("a negative scale", {.scale = {-1, 1}}, "scale is -1.000000; it is positive and finite");
  wrong("a scale of infinity", {.scale = {1, std::numeric_limits<double>::infinity()}},
        "scale is inf; it is positive and finite");
  wrong("a scale of NaN", {.scale = {std::nan(""), 1}}, "scale is nan; it is positive and finite");
  wrong("a scale without a reciprocal", {.scale = {1e-310, 1}}, "scale is 0.000000; it is positive and finite");
  wrong("no mode", {.mode = static_cast<Interpolation>(3)},
        "3 is no Interpolation; there are nearest, linear and cubic");
}

void add_grids(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& x, const Shape& grid, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "grid_sample", what, [=] { return grid_sample(huge(x), huge(grid)); }, "[grid_sample] " + message));
  };
  wrong("one spatial axis", {1, 1, 4}, {1, 4, 1},
        "takes (n, channels, spatial...) of 2 or 3 spatial axes, got (1, 1, 4)");
  wrong("four spatial axes", {1, 1, 2, 2, 2, 2}, {1, 2, 2, 2, 2, 4},
        "takes (n, channels, spatial...) of 2 or 3 spatial axes, got (1, 1, 2, 2, 2, 2)");
  wrong("a grid of another rank", {1, 1, 4, 4}, {1, 4, 2},
        "takes a grid of as many axes as x, (n, spatial..., 2), got (1, 4, 2) for (1, 1, 4, 4)");
  wrong("a grid of other pictures", {2, 1, 4, 4}, {3, 4, 4, 2},
        "axis 0 of the grid (3, 4, 4, 2) and of (2, 1, 4, 4) differ: 3 and 2");
  wrong("a coordinate too many", {2, 1, 4, 4}, {2, 4, 4, 3},
        "axis 3 of the grid (2, 4, 4, 3) has 3 coordinates, for 2 spatial axes");
  wrong("an axis without elements", {2, 1, 4, 0}, {2, 4, 4, 2},
        "axis 3 of (2, 1, 4, 0) has 0 elements; it has at least 1 and fewer than 2^31");
  wrong("an axis too long", {1, 1, 1, int64_t{1} << 31}, {1, 4, 4, 2},
        "axis 3 of (1, 1, 1, 2147483648) has 2147483648 elements; it has at least 1 and fewer than 2^31");
  wrong("more results than can be addressed", {1 << 20, 1 << 20, 1, 1}, {1 << 20, 1 << 15, 1 << 15, 2},
        "shape (1048576, 1048576, 32768, 32768)" + too_many);
  add_moved_from(rows, "grid_sample", [](const Tensor& x) { return grid_sample(x, of({1, 2, 2, 2})); });
}

void add_grid_options(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& x, const Shape& grid, const GridOptions& options,
                         const std::string& message) {
    rows.push_back(row<Error>(
        "grid_sample", what, [=] { return grid_sample(of(x), of(grid), options); }, "[grid_sample] " + message));
  };
  wrong("no mode", {1, 1, 2, 2}, {1, 2, 2, 2}, {.mode = static_cast<Interpolation>(-1)},
        "-1 is no Interpolation; there are nearest, linear and cubic");
  wrong("no padding", {1, 1, 2, 2}, {1, 2, 2, 2}, {.padding = static_cast<PadMode>(4)},
        "4 is no PadMode; there are constant, reflect, edge and wrap");
  wrong("cubic of three axes", {1, 1, 2, 2, 2}, {1, 2, 2, 2, 3}, {.mode = Interpolation::cubic},
        "cubic takes two spatial axes, got (1, 1, 2, 2, 2)");
}

}  // namespace

void add_interpolation(Rows& rows) {
  add_interpolation_shapes(rows);
  add_options(rows);
  add_grids(rows);
  add_grid_options(rows);
}

}  // namespace eglantine::test::bad_input
