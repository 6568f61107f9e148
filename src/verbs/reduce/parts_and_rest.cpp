#include "verbs/reduce/parts_and_rest.hpp"

#include "graph/planning/ownership/row_chains.hpp"

namespace eglantine::verbs {

std::optional<Split> split_of(const Tensor& x, const Axes& axes) {
  // Of fewer a cache holds what is read a second time: var of 7.4 million on an H200 takes 40 us in two passes, 69 so.
  constexpr int64_t part = 8192, fewest_parts = 8, fewest = int64_t{1} << 24;
  // Elsewhere two passes take less: of 300,156 on the CPU 0.07 ms, in parts 0.32.
  if (!is_gpu(x.device()) || x.size() < fewest || is_whole(x, axes) || x.rank() == max_rank || are_columns(x, axes))
    return std::nullopt;
  if (has_few_parts(x, axes)) return std::nullopt;
  const int axis = x.rank() - 1;
  const int64_t length = x.shape()[axis], head = length / part * part;
  if (length / part < fewest_parts || head == length) return std::nullopt;
  return Split{x.slice(axis, 0, head), x.slice(axis, head, length)};
}

std::optional<SplitColumns> split_columns_of(const Tensor& x, const Axes& axes) {
  // A sum of shorter columns is one dispatch, which a mean alone of few elements would lose.
  constexpr int64_t fewest = int64_t{1} << 22, longest_sum = 16384;
  if (!is_gpu(x.device()) || axes.rank() != 1 || x.rank() == max_rank) return std::nullopt;
  if (x.size() < fewest && x.shape()[static_cast<int>(axes[0])] <= longest_sum) return std::nullopt;
  if (!are_columns(x, axes) || x.node()->is_differentiated() || has_few_parts(x, axes) || is_whole(x, axes))
    return std::nullopt;
  const int axis = static_cast<int>(axes[0]);
  const int64_t length = x.shape()[axis], part = part_with_little_rest(length, longest_part_of_columns(x, length)),
                head = length / part * part;
  if (head == length || head == 0) return std::nullopt;
  std::optional<Parts> parts = cut(x.slice(axis, 0, head), axes);
  if (!parts) return std::nullopt;
  const double share = static_cast<double>(length - head) / static_cast<double>(length);
  return SplitColumns{*std::move(parts), x.slice(axis, head, length), share};
}

}  // namespace eglantine::verbs
