#include "eglantine/verbs/counting.hpp"

#include <limits>

#include "trust/bad_input/row.hpp"

/// Searching and counting.
namespace eglantine::test::bad_input {
namespace {

constexpr int64_t long_axis = 3000000000;

void add_searchsorted(Rows& rows) {
  const OfTwo call = [](const Tensor& x, const Tensor& y) { return searchsorted(x, y); };
  const auto wrong = [&](const std::string& what, const Tensor& sorted, const Tensor& values,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "searchsorted", what, [=] { return call(sorted, values); }, "[searchsorted] " + message));
  };
  const std::string fit = " must have the same axes but the last, or `sorted` rank 1";
  wrong("a scalar", of({}), of({3}), "a scalar has no order: `sorted` needs an axis");
  wrong("rows of another number", of({3, 4}), of({2, 4}), "`sorted` (3, 4) and the values (2, 4)" + fit);
  wrong("values of another rank", of({3, 4}), of({3}), "`sorted` (3, 4) and the values (3,)" + fit);
  wrong("a row beyond i32", huge({long_axis}), of({3}),
        "axis 0 of (3000000000,) is longer than i32 places reach, 2^31 - 1; work on slices of it");
  rows.push_back(row<DTypeError>(
      "searchsorted", "dtypes that nothing holds both of",
      [=] { return call(of({3}, DType::i32), of({3}, DType::u32)); },
      "[searchsorted] no dtype holds both i32 and u32; convert one with astype"));
  add_two_devices(rows, "searchsorted", call);
  add_moved_from(rows, "searchsorted", [=](const Tensor& x) { return call(x, of({3})); });
  add_moved_from(rows, "searchsorted", [=](const Tensor& x) { return call(of({3}), x); });
}

void add_bincount(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Tensor& x, const Tensor& weights, int64_t least,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "bincount", what, [=] { return bincount(x, weights, least); }, "[bincount] " + message));
  };
  const Tensor numbers = zeros({3}, DType::i32);
  wrong("a matrix", zeros({2, 2}, DType::i32), {}, 0, "wants a tensor of rank 1, the shape is (2, 2); flatten it");
  wrong("a scalar", zeros({}, DType::i32), {}, 0, "wants a tensor of rank 1, the shape is (); flatten it");
  wrong("weights of another shape", numbers, of({4}), 0, "the weights (4,) must have the shape of the numbers (3,)");
  wrong("a negative least length", numbers, {}, -1, "minlength is -1, and must lie in [0, 2^31 - 1]");
  wrong("a least length beyond i32", numbers, {}, long_axis, "minlength is 3000000000, and must lie in [0, 2^31 - 1]");
  wrong("too long", huge({long_axis}, DType::i32), {}, 0,
        "(3000000000,) has more elements than i32 counts, 2^31 - 1; work on parts of it");
  for (uint32_t most : {2147483647U, 4294967295U})
    wrong("a number beyond i32", Tensor::from({1U, most}, {2}), {}, 0,
          "the number " + std::to_string(most) + " would need more than 2^31 - 1 counts");
  rows.push_back(row<DTypeError>(
      "bincount", "floats", [] { return bincount(of({3})); },
      "[bincount] takes integers or booleans, got f32; convert with astype"));
  for (int32_t number : {-1, INT32_MIN})
    rows.push_back(row<IndexError>(
        "bincount", "a negative number",
        [=] {
          return bincount(Tensor::from({0, number, -5}, {3}));
        },
        "[bincount] the number " + std::to_string(number) + " at (1,) is negative"));
  add_two_devices(
      rows, "bincount", [](const Tensor& x, const Tensor& y) { return bincount(x, y); }, DType::i32);
  add_moved_from(rows, "bincount", [](const Tensor& x) { return bincount(x); });
}

void add_histogram(Rows& rows) {
  const auto call = [](const Tensor& x, int64_t bins, float low, float high) {
    return histogram(x, bins, low, high).first;
  };
  for (int64_t bins : {int64_t{0}, int64_t{-1}, long_axis})
    rows.push_back(row<ShapeError>(
        "histogram", std::to_string(bins) + " bins", [=] { return call(of({3}), bins, 0, 1); },
        "[histogram] bins is " + std::to_string(bins) + ", and must lie in [1, 2^31 - 3]"));
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::tuple<float, float, std::string>> ranges = {{1, 1, "1 and 1"},
                                                                     {2, 1, "2 and 1"},
                                                                     {0, infinity, "0 and inf"},
                                                                     {-infinity, 0, "-inf and 0"},
                                                                     {nan, 1, "nan and 1"}};
  for (const auto& [low, high, said] : ranges)
    rows.push_back(row<Error>(
        "histogram", "from " + said, [=, low = low, high = high] { return call(of({3}), 4, low, high); },
        "[histogram] low and high must be finite, and low less than high, got " + said));
  rows.push_back(row<ShapeError>(
      "histogram", "too many elements", [=] { return call(huge({long_axis}), 4, 0, 1); },
      "[histogram] (3000000000,) has more elements than i32 counts, 2^31 - 1; work on parts of it"));
  add_moved_from(rows, "histogram", [=](const Tensor& x) { return call(x, 4, 0, 1); });
}

void add_unique(Rows& rows, const std::string& name, const OfOne& call) {
  rows.push_back(row<ShapeError>(
      name, "too many elements", [=] { return call(huge({long_axis})); },
      "[" + name + "] (3000000000,) has more elements than i32 counts, 2^31 - 1; work on parts of it"));
  add_moved_from(rows, name, call);
}

}  // namespace

void add_counting(Rows& rows) {
  add_searchsorted(rows);
  add_bincount(rows);
  add_histogram(rows);
  add_unique(rows, "unique_all", [](const Tensor& x) { return unique_all(x).values; });
  add_unique(rows, "unique_counts", [](const Tensor& x) { return unique_counts(x).values; });
  add_unique(rows, "unique_inverse", [](const Tensor& x) { return unique_inverse(x).values; });
  add_unique(rows, "unique_values", unique_values);
}

}  // namespace eglantine::test::bad_input
