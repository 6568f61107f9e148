#include "lower/row/text/fold_pairs.hpp"

#include <algorithm>

namespace eglantine::lower {

using What = RowStep::What;

const RowStep* joined_with(const RowChain& chain, const RowStep& fold) {
  if (fold.what != What::fold) return nullptr;
  const auto found = std::ranges::find_if(chain.steps, [&](const RowStep& other) {
    return other.what == What::fold && other.joins != RowStep::Joins::none && other.base == fold.value;
  });
  return found == chain.steps.end() ? nullptr : &*found;
}

std::string FoldPair::name() const {
  return "eg_fold" + std::to_string(fold->value) + (other != nullptr ? "_" + std::to_string(other->value) : "");
}

std::vector<FoldPair> fold_pairs_of(const RowPlan& plan, const RowChain& chain) {
  std::vector<FoldPair> pairs;
  const bool in_pairs = plan.subgroups && !plan.staged && plan.lanes > lanes_of_a_subgroup;
  for (const RowStep& step : chain.steps) {
    if (step.what != What::fold || step.joins != RowStep::Joins::none) continue;
    const RowStep* joined = joined_with(chain, step);
    FoldPair* last = pairs.empty() ? nullptr : &pairs.back();
    if (in_pairs && joined == nullptr && last != nullptr && last->other == nullptr && last->fold->pass == step.pass &&
        last->fold->joins == RowStep::Joins::none && joined_with(chain, *last->fold) == nullptr)
      last->other = &step;
    else
      pairs.push_back({&step});
    if (joined != nullptr) pairs.push_back({joined});
  }
  return pairs;
}

}  // namespace eglantine::lower
