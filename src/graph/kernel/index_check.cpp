#include "graph/kernel/index_check.hpp"

#include <limits>
#include <vector>

#include "graph/kernel/expression.hpp"

namespace eglantine {

namespace {

Shape coordinates(const Shape& shape, int64_t number) {
  Shape result = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    result[axis] = number % shape[axis];
    number /= shape[axis];
  }
  return result;
}

/// The index as the user gave it. Lowered by the length it would pass the lowest i32 where it is close to that.
std::string given(const IndexCheck& check, int32_t index) {
  const int64_t length = check.shape[check.axis];
  if (check.from_end || index >= 0) return std::to_string(index);
  if (index > std::numeric_limits<int32_t>::min()) return std::to_string(index + length);
  return "at most " + std::to_string(index + length);
}

std::string outside(const IndexCheck& check, int axis, int64_t place) {
  const int64_t length = check.shape[axis];
  return " at " + to_string(coordinates(check.indices, place)) + " lies outside [" +
         std::to_string(check.from_end ? -length : 0) + ", " + std::to_string(length) + "): axis " +
         std::to_string(axis) + " of " + to_string(check.shape);
}

}  // namespace

IndexError index_error(const IndexCheck& check, int64_t place, int32_t index) {
  const std::string function = "[" + check.function + "] ";
  if (check.together.empty())
    return IndexError(function + "index " + given(check, index) + outside(check, check.axis, place));
  const int64_t number = int64_t{index} - outside_of(0);
  if (number >= check.together.rank())
    return IndexError(function + "the indices at " + to_string(coordinates(check.indices, place)) + " lie outside " +
                      to_string(check.shape));
  return IndexError(function + "the index" +
                    outside(check, static_cast<int>(check.together[static_cast<int>(number)]), place));
}

int64_t length_of(const IndexCheck& check) {
  if (check.together.empty()) return check.shape[check.axis];
  int64_t length = 1;
  for (int64_t axis : check.together) length *= axis < 0 ? 1 : check.shape[static_cast<int>(axis)];
  return length;
}

Shape first_reader(const Layout& place, int64_t number) {
  // Places are numbered row-major, and axes that repeat an index have stride 0: the strides are a mixed radix.
  Shape result = place.shape;
  for (int axis = 0; axis < result.rank(); ++axis) {
    const int64_t stride = place.strides[static_cast<size_t>(axis)];
    result[axis] = stride == 0 ? 0 : number / stride;
    if (stride != 0) number %= stride;
  }
  return result;
}

bool is_made_of_index(const Kernel& kernel, const BufferPtr& out) {
  const auto* row = std::get_if<RowKernel>(&kernel);
  if (row == nullptr || !row->gathered) return true;
  const Expr& value = row->value;
  std::vector<bool> made_of_index;
  for (const Instruction& step : value.code) {
    bool made = step.op == Op::checked_index;
    for_each_argument(value, step,
                      [&](int32_t argument) { made = made || made_of_index[static_cast<size_t>(argument)]; });
    if (step.op == Op::store && value.operands[static_cast<size_t>(step.args[1])].buffer == out) return made;
    made_of_index.push_back(made);
  }
  return made_of_index.back();
}

}  // namespace eglantine
