#pragma once

#include <optional>
#include <utility>

#include "verbs/reduce/parts.hpp"

/// Long rows that no divisor of their length cuts into few parts: most of each in equal parts, and a shorter rest,
/// which is reduced apart. On GPUs, of many elements.
namespace eglantine::verbs {

/// x along the last of `axes`, which is x's last: what parts_of() cuts, and the shorter rest.
struct Split {
  Tensor head, rest;
};

/// Of many elements in rows that no kernel takes whole and no divisor cuts into as few parts as a kernel joins; nothing
/// else, and nothing of columns.
std::optional<Split> split_of(const Tensor& x, const Axes& axes);
/// Mean and variance of both together, without the axes.
std::pair<Tensor, Tensor> moments_of(const Split& split, const Axes& axes);

/// Columns whose length gives no parts, or more than a kernel joins: `head` is cut into equal ones, `rest` is what few
/// rows are left.
struct SplitColumns {
  Parts head;
  Tensor rest;
  double share = 0;  ///< of the rest, among all
};

/// Of many elements or long columns, through which no derivative goes.
std::optional<SplitColumns> split_columns_of(const Tensor& x, const Axes& axes);

}  // namespace eglantine::verbs
