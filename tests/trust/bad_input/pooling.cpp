#include "eglantine/verbs/pooling.hpp"

#include <cmath>
#include <limits>

#include "trust/bad_input/row.hpp"

/// Pools, and channels as places.
namespace eglantine::test::bad_input {
namespace {

using Pool = std::function<Tensor(const Tensor& x, const PerAxis& window, const PoolOptions& options)>;

struct WrongPool {
  std::string what;
  Shape shape;
  PerAxis window;
  PoolOptions options;
  std::string message;
};

void add_pool(Rows& rows, const std::string& name, const Pool& pool) {
  const std::string apart = "3 elements, 2 apart, spans 5 places; axis 2 of (1, 1, 4) has 4, and padding of (0, 0)";
  const std::string counted = ", which is not one number for each of the 2 spatial axes of (1, 1, 4, 4)";
  const int64_t large = INT64_MAX, most = int64_t{1} << 60;
  const std::vector<WrongPool> all = {
      {"no spatial axis", {2, 3}, 2, {}, "takes (n, channels, spatial...) of 1 to 3 spatial axes, got (2, 3)"},
      {"four spatial axes",
       {1, 1, 2, 2, 2, 2},
       2,
       {},
       "takes (n, channels, spatial...) of 1 to 3 spatial axes, got (1, 1, 2, 2, 2, 2)"},
      {"a number too few",
       {1, 1, 4, 4},
       {2},
       {},
       "window is (2,), one number for each spatial axis; (1, 1, 4, 4) is not (n, channels, spatial...) or "
       "(channels, spatial...) of 1 to 3 such"},
      {"no numbers",
       {1, 1, 4},
       PerAxis(),
       {},
       "window is (), one number for each spatial axis; (1, 1, 4) is not (n, channels, spatial...) or "
       "(channels, spatial...) of 1 to 3 such"},
      {"a window of 0", {1, 1, 4, 4}, {2, 0}, {}, "window of axis 3 is 0; it is at least 1"},
      {"a stride of 0", {1, 1, 4, 4}, 2, {.stride = 0}, "stride of axis 2 is 0; it is at least 1"},
      {"a dilation of -1", {1, 1, 4, 4}, 2, {.dilation = -1}, "dilation of axis 2 is -1; it is at least 1"},
      {"three strides", {1, 1, 4, 4}, 2, {.stride = {1, 2, 3}}, "stride is (1, 2, 3)" + counted},
      {"no dilation", {1, 1, 4, 4}, 2, {.dilation = {}}, "dilation is ()" + counted},
      {"negative padding",
       {1, 1, 4},
       2,
       {.padding = {{0, -1}}},
       "padding of axis 2 is (0, -1); counts are not negative"},
      {"negative padding of all sides",
       {1, 1, 4},
       2,
       {.padding = -2},
       "padding of axis 2 is (-2, -2); counts are not negative"},
      {"pads of another count",
       {1, 1, 4},
       2,
       {.padding = {{0, 1}, {0, 1}}},
       "padding has 2 pairs, for the 1 spatial axes of (1, 1, 4)"},
      {"a window that does not fit", {1, 1, 4}, 3, {.dilation = 2}, "a window of " + apart},
      {"a window that does not fit under ceil_mode",
       {1, 1, 4},
       8,
       {.stride = 2, .padding = 1, .ceil_mode = true},
       "a window of 8 elements spans 8 places; axis 2 of (1, 1, 4) has 4, and padding of (1, 1)"},
      {"a window beyond 2^63",
       {1, 1, 4},
       large,
       {.dilation = 2},
       "a window of 9223372036854775807 elements, 2 apart, and padding (0, 0) of axis 2 of (1, 1, 4) reach beyond "
       "2^63 - 1 places"},
      {"padding beyond 2^63",
       {1, 1, 4},
       2,
       {.padding = large},
       "a window of 2 elements and padding (9223372036854775807, 9223372036854775807) of axis 2 of (1, 1, 4) reach "
       "beyond 2^63 - 1 places"},
      {"more padding than can be addressed",
       {1, 1, 4},
       most,
       {.padding = most - 1},
       "shape (1, 1, 2305843009213693952)" + too_many},
  };
  for (const WrongPool& wrong : all)
    rows.push_back(row<ShapeError>(
        name, wrong.what, [=] { return pool(of(wrong.shape), wrong.window, wrong.options); },
        "[" + name + "] " + wrong.message));
  rows.push_back(row<Error>(
      name, "no Padding",
      [=] {
        return pool(of({1, 1, 4}), 2, {.padding = static_cast<Padding>(7)});
      },
      "[" + name + "] 7 is no Padding; there are valid and same"));
  add_moved_from(rows, name, [=](const Tensor& x) { return pool(x, 2, {}); });
}

/// Windows that have no element of x, where a pool needs one.
void add_padding_alone(Rows& rows, const std::string& name, const Pool& pool) {
  const auto wrong = [&](const std::string& what, const PerAxis& window, PoolOptions options,
                         const std::string& message) {
    options.count_padding = false;
    rows.push_back(row<ShapeError>(
        name, what,
        [=] {
          return pool(of({1, 1, 4}), window, options);
        },
        "[" + name + "] " + message));
  };
  wrong("a window of padding in front", 2, {.padding = 2},
        "window 0 of axis 2 of (1, 1, 4) has none of its 4 elements, only padding of (2, 2)");
  wrong("a window of padding behind", 2, {.padding = {{0, 2}}},
        "window 2 of axis 2 of (1, 1, 4) has none of its 4 elements, only padding of (0, 2)");
  wrong("a window around the axis", 2, {.stride = 1, .padding = 3, .dilation = 6},
        "window 1 of axis 2 of (1, 1, 4) has none of its 4 elements, only padding of (3, 3)");
}

void add_pools(Rows& rows) {
  add_pool(rows, "max_pool", max_pool);
  add_pool(rows, "avg_pool", avg_pool);
  add_padding_alone(rows, "max_pool", max_pool);
  add_padding_alone(rows, "avg_pool", avg_pool);
  const Pool indices = [](const Tensor& x, const PerAxis& window, const PoolOptions& options) {
    return max_pool_with_indices(x, window, options).second;
  };
  add_pool(rows, "max_pool_with_indices", indices);
  add_padding_alone(rows, "max_pool_with_indices", indices);
  const int64_t large = int64_t{1} << 32;
  rows.push_back(row<ShapeError>(
      "max_pool_with_indices", "places beyond i32",
      [=] {
        return max_pool_with_indices(huge({1, 1, large}), 2).second;
      },
      "[max_pool_with_indices] (4294967296,) has more elements than i32 counts, 2^31 - 1; work on parts of it"));
  rows.push_back(row<ShapeError>(
      "avg_pool", "counts beyond i32",
      [=] {
        return avg_pool(huge({1, 1, large}), 2, {.padding = 1, .count_padding = false});
      },
      "[avg_pool] axis 2 of (1, 1, 4294967296) spans 4294967298 places with its padding; they are counted in i32"));
  add_pool(rows, "lp_pool", [](const Tensor& x, const PerAxis& window, const PoolOptions& options) {
    return lp_pool(x, 2, window, options);
  });
  for (const auto& [p, said] :
       std::vector<std::pair<double, std::string>>{{0, "0"},
                                                   {-1, "-1"},
                                                   {std::numeric_limits<double>::infinity(), "inf"},
                                                   {std::nan(""), "nan"},
                                                   {1e-40, "1e-40"}})
    rows.push_back(row<Error>(
        "lp_pool", "a p of " + said,
        [p = p] {
          return lp_pool(of({1, 1, 4}), p, 2);
        },
        "[lp_pool] p is " + said + "; it is positive, and a number that f32 can hold together with its reciprocal"));
}

void add_adaptive(Rows& rows, const std::string& name, Tensor (*pool)(const Tensor&, const PerAxis&)) {
  const auto wrong = [&](const std::string& what, const Shape& shape, const PerAxis& sizes,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, what, [=] { return pool(huge(shape), sizes); }, "[" + name + "] " + message));
  };
  wrong("no spatial axis", {2, 3}, 2, "takes (n, channels, spatial...) of 1 to 3 spatial axes, got (2, 3)");
  wrong("a number too few", {1, 1, 4, 4}, {2},
        "sizes is (2,), one number for each spatial axis; (1, 1, 4, 4) is not (n, channels, spatial...) or "
        "(channels, spatial...) of 1 to 3 such");
  wrong("a negative size", {1, 1, 4, 4}, {2, -1}, "sizes of axis 3 is -1; it is at least 0");
  wrong("an axis without elements", {1, 1, 4, 0}, {2, 3}, "3 windows of axis 3 of (1, 1, 4, 0), which has no elements");
  const int64_t large = int64_t{1} << 32;
  wrong("unequal windows of a long axis", {1, 1, large}, 3,
        "3 windows of unequal length along axis 2 of (1, 1, 4294967296): both lengths must be below 2^31");
  wrong("unequal windows of many places", {1, 1, 1 << 20, 1 << 20}, 7,
        "(1048576, 1048576) has more elements than i32 counts, 2^31 - 1; work on parts of it");
  wrong("more windows than can be addressed", {1, 1, 1, 1}, int64_t{1} << 32,
        "shape (1, 1, 4294967296, 4294967296)" + too_many);
  add_moved_from(rows, name, [=](const Tensor& x) { return pool(x, 2); });
}

