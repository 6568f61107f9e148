#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// How the rows of a RowKernel meet the machine. An item is a row, or, across memory, four neighbouring rows; a step is
/// four elements of a row, or one element of each of the four.
struct RowPlan {
  bool strided = false;            ///< rows lie across memory
  bool register_resident = false;  ///< a row stays in registers between its one reading and its one writing
  bool prefetch = false;           ///< a group asks for its next row before it is done with one
  bool subgroups = false;          ///< lanes meet by shuffles
  bool exp2 = false;               ///< exponentials by the built-in exp2 (codegen/row_text.cpp)
  int64_t rows = 1, length = 1;    ///< and elements of a row
  int64_t lanes = 1;               ///< invocations that share an item: a power of two
  int64_t group_size = 1;          ///< invocations
  int64_t vectors = 1;             ///< steps that a lane holds, or takes at a time

  int64_t items() const { return strided ? (rows + 3) / 4 : rows; }
  int64_t steps() const { return strided ? length : (length + 3) / 4; }
  /// Partial results of an item that all its lanes read together: about as many as are combined into each.
  int64_t partials() const;
  int64_t items_at_once() const { return group_size / lanes; }  ///< items of a group at a time
};

RowPlan plan_row(const Target& target, const RowKernel& kernel);

/// The longest row that run() takes on this device: one that a binding covers wherever it begins.
int64_t longest_row(const Target& target);

}  // namespace eglantine::lower
