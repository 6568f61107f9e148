#include "graph/planning/recomputation/read_often.hpp"

#include <algorithm>

#include "graph/op/op_info.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "graph/planning/recomputation/computations.hpp"
#include "graph/planning/recomputation/fusion.hpp"
#include "graph/traversal.hpp"

namespace eglantine {

namespace {

bool is_of_many_steps(const Node& x) {
  const auto* elementwise = x.as<nodes::Elementwise>();
  return elementwise != nullptr && has_many_steps(elementwise->op, elementwise->args[0]->dtype);
}

/// Whether x is made, in many steps, of what is in memory and of reductions that are no rows of a kernel of so many
/// elements.
bool is_made_apart(const Node& x, int64_t elements, const std::unordered_set<const Node*>& materialized,
                   const DeviceLimits& device) {
  bool is_apart = true, many = is_of_many_steps(x);
  sources_first(sources_of(x), [&](const Node& node) {
    const auto* reduce = node.as<nodes::Reduce>();
    const bool is_no_row = reduce != nullptr && (reduce->arg->shape.elements() != elements || !rows_of(node, device));
    const bool fuses = node.is_elementwise() || node.as<nodes::View>() || node.as<nodes::Remap>() ||
                       node.as<nodes::Constant>() || node.as<nodes::Iota>();
    if (materialized.count(&node) != 0 || !is_pending(node)) return false;
    is_apart = is_apart && (reduce != nullptr ? is_no_row : fuses);
    many = many || is_of_many_steps(node);
    return fuses;
  });
  return is_apart && many;
}

/// Whether x is the sum of many products, each added to those before.
bool is_sum_of_products(const Node& x) {
  constexpr int many = 8;
  const Node* at = &x;
  for (int products = 0; products < many; ++products) {
    const auto* step = at->as<nodes::Elementwise>();
    if (at->is_computed() || step == nullptr || step->op != Op::multiply_add) return false;
    at = step->args[2].get();
  }
  return true;
}

}  // namespace

bool is_read_often(const Node& x, const Reads& reads, const Ownership& owners, const DeviceLimits& device) {
  constexpr int64_t often = 64, many = int64_t{1} << 20;
  if (x.as<nodes::Elementwise>() == nullptr || reads.empty()) return false;
  const bool is_often = std::ranges::all_of(reads, [&](const Read& read) {
    const int64_t elements = computations_by(read, owners);
    return elements != unknown_count && elements >= many && elements / often >= x.shape.elements();
  });
  if (!is_often) return false;
  if (is_of_many_steps(x) && is_elementwise_to_memory(x, owners.materialized)) return true;
  return std::ranges::all_of(reads, [&](const Read& read) {
    return owners.rows_at(*read.kernel) == nullptr &&
           is_made_apart(x, computations_by(read, owners), owners.materialized, device);
  });
}

bool is_sum_read_often(const Node& x, const Reads& reads, const Ownership& owners) {
  constexpr int64_t often = 4;
  return is_sum_of_products(x) && std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
           const int64_t elements = computations_by(read, owners);
           return elements != unknown_count && elements / often >= x.shape.elements();
         });
}

}  // namespace eglantine
