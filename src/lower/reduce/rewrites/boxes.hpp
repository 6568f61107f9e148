#pragma once

#include "lower/lowering.hpp"

/// Reductions to one result of operands that lie in several orders, each read once in its own order.
namespace eglantine::lower {

/// Adds the steps of a reduction by boxes (glsl/reduce/reduce_boxes.comp), where no order was promised or none changes
/// the result, on hardware, of many elements; false where it is another reduction, or its operands lie alike.
bool run_in_boxes(Lowering& lowering, const ReduceKernel& kernel);

}  // namespace eglantine::lower
