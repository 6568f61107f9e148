#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/kernel/kernel.hpp"

/// Operands that are shifted views of one storage, as a stencil's neighbours along a row are, or the coordinates of
/// points: what one of them reads for a vector, the others read as well but for a few elements, or lies between.
namespace eglantine::codegen {

/// Operands that differ in their offsets alone, by little: component j of a vector of operands[i] is element
/// `firsts[i] + j * step` from the lowest on that any of them reads.
struct SharedViews {
  std::vector<size_t> operands;  ///< in the order of their offsets
  std::vector<int64_t> firsts;
  int64_t step = 1;      ///< -1 of flipped views; 2 to 4 of what is interleaved
  bool aligned = false;  ///< the lowest begins a vector of memory

  bool is_interleaved() const { return step > 1; }

  int64_t lowest() const;    ///< from component 0 of operands.front() on
  int64_t elements() const;  ///< from the lowest to the highest
  int64_t vectors() const;   ///< aligned ones that hold them

  bool has(size_t operand) const;
  /// Those of these operands for which `is` holds; may be empty.
  SharedViews only(const Expr& expr, const std::function<bool(size_t)>& is) const;
};

/// Groups of two operands or more for which `may` holds, of vectors along an axis of the expression's domain.
std::vector<SharedViews> shared_views(const Expr& expr, int axis, const std::function<bool(size_t)>& may);

}  // namespace eglantine::codegen
