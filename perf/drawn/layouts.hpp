#pragma once

#include <string_view>

#include "perf/drawn/dice.hpp"
#include "perf/inputs.hpp"

namespace eglantine::perf::drawn {

/// How an operand lies in the tensor that is stored.
enum class LayoutKind { contiguous, transposed, sliced, flipped, broadcast, offset };

/// "contiguous", "transposed", "sliced", "flipped", "broadcast", "offset".
std::string_view name_of(LayoutKind kind);

/// One operand of a drawn work: a view of a stored tensor.
struct DrawnOperand {
  perf::Operand stored;  ///< its shape, fill, bound and dtype
  Shape shape;           ///< of the view
  LayoutKind kind = LayoutKind::contiguous;
  std::vector<int64_t> axes = {};  ///< transposed: the two; sliced, flipped, broadcast: the one
  int64_t start = 0, step = 1;     ///< sliced: the first element and the distance of two; offset: starts at 1

  DType dtype() const;
  double stored_bytes() const;  ///< of the elements that the view shows, each counted once
};

/// An operand of that shape in a layout that is drawn: half of them contiguous, else transposed (two axes swapped),
/// sliced (with elements around, one in four with a step of 2), flipped, broadcast along an axis, or one element off
/// the start of a flat tensor.
DrawnOperand with_layout(Dice& dice, const perf::Operand& operand);
/// The same, contiguous.
DrawnOperand contiguous(const perf::Operand& operand);

/// The view of what is stored.
Tensor view_of(const Tensor& stored, const DrawnOperand& operand);

}  // namespace eglantine::perf::drawn
