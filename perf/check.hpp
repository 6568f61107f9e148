#pragma once

#include "perf/work.hpp"

namespace eglantine::perf {

/// How a result is compared with that of a reference device: the CPU backend, or for that one the best GL device.
/// Large results are compared in three pieces (the start, the middle, the end), each computed from a piece of the
/// operands.
struct Check {
  /// Axis along which each operand is cut as the result is; -1: the whole operand is needed.
  std::vector<int> operand_axes;
  /// Axis along which the result is cut; -1: it is compared whole.
  int result_axis = -1;
  /// |actual - expected| <= relative * |expected| + absolute. Integers must be equal.
  double relative = 1e-5, absolute = 1e-6;
};

/// The device that results are compared with.
Device reference_for(const Device& device);

/// What is wrong with the results (of one shape, where they are cut) of `verb` over `operands`; "" for nothing.
std::string problem_of(const std::function<Tensors(const Tensors&)>& verb, const Tensors& operands, const Check& check);

/// The first difference between two tensors of one shape, or "".
std::string difference(const Tensor& actual, const Tensor& expected, const Check& check);

}  // namespace eglantine::perf
