#include "eglantine/verbs/counting.hpp"
#include "layout/layout.hpp"
#include "verbs/index/index.hpp"
#include "verbs/movement/remap.hpp"

/// Each value once. Where runs of equal elements start in order, a scan of those places numbers them.
namespace eglantine {

namespace {

using check::fail;
using verbs::Counted;

/// Whether each element but the first differs from the one before.
Tensor starts_of(const Tensor& sorted) {
  const Tensor later = sorted.slice(0, 1), earlier = sorted.slice(0, 0, -1);
  const Tensor differs = ne(later, earlier);
  if (!is_float(sorted.dtype())) return differs;
  return logical_and(differs, logical_not(logical_and(isnan(later), isnan(earlier))));
}

/// Runs of equal elements, of which the first starts at place 0.
struct Runs {
  Counted later;  ///< where the others start, from place 1 on
  int64_t count() const { return later.count + 1; }

  /// One element for each run: the first of x, of x's elements at the runs' starts.
  Tensor first_of(std::string_view function, const Tensor& x) const {
    // The first fills the result, and the others overwrite it from the second on.
    const NodePtr first = x.slice(0, 0, 1).expand({count()}).node();
    const Tensor index = where(later.mask, later.places, static_cast<int32_t>(count()));
    return verbs::compact(function, index, x.slice(0, 1), count(), first);
  }
};

Runs runs_of(std::string_view function, const Tensor& sorted) { return {verbs::counted(function, starts_of(sorted))}; }

/// x's elements, widened, in order with their places, where there are several.
std::pair<Tensor, Tensor> in_order(const Tensor& x) {
  const Tensor flat = verbs::widened(x.reshape({x.size()}));
  const NodePtr sorted = make_sort({flat.node(), nullptr, 0, false, nodes::Sorted::both}, flat.shape(), flat.dtype());
  return {pend(sorted), pend(make_second_output(sorted, DType::i32))};
}

/// Of no element, or of one.
UniqueAll unique_of_few(const Tensor& x) {
  const auto number = [&](const Shape& shape, int32_t value) { return full(shape, value, DType::i32, x.device()); };
  const Shape all{x.size()};
  return {x.reshape(all), number(all, 0), number(x.shape(), 0), number(all, 1)};
}

UniqueAll unique_with(std::string_view function, const Tensor& x) {
  check::require_i32_count(function, x.shape());
  if (x.size() <= 1) return unique_of_few(x);
  const auto [sorted, places] = in_order(x);
  const Runs runs = runs_of(function, sorted);
  const Tensor starts = runs.first_of(function, verbs::iota(x.device(), sorted.shape()).astype(DType::i32));
  // Each run ends where the next one starts, the last at the end.
  const int64_t last = runs.count() - 1;
  layout::AxisMap later{runs.count(), 0, last, {}};
  if (last > 0) later.pieces = {{0, 1, 1}};
  const Tensor ends = verbs::remapped(starts, {later}, static_cast<uint32_t>(x.size()));
  // The first in order is of run 0, with which the result starts.
  const Tensor zero = zeros({x.size()}, DType::i32, x.device());
  const Tensor inverse =
      verbs::compact(function, places.slice(0, 1), runs.later.places, x.size(), zero.node()).reshape(x.shape());
  const Tensor values = runs.first_of(function, sorted).astype(x.dtype());
  return {values, runs.first_of(function, places), inverse, sub(ends, starts)};
}

}  // namespace

Tensor unique(const Tensor& sorted) {
  if (sorted.rank() != 1)
    fail<ShapeError>("unique", "wants a tensor of rank 1, the shape is ", to_string(sorted.shape()));
  if (sorted.size() <= 1) return sorted;
  const Tensor wide = verbs::widened(sorted);
  return runs_of("unique", wide).first_of("unique", wide).astype(sorted.dtype());
}

UniqueAll unique_all(const Tensor& x) { return unique_with("unique_all", x); }

UniqueCounts unique_counts(const Tensor& x) {
  const UniqueAll all = unique_with("unique_counts", x);
  return {all.values, all.counts};
}

UniqueInverse unique_inverse(const Tensor& x) {
  const UniqueAll all = unique_with("unique_inverse", x);
  return {all.values, all.inverse_indices};
}

Tensor unique_values(const Tensor& x) {
  check::require_i32_count("unique_values", x.shape());
  if (x.size() <= 1) return x.reshape({x.size()});
  const Tensor sorted = sort(verbs::widened(x.reshape({x.size()})));
  return runs_of("unique_values", sorted).first_of("unique_values", sorted).astype(x.dtype());
}

}  // namespace eglantine
