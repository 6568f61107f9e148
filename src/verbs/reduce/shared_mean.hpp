#pragma once

#include "verbs/build.hpp"

/// Means of all elements that the parts of a variance give: in a plan that has both, one kernel reads them.
namespace eglantine::verbs {

/// All of x in the order of memory, where `axes` are all that it has, on a GPU; else x.
Tensor all_in_memory(const Tensor& x, const Axes& axes);

/// Whether x is what a variance takes in parts, on a GPU, whose means a mean of all of it has none of
/// (parts_of_mean()).
bool may_share_mean(const Tensor& x, const Axes& axes);

/// The mean of all of such an x as one node, which takes what a variance in its plan shares.
Tensor mean_of_all(const Tensor& x);

/// For further parts of the plan that is made, if any: the mean of x along `axes`.
void share_mean(const Tensor& x, const Axes& axes, const Tensor& mean);

}  // namespace eglantine::verbs
