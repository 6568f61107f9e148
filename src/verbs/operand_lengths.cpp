#include "verbs/operand_lengths.hpp"

namespace eglantine::verbs {

int64_t length_from_end(const Shape& x, int from_end) { return x.rank() < from_end ? 1 : x[x.rank() - from_end]; }

std::string lengths_along(int from_end, NamedShape a, NamedShape b) {
  const auto text = [&](const NamedShape& x) {
    return std::string(x.name) + " is " + std::to_string(length_from_end(x.shape, from_end));
  };
  return "axis -" + std::to_string(from_end) + " of " + text(a) + ", of " + text(b) + ": " + to_string(a.shape) +
         " and " + to_string(b.shape);
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
