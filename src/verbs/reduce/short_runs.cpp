#include "verbs/reduce/short_runs.hpp"

#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"

namespace eglantine::verbs {

bool has_short_runs(const Tensor& x, const Axes& axes) {
  constexpr int64_t longest_run = 16, most_in_cache = int64_t{1} << 22, fewest_beside = 64;
  const int rank = x.rank(), last = axes.rank() - 1;
  if (!is_gpu(x.device()) || last < 1 || x.size() < most_in_cache || rank == max_rank) return false;
  const int64_t run = x.shape()[rank - 1], beside = count_over("var", x.shape(), axes) / run;
  bool kept_between = false;
  for (int64_t axis = axes[last - 1] + 1; axis < rank - 1; ++axis)
    kept_between = kept_between || x.shape()[static_cast<int>(axis)] > 1;
  return axes[last] == rank - 1 && kept_between && run > 1 && run <= longest_run && beside >= fewest_beside;
}

std::optional<Parts> with_runs_as_columns(const Tensor& x, const Axes& axes) {
  const Axes beside(axes.begin(), axes.end() - 1);
  const bool fits = has_rows_of_a_kernel(*x.node(), beside, limits_of(*x.node()));
  std::optional<Parts> parts = fits ? Parts{x, beside, {}} : cut(x, beside);
  if (parts) parts->outer.push_back(parts->x.rank() - parts->inner.rank() - 1);
  return parts;
}

}  // namespace eglantine::verbs
