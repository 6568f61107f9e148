#pragma once

#include <optional>

#include "verbs/build.hpp"

/// Helpers of the index verbs.
namespace eglantine::verbs {

/// Throws unless the indices are i32, on x's device, and few enough for 32-bit numbers.
void require_indices(std::string_view function, const Tensor& x, const Tensor& indices);

/// Throws the IndexError of the first bad index where nothing is read or written: no kernel checks. Waits for indices.
void check_at_once(const IndexCheck& check, const Tensor& indices);

/// Reads x by an index (nodes::Gather). indices: the index tensor itself, for its errors where nothing is read.
Tensor gathered(const Tensor& x, int axis, const NodePtr& index, const IntList& axes, const IndexCheck& check,
                const Tensor& indices);

/// How updates meet the elements that they go to; none: they replace them.
using Combine = std::optional<Reduction>;

/// x with the updates, of its dtype, put or combined by an index (nodes::Scatter); x itself where there are none.
/// indices: as above.
Tensor scattered(const Tensor& x, int axis, const NodePtr& index, const Tensor& updates, const IntList& axes,
                 Combine combine, const IndexCheck& check, const Tensor& indices);

/// Maps each axis to the same axis of the indexed tensor; -1 for the indexed axis.
IntList axes_but(int rank, int axis);

/// Throws ShapeError where x has too many elements for sums of floats scattered into it, or products.
void require_addable(std::string_view function, const Tensor& x, Combine combine);

/// A mask with one axis, its inclusive sum, and how many elements are true.
struct Counted {
  Tensor mask, places;
  int64_t count;

  /// The position of each true element in the result; `count` for the others.
  Tensor index() const;
};

/// Waits for the count. Throws ShapeError for more than 2^31 - 1 elements.
Counted counted(std::string_view function, const Tensor& mask);

/// Scatters updates along axis 0 to row index[i...] of `count` new rows, or nowhere if that is `count`; the index has
/// the shape of the updates' first axes. Rows must be distinct, and cover the result unless `base` holds the rest.
Tensor compact(std::string_view function, const Tensor& index, const Tensor& updates, int64_t count,
               const NodePtr& base = nullptr);

}  // namespace eglantine::verbs
