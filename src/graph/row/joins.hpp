#pragma once

#include <cstdint>
#include <vector>

#include "graph/row/chain.hpp"
#include "graph/row/instructions.hpp"

namespace eglantine {

/// A sum that is combined in the pass before its own (RowStep::joins), by its instructions.
struct RowJoin {
  RowStep::Joins how;
  int32_t fold, base, relative_to, elements;
};

/// Sums that are all that their pass combines: it need not read the row. Where their elements are one for the row, they
/// count as elements from here on.
std::vector<RowJoin> find_joins(RowInstructions& code);

}  // namespace eglantine
