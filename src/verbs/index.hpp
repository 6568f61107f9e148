#pragma once

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

/// Throws ShapeError where x has too many elements for sums of floats scattered into it.
void require_addable(std::string_view function, const Tensor& x, bool add);

/// Scatters updates along axis 0 to row index[i...] of `count` new rows, or nowhere if that is `count`; the index has
/// the shape of the updates' first axes. Rows must be distinct, and cover the result unless `base` holds the rest.
Tensor compact(std::string_view function, const Tensor& index, const Tensor& updates, int64_t count,
               const NodePtr& base = nullptr);

}  // namespace eglantine::verbs
