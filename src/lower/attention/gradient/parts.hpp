#pragma once

#include <utility>

#include "lower/attention/gradient/program.hpp"

/// Parts of attention's gradient: of its heads and lines, which are results of their own, and of the heads that are
/// summed and of the others, whose results are added.
namespace eglantine::lower {

using AttentionGradientHalves = std::pair<AttentionGradientPart, AttentionGradientPart>;

/// Both halves of the heads of k and v, or of q's gradient.
AttentionGradientHalves halves_of_heads(const AttentionGradientPart& part);
/// Of one such head: the lines before `first`, and the rest.
AttentionGradientHalves halves_of_lines(const AttentionGradientPart& part, int64_t first);

/// Halves that each have a sum over all lines: of the heads together, and of one head's others.
AttentionGradientHalves halves_of_sum(const AttentionGradientPart& part);
AttentionGradientHalves halves_of_others(const AttentionGradientPart& part, int64_t first);

/// Where the results of two such halves lie, and the steps that add them.
class AttentionGradientSums {
 public:
  /// The halves give their results there.
  AttentionGradientSums(Lowering& lowering, AttentionGradientHalves& halves);
  void add(Lowering& lowering, const AttentionGradientKernel& whole) const;

 private:
  Strided out_, second_;
};

}  // namespace eglantine::lower
