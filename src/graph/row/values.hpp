#pragma once

#include <cstdint>
#include <vector>

#include "graph/row/instructions.hpp"
#include "graph/row/joins.hpp"

/// Which instructions of a row kernel are values that later steps use, and how each is had: from what uses them, in
/// which pass, and what it takes to compute or read them again.
namespace eglantine {

enum class ValueKind : uint8_t {
  none,    ///< computed where it is used
  of_row,  ///< computed once for the row
  kept,    ///< computed once for each element, and kept on the chip
  folded,  ///< combined over the row
};

/// By instruction: what is staged (RowStep::staged) of what is computed of elements' operands and constants alone: what
/// others use of these, or the operands, where those are fewer.
std::vector<bool> staged_values(const RowInstructions& code);

/// By instruction. `keeps`: what a later pass needs stays on the chip where it is costly; `staged`: or empty.
std::vector<ValueKind> row_values(const RowInstructions& code, bool keeps, const std::vector<bool>& staged,
                                  const std::vector<RowJoin>& joins);

}  // namespace eglantine
