#pragma once

#include <optional>

#include "verbs/build.hpp"

/// Means that the parts of a variance give: in a plan that has both, one kernel reads the elements.
namespace eglantine::verbs {

/// Of more elements the time that a caller saves by one node does not count.
inline constexpr int64_t most_of_one_node = (int64_t{1} << 26) - 1;

/// All of x in the order of memory, where `axes` are all that it has, on a GPU; else x.
Tensor all_in_memory(const Tensor& x, const Axes& axes);

/// Whether x is what a variance takes in parts, on a GPU, whose means a mean of all of it has none of
/// (parts_of_mean()).
bool may_share_mean(const Tensor& x, const Axes& axes);

/// Whether x's long columns are in memory: a variance of them, and a mean, are one node each then, of which the plan
/// that has both shares the parts.
bool are_columns_of_one_node(const Tensor& x, const Axes& axes);

/// The same of rows whose variance is one node, too, which no kernel takes whole, and whose mean has no parts of its
/// own.
bool are_rows_of_one_node(const Tensor& x, const Axes& axes);

/// The mean of any of them as one node, which takes what a variance in its plan shares; without the axes.
Tensor mean_as_one(const Tensor& x, const Axes& axes);

/// x, where `squares` are (x - m)², spelled in either way, of x in memory and its mean m along `axes`, on a GPU: their
/// mean then is x's variance, whose plan reads x once for both.
std::optional<Tensor> spread_of(const Tensor& squares, const Axes& axes);

}  // namespace eglantine::verbs
