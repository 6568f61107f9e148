#include "eglantine/verbs/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "layout/layout.hpp"
#include "verbs/creation/linspace.hpp"
#include "verbs/index/index.hpp"
#include "verbs/network/load_at.hpp"

/// Searching and counting. What unique gives is in unique.cpp.
namespace eglantine {

namespace {

using check::fail;

constexpr int64_t most_i32 = std::numeric_limits<int32_t>::max();

void require_rows(const Tensor& sorted, const Tensor& values) {
  if (sorted.rank() == 0) fail<ShapeError>("searchsorted", "a scalar has no order: `sorted` needs an axis");
  const int last = sorted.rank() - 1;
  check::i32_axis_of("searchsorted", last, sorted.shape());
  bool fits = last == 0 || values.rank() == sorted.rank();
  for (int i = 0; fits && i < last; ++i) fits = values.shape()[i] == sorted.shape()[i];
  if (!fits)
    fail<ShapeError>("searchsorted", "`sorted` ", to_string(sorted.shape()), " and the values ",
                     to_string(values.shape()), " must have the same axes but the last, or `sorted` rank 1");
}

/// The dtype that both are searched in.
DType searched_as(const Tensor& sorted, const Tensor& values) {
  const DType dtype = computed_type(check::common_dtype("searchsorted", sorted.dtype(), values.dtype()));
  return dtype == DType::boolean ? DType::u32 : dtype;
}

/// How many indices name each of `length` places; or the sum of their weights.
Tensor counts_of(const std::string& function, const Tensor& index, const Tensor& weights, int64_t length) {
  const Tensor start = zeros({length}, weights.dtype(), index.device());
  IntList none;
  for (int i = 0; i < index.rank(); ++i) none.push_back(-1);
  return verbs::scattered(start, 0, index.node(), weights, none, Reduction::sum,
                          {function, start.shape(), 0, index.shape(), layout::contiguous(index.shape())}, index);
}

Tensor ones_for(const Tensor& index) { return ones(index.shape(), DType::i32, index.device()); }

void require_numbers(const Tensor& x, const Tensor& weights, int64_t minlength) {
  if (x.rank() != 1)
    fail<ShapeError>("bincount", "wants a tensor of rank 1, the shape is ", to_string(x.shape()), "; flatten it");
  if (is_float(x.dtype()))
    fail<DTypeError>("bincount", "takes integers or booleans, got ", name_of(x.dtype()), "; convert with astype");
  if (minlength < 0 || minlength > most_i32)
    fail<ShapeError>("bincount", "minlength is ", std::to_string(minlength), ", and must lie in [0, 2^31 - 1]");
  check::require_i32_count("bincount", x.shape());
  if (!weights.defined()) return;
  check::require_same_device("bincount", x, weights);
  if (weights.shape() != x.shape())
    fail<ShapeError>("bincount", "the weights ", to_string(weights.shape()), " must have the shape of the numbers ",
                     to_string(x.shape()));
}

[[noreturn]] void fail_negative(const Tensor& x) {
  const std::vector<int32_t> numbers = x.to_vector<int32_t>();
  const auto found = std::find_if(numbers.begin(), numbers.end(), [](int32_t number) { return number < 0; });
  fail<IndexError>("bincount", "the number ", std::to_string(*found), " at ", to_string(Shape{found - numbers.begin()}),
                   " is negative");
}

/// The largest number + 1. Waits.
int64_t length_for(const Tensor& x) {
  if (x.size() == 0) return 0;
  // Negative numbers are the largest as u32: one reduction finds both.
  const int64_t largest = max(x.astype(DType::u32)).item<uint32_t>();
  if (largest > most_i32 && x.dtype() != DType::u32) fail_negative(x);
  if (largest >= most_i32)
    fail<ShapeError>("bincount", "the number ", std::to_string(largest), " would need more than 2^31 - 1 counts");
  return largest + 1;
}

void require_range(const Tensor& x, int64_t bins, float low, float high) {
  if (bins < 1 || bins > most_i32 - 2)
    fail<ShapeError>("histogram", "bins is ", std::to_string(bins), ", and must lie in [1, 2^31 - 3]");
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
    fail<Error>("histogram", "low and high must be finite, and low less than high, got ", Scalar(low).text(), " and ",
                Scalar(high).text());
  check::require_i32_count("histogram", x.shape());
}

/// Whether division is at most a quarter of a bin off: bins are much wider than what edges and differences round.
bool is_estimable(int64_t bins, float low, float high) {
  const double width = (static_cast<double>(high) - low) / static_cast<double>(bins);
  const double largest = std::max(std::abs(static_cast<double>(low)), std::abs(static_cast<double>(high)));
  return bins <= 1 << 20 && high - low <= std::numeric_limits<float>::max() && width >= 0x1p-20 * largest &&
         width >= 0x1p-100;
}

/// The place of each x among the edges: 0 below the first and for NaN, bins + 1 from the last on. One step where a
/// search takes many: the edge that division finds nearest is the only one whose side of x is open.
Tensor place_by_division(const Tensor& x, const Tensor& edges, int64_t bins, float low, float high) {
  const auto per_bin = static_cast<float>(static_cast<double>(bins) / (static_cast<double>(high) - low));
  // Built anew for each reader: a value with two would be stored.
  const auto nearest = [&] { return clip(round((x - low) * per_bin).astype(DType::i32), 0, bins); };
  const Tensor edge =
      verbs::can_load_at(edges, {0}) ? verbs::load_at(edges, {0}, {nearest()}, x.shape()) : take(edges, nearest(), 0);
  return nearest() + (x >= edge).astype(DType::i32);
}

}  // namespace

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right) {
  check::require_same_device("searchsorted", sorted, values);
  require_rows(sorted, values);
  const DType dtype = searched_as(sorted, values);
  if (sorted.size() == 0 || values.size() == 0) return zeros(values.shape(), DType::i32, values.device());
  const int last = sorted.rank() - 1;
  IntList axes;
  for (int i = 0; i < values.rank(); ++i) axes.push_back(i < last ? i : -1);
  return pend(make_gather({sorted.astype(dtype).node(), values.astype(dtype).node(), axes, last, nullptr,
                           right ? Lookup::upper_bound : Lookup::lower_bound}));
}

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength) {
  require_numbers(x, weights, minlength);
  const int64_t length = std::max(length_for(x), minlength);
  const Tensor index = x.astype(DType::i32);
  return counts_of("bincount", index, weights.defined() ? verbs::to_f32(weights) : ones_for(index), length);
}

std::pair<Tensor, Tensor> histogram(const Tensor& x, int64_t bins, float low, float high) {
  require_range(x, bins, low, high);
  const std::optional<Tensor> table = verbs::few_on_a_line(low, high, bins + 1, x.device());
  const Tensor edges = table ? *table : linspace(low, high, bins + 1, DType::f32, x.device());
  const Tensor y = verbs::to_f32(x);
  const Tensor found =
      is_estimable(bins, low, high) ? place_by_division(y, edges, bins, low, high) : searchsorted(edges, y, true);
  // What lies outside, as NaN does, counts as 0 in the bin that is nearest: no counts but those that are wanted need to
  // be stored, and moved. The last edge belongs to the bin before it.
  const Tensor bin = clip(found - 1, 0, static_cast<int32_t>(bins) - 1);
  const Tensor inside = logical_and(y >= low, y <= high).astype(DType::i32);
  // What a table holds others read as well, so the caller has a copy.
  return {counts_of("histogram", bin, inside, bins), table ? verbs::elementwise(Op::copy, edges) : edges};
}

}  // namespace eglantine
