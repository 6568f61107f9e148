#pragma once

#include <string>
#include <string_view>

#include "eglantine/shape.hpp"

/// What errors say of axes of two operands that do not fit: which they are, and how long in each.
namespace eglantine::verbs {

/// An operand as errors name it.
struct NamedShape {
  std::string_view name;
  const Shape& shape;
};

int64_t length_from_end(const Shape& x, int from_end);  ///< 1 of an axis that x does not have

/// "axis -3 of a is 3, of b is 2: (3, 4, 5) and (2, 5, 6)", of from_end 3.
std::string lengths_along(int from_end, NamedShape a, NamedShape b);

/// Throws ShapeError unless axis i of a is as long as axis j of b: "axis 1 of a is 4, axis 0 of b is 5: (3, 4) and
/// (5, 6)", after `what`.
void require_equal_lengths(std::string_view function, std::string_view what, NamedShape a, int i, NamedShape b, int j);

/// Throws ShapeError unless the operand has the lengths of x along `axes`, in that order.
void require_lengths_of(std::string_view function, NamedShape operand, NamedShape x, const Axes& axes);

/// The last axis, before the last `behind`, along which shapes that do not broadcast are of two lengths; from the end.
int axis_that_does_not_broadcast(const Shape& a, const Shape& b, int behind);

}  // namespace eglantine::verbs
