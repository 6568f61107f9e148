#pragma once

#include <string>
#include <string_view>

#include "eglantine/shape.hpp"

/// What errors say of an axis of two operands that do not fit: which it is, and how long in each.
namespace eglantine::verbs {

/// An operand as errors name it.
struct NamedShape {
  std::string_view name;
  const Shape& shape;
};

int64_t length_from_end(const Shape& x, int from_end);  ///< 1 of an axis that x does not have

/// "axis -3 of a is 3, of b is 2: (3, 4, 5) and (2, 5, 6)", of from_end 3.
std::string lengths_along(int from_end, NamedShape a, NamedShape b);

/// The last axis, before the last `behind`, along which shapes that do not broadcast are of two lengths; from the end.
int axis_that_does_not_broadcast(const Shape& a, const Shape& b, int behind);

}  // namespace eglantine::verbs
