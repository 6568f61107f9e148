#pragma once

#include "lower/row/schedule/schedule.hpp"

namespace eglantine::lower {

/// Adds to the plan of rows in registers which steps of their chain read operands that lie across them: neighbouring
/// rows side by side. A group reads such operands as they lie, four rows a vec4 and whole sectors, and exchanges what
/// a step makes of them through shared memory; without a copy in the order of rows.
/// What is stored so goes back the same way, a word an invocation.
void plan_across(const Target& target, const RowChain& chain, RowPlan& plan);

/// Whether a plan has rows that could be read so, wherever its kernel's operands lie.
bool may_read_across(const Target& target, const RowPlan& plan);

/// Whether the plan's kernel stores all its elements so.
bool puts_rows_across(const RowPlan& plan, const RowChain& chain);

/// Whether the plan's kernel reads this operand so, and nowhere else.
bool reads_rows_across(const RowPlan& plan, const RowChain& chain, const Strided& operand);

}  // namespace eglantine::lower
