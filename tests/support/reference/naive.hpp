#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "support/array.hpp"

/// Every verb as naive loops over indices, in double. Shares nothing with the library: no layouts, strides or table.
namespace eglantine::test::naive {

using Axis = int64_t;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// ---- element-wise, broadcasting ----
Dims broadcast(const Dims& a, const Dims& b);
Array expand(const Array& x, const Dims& shape);
Array map(const Array& x, DType result, const std::function<double(double)>& f);
Array map(const Array& a, const Array& b, DType result, const std::function<double(double, double)>& f);
Array map(const Array& a, const Array& b, const Array& c, DType result,
          const std::function<double(double, double, double)>& f);
Array cast(const Array& x, DType dtype);
/// What sums and products count in: booleans, i8 and u8 in i32.
DType counted(DType dtype);
/// Of two elements; of integers it wraps, with the low bits that a double would lose.
double product(DType dtype, double a, double b);

// ---- movement ----
Array reshape(const Array& x, const Dims& shape);
Array permute(const Array& x, const std::vector<Axis>& axes);
Array transpose(const Array& x, Axis a, Axis b);
Array flip(const Array& x, const std::vector<Axis>& axes);
Array crop(const Array& x, const Pairs& start_stop);
Array pad(const Array& x, const Pairs& before_after, double value);
/// Python's x[start:stop:step] along one axis.
Array slice(const Array& x, Axis axis, int64_t start, std::optional<int64_t> stop, int64_t step);
Array concatenate(const std::vector<Array>& parts, Axis axis);
Array stack(const std::vector<Array>& parts, Axis axis);

// ---- reductions ----
/// f of the reduced elements of each kept index, in row-major order; no axes mean all.
Array reduce(const Array& x, std::vector<Axis> axes, bool keepdims, DType result,
             const std::function<double(const std::vector<double>&)>& f);
Array sum(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
Array prod(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
/// NaN if any element is NaN.
Array max(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
Array min(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
/// The first of equal elements; the first NaN if any.
Array argmax(const Array& x, Axis axis, bool keepdims = false);
Array argmin(const Array& x, Axis axis, bool keepdims = false);
Array sum_of_absolutes(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
Array mean(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
Array var(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);
Array logsumexp(const Array& x, const std::vector<Axis>& axes, bool keepdims = false);

// ---- scans ----
/// Combines the elements along an axis serially: up to and including each; if `exclusive`, up to the one before it,
/// starting with `start`; if `reverse`, from the last on.
struct ScanWay {
  bool exclusive = false, reverse = false;
};
Array scan(const Array& x, Axis axis, ScanWay way, DType result, double start,
           const std::function<double(double, double)>& combine);
Array cumsum(const Array& x, Axis axis, ScanWay way = {});
Array cumprod(const Array& x, Axis axis, ScanWay way = {});
Array cummax(const Array& x, Axis axis, ScanWay way = {});
Array cummin(const Array& x, Axis axis, ScanWay way = {});
// ---- tiles ----
/// f of the elements of each tile, in row-major order; tiles at the far edges may be smaller.
Array reduce_tiles(const Array& x, const Dims& tile, DType result,
                   const std::function<double(const std::vector<double>&)>& f);

// ---- contraction ----
/// NumPy's matmul. Integers wrap.
Array matmul(const Array& a, const Array& b);
/// The sums of the products' absolute values, to which matmul's error bound is relative.
Array absolute_matmul(const Array& a, const Array& b);

// ---- order ----
/// A stable sort along an axis: the keys in order, and their places (i32). NaN comes last in both directions.
struct Sorted {
  Array keys, places;
};
Sorted sort(const Array& x, Axis axis = -1, bool descending = false);
/// The elements of x at the places, along the axis.
Array at_places(const Array& x, const Array& places, Axis axis = -1);
Sorted topk(const Array& x, int64_t k, Axis axis = -1, bool largest = true);

}  // namespace eglantine::test::naive
