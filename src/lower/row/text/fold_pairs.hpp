#pragma once

#include <string>
#include <vector>

#include "lower/row/schedule/schedule.hpp"

/// Which folds of a row kernel the lanes of a row combine together: from the steps of its chain and the form of its
/// plan.
namespace eglantine::lower {

/// The fold that one walk combines together with this one; or null.
const RowStep* joined_with(const RowChain& chain, const RowStep& fold);

/// A fold that the lanes of a row combine; or two of one pass, which share a barrier.
struct FoldPair {
  const RowStep *fold, *other = nullptr;

  std::string name() const;
};

/// The folds by pairs where two share a barrier, in the order of the passes.
std::vector<FoldPair> fold_pairs_of(const RowPlan& plan, const RowChain& chain);

}  // namespace eglantine::lower
