#pragma once

#include <optional>
#include <utility>

#include "verbs/einsum/labels.hpp"

/// In which order the operands of a sum of products are multiplied; without tensors.
namespace eglantine::verbs {

/// The labels of the product of operands i and j, summed over what neither the output nor another operand has: first
/// those that the output has, in its order.
Labels labels_of_pair(const SumOfProducts& sum, size_t i, size_t j);

/// Which two operands to multiply next (i < j): greedily the pair that frees the most memory, elements(product) -
/// elements(a) - elements(b) being least. Pairs without a common label come after all others; of equals the one with
/// the fewest multiplications is taken, then the first. Nothing where every product has more than max_rank axes.
/// The rule of NumPy's einsum_path("greedy") and of opt_einsum (Smith and Gray, "opt_einsum: a Python package for
/// optimizing contraction order for einsum-like expressions", 2018).
std::optional<std::pair<size_t, size_t>> next_pair(const SumOfProducts& sum);

}  // namespace eglantine::verbs
