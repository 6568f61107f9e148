#include "lower/map/transpose/other_orders.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "lower/across.hpp"
#include "lower/expressions.hpp"
#include "lower/map/transpose/transpose_program.hpp"

namespace eglantine::lower {
namespace {

/// Operands of so many elements along the results' rows that lie across them and are not staged.
std::vector<size_t> others_across(const Expr& value, const Transposed& staged) {
  constexpr int64_t shortest_row = 64;  // of shorter ones the cache holds what neighbouring rows read
  const int inner = value.domain.rank() - 1;
  std::vector<size_t> others;
  if (value.domain[inner] < shortest_row) return others;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const bool is_staged = std::ranges::count(staged.operands, static_cast<int>(i)) != 0;
    if (!is_staged && !value.stores(i) && value.piecewise_of(i) == nullptr &&
        lies_across(value.operands[i], inner, value.domain.elements()))
      others.push_back(i);
  }
  return others;
}

/// Whether the device binds so many copies beside what the map reads, each buffer by vectors and by elements, and its
/// result.
bool binds(const Target& target, const Expr& value, size_t copies) {
  std::set<const Buffer*> buffers;
  for (const Strided& x : value.operands) buffers.insert(x.buffer.get());
  return static_cast<int64_t>(2 * buffers.size() + copies + 1) <= target.max_bindings;
}

}  // namespace

std::optional<MapKernel> with_other_orders_copied(Lowering& lowering, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  if (value.operands.size() < 2 || !is_worth_a_copy(lowering.target(), value.domain.elements())) return std::nullopt;
  const std::optional<Transposed> staged = transposed_operands(lowering.target(), value);
  if (!staged) return std::nullopt;
  const std::vector<size_t> others = others_across(value, *staged);
  constexpr size_t most_copies = 2;  // each as much memory as the results
  if (others.empty() || others.size() > most_copies || !binds(lowering.target(), value, others.size()))
    return std::nullopt;
  Axes order;
  for (int axis = 0; axis < value.domain.rank(); ++axis) order.push_back(axis);
  MapKernel ordered = kernel;
  for (const size_t i : others)
    ordered.value.operands[i] = materialize_in_order(lowering, load_of(value.operands[i]), order);
  return ordered;
}

}  // namespace eglantine::lower
