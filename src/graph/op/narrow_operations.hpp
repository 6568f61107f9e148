#pragma once

#include "eglantine/dtype.hpp"
#include "graph/op/op.hpp"

/// How operations give narrow numbers, which are computed in wide ones: from the operation and the narrow dtype.
namespace eglantine {

/// Whether op of narrow numbers gives a narrow number that needs no rounding.
bool stays_narrow(Op op, DType dtype);

/// What an operation's result goes through to be a narrow number.
Op narrowing_of(DType dtype);

/// The form of a function that is near enough for results of the narrow dtype; its arguments are of that dtype.
Op near_form(Op op, DType dtype);

}  // namespace eglantine
