#include "lower/contraction/schedule/small_product.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "graph/product_choice.hpp"
#include "lower/contraction/schedule/reads.hpp"

namespace eglantine::lower {
namespace {

/// Over the innermost batch axis and those of an operand's matrices, m or n and k.
Span span_of(const Layout& x, int batch, int other, int k) {
  const auto reach = [&](int axis) { return (x.shape[axis] - 1) * std::abs(stride(x, axis)); };
  return {1 + reach(other) + reach(k), std::abs(stride(x, batch))};
}

/// Whether results are stored in their order: else those of short rows are stored in pieces, and narrow ones not at
/// all.
bool gains_by_order(const SmallProduct& small) {
  if (is_narrow(small.product.a.storage)) return !small.columns_together();
  return small.across() < SmallProduct::lanes;
}

/// Whether results in order of so many are whole vectors, if those of fewer are.
bool makes_vectors(const SmallProduct& small, int64_t count) {
  const int64_t unit = vector_width / std::gcd(vector_width, small.results(1));
  return !small.in_order || count < unit || count % unit == 0;
}

}  // namespace

SmallProduct::SmallProduct(const Contraction& of, int rows_each)
    : product(of),
      a(span_of(of.a.layout, of.batch_rank - 1, of.m_axis(), of.k_axis())),
      b(span_of(of.b.layout, of.batch_rank - 1, of.n_axis(), of.k_axis())),
      rows(rows_each),
      in_order(true) {
  in_order = gains_by_order(*this) && count() > 0;
}

bool SmallProduct::columns_together() const {
  return is_narrow(product.a.storage) && vectors_along(product.out.layout, product.n_axis());
}

int64_t SmallProduct::column_step() const {
  return (columns_together() ? columns_each : 1) * stride(product.b.layout, product.n_axis());
}

int64_t SmallProduct::elements(int64_t count) const {
  const int64_t operands = in_vectors(a.of(count)) + in_vectors(b.of(count));
  if (!in_order) return operands;
  // The last vector may pass their end.
  const int64_t ordered = round_up(results(count), vector_width);
  return over_operands(count) ? std::max(operands, ordered) : operands + ordered;
}

int64_t SmallProduct::count() const {
  const auto wanted = static_cast<uint64_t>(ceil_divide(group, tiles())),
             at_most = static_cast<uint64_t>(std::max<int64_t>(1, group / tiles()));
  auto count = static_cast<int64_t>(in_order ? std::bit_floor(at_most) : std::bit_ceil(wanted));
  while (elements(count) > most_small_elements || count >= 2 * matrices() || !makes_vectors(*this, count)) {
    count = std::has_single_bit(static_cast<uint64_t>(count)) ? count * 3 / 4 : count * 2 / 3;
    if (count == 0) break;
  }
  return count;
}

bool SmallProduct::stores_vectors(int64_t count) const {
  const bool alone = product.batch_rank == 1;
  return results(count) % vector_width == 0 && (alone || results(matrices()) % vector_width == 0);
}

}  // namespace eglantine::lower
