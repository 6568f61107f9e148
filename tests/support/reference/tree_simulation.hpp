#pragma once

#include <vector>

#include "support/array.hpp"

/// The trees of docs/reduction-tree.md as plain loops in float, with their constants written out.
namespace eglantine::test {

/// The sum of one run by the row tree.
float row_tree_sum(std::vector<float> run);

/// The sum of one column by the column tree.
float column_tree_sum(std::vector<float> rows);

/// Sums over the reduced axes, visited in the given order (outermost first), by one of the trees above.
Array simulate_sum(const Array& x, const std::vector<int64_t>& order, float (*tree)(std::vector<float>));

}  // namespace eglantine::test
