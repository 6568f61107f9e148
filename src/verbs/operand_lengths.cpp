#include "verbs/operand_lengths.hpp"

#include "check/check.hpp"

namespace eglantine::verbs {

namespace {

std::string length_of(const NamedShape& x, int axis) {
  return "axis " + std::to_string(axis) + " of " + std::string(x.name) + " is " + std::to_string(x.shape[axis]);
}

std::string text_of(const Axes& axes) {
  if (axes.empty()) return "no axis";
  return axes.rank() == 1 ? "axis " + std::to_string(axes[0]) : "axes " + to_string(axes);
}

}  // namespace

int64_t length_from_end(const Shape& x, int from_end) { return x.rank() < from_end ? 1 : x[x.rank() - from_end]; }

std::string lengths_along(int from_end, NamedShape a, NamedShape b) {
  const auto text = [&](const NamedShape& x) {
    return std::string(x.name) + " is " + std::to_string(length_from_end(x.shape, from_end));
  };
  return "axis -" + std::to_string(from_end) + " of " + text(a) + ", of " + text(b) + ": " + to_string(a.shape) +
         " and " + to_string(b.shape);
}

void require_equal_lengths(std::string_view function, std::string_view what, NamedShape a, int i, NamedShape b, int j) {
  if (a.shape[i] != b.shape[j])
    check::fail<ShapeError>(function, what, length_of(a, i), ", ", length_of(b, j), ": ", to_string(a.shape), " and ",
                            to_string(b.shape));
}

void require_lengths_of(std::string_view function, NamedShape operand, NamedShape x, const Axes& axes) {
  Shape wanted;
  for (const int64_t axis : axes) wanted.push_back(x.shape[static_cast<int>(axis)]);
  if (operand.shape.rank() != axes.rank())
    check::fail<ShapeError>(function, "for ", text_of(axes), " of ", x.name, ", ", to_string(x.shape), ", ",
                            operand.name, " must be ", to_string(wanted), ", got ", to_string(operand.shape));
  for (int i = 0; i < axes.rank(); ++i) require_equal_lengths(function, "", operand, i, x, static_cast<int>(axes[i]));
}

int axis_that_does_not_broadcast(const Shape& a, const Shape& b, int behind) {
  const auto broadcasts = [&](int from_end) {
    const int64_t x = length_from_end(a, from_end), y = length_from_end(b, from_end);
    return x == y || x == 1 || y == 1;
  };
  int from_end = behind + 1;
  while (broadcasts(from_end)) ++from_end;
  return from_end;
}

}  // namespace eglantine::verbs
