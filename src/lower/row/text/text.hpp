#pragma once

#include <string>

#include "lower/row/schedule/schedule.hpp"

/// GLSL of a row kernel's passes over a row.
namespace eglantine::lower {

// A step's expression is the function `eg_s<i>`, where it is stored by `eg_o<i>` (LoadStage, StoreStage).
std::string name_of_step(size_t i);
std::string name_of_store(size_t i);

/// The functions eg_take, eg_make and, where rows stay on the chip, eg_read, and what they combine with.
std::string row_functions(const RowPlan& plan, const RowChain& chain);
/// The template's constants that follow from the steps.
std::string row_defines(const RowPlan& plan, const RowChain& chain);

}  // namespace eglantine::lower