void add_blocks(Rows& rows, const std::string& name, Tensor (*verb)(const Tensor&, int64_t), bool to_space) {
  const auto wrong = [&](const std::string& what, const Shape& shape, int64_t block, const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, what, [=] { return verb(of(shape), block); }, "[" + name + "] " + message));
  };
  wrong("two axes", {4, 4}, 2, "takes (..., channels, height, width), got (4, 4)");
  wrong("a block of 0", {4, 4, 4}, 0, "a block of 0; it is at least 1");
  wrong("a block of -1", {4, 4, 4}, -1, "a block of -1; it is at least 1");
  if (to_space) {
    wrong("channels that no block divides", {1, 6, 4, 4}, 2,
          "the square of a block of 2 does not divide axis 1 of (1, 6, 4, 4): 6");
  } else {
    wrong("a height that no block divides", {1, 6, 5, 4}, 2, "a block of 2 does not divide axis 2 of (1, 6, 5, 4): 5");
    wrong("a width that no block divides", {1, 6, 4, 5}, 2, "a block of 2 does not divide axis 3 of (1, 6, 4, 5): 5");
  }
  const Shape empty = to_space ? Shape{0, 4, 4} : Shape{4, 0, 0};
  wrong("a block beyond 2^31", empty, int64_t{1} << 32,
        "blocks of " + to_string(empty) + " would make an axis longer than 2^63 - 1");
  add_moved_from(rows, name, [=](const Tensor& x) { return verb(x, 2); });
}

}  // namespace

void add_pooling(Rows& rows) {
  add_pools(rows);
  add_adaptive(rows, "adaptive_avg_pool", adaptive_avg_pool);
  add_adaptive(rows, "adaptive_max_pool", adaptive_max_pool);
  add_blocks(rows, "depth_to_space", depth_to_space, true);
  add_blocks(rows, "space_to_depth", space_to_depth, false);
  add_blocks(rows, "pixel_shuffle", pixel_shuffle, true);
  add_blocks(rows, "pixel_unshuffle", pixel_unshuffle, false);
}

}  // namespace eglantine::test::bad_input
