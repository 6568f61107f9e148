#include "verbs/einsum/order.hpp"

#include <algorithm>
#include <tuple>

namespace eglantine::verbs {

namespace {

/// a's labels, then those that b alone has.
Labels joined(const Labels& a, const Labels& b) {
  Labels all = a;
  for (const Label label : b)
    if (!contains(a, label)) all.push_back(label);
  return all;
}

/// The least comes first.
using Cost = std::tuple<bool, double, double>;

Cost cost_of(const SumOfProducts& sum, size_t i, size_t j, const Labels& product) {
  const Labels &a = sum.operands[i], &b = sum.operands[j], all = joined(a, b);
  const auto elements = [&](const Labels& labels) { return elements_of(labels, sum.lengths); };
  return {all.size() == a.size() + b.size(), elements(product) - elements(a) - elements(b), elements(all)};
}

}  // namespace

Labels labels_of_pair(const SumOfProducts& sum, size_t i, size_t j) {
  const Labels both = joined(sum.operands[i], sum.operands[j]);
  const auto is_elsewhere = [&](Label label) {
    for (size_t k = 0; k < sum.operands.size(); ++k)
      if (k != i && k != j && contains(sum.operands[k], label)) return true;
    return false;
  };
  Labels result;
  for (const Label label : sum.output)
    if (contains(both, label)) result.push_back(label);
  for (const Label label : both)
    if (!contains(sum.output, label) && is_elsewhere(label)) result.push_back(label);
  return result;
}

std::optional<std::pair<size_t, size_t>> next_pair(const SumOfProducts& sum) {
  std::optional<std::pair<size_t, size_t>> best;
  Cost least{};
  for (size_t i = 0; i < sum.operands.size(); ++i)
    for (size_t j = i + 1; j < sum.operands.size(); ++j) {
      const Labels product = labels_of_pair(sum, i, j);
      if (product.size() > max_rank) continue;
      const Cost cost = cost_of(sum, i, j, product);
      if (best && !(cost < least)) continue;
      best = {i, j};
      least = cost;
    }
  return best;
}

}  // namespace eglantine::verbs
