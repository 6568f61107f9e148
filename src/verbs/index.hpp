#pragma once

#include "verbs/build.hpp"

/// Helpers of the index verbs.
namespace eglantine::verbs {

/// Throws unless the indices are i32, on x's device, and few enough for 32-bit numbers.
void require_indices(std::string_view function, const Tensor& x, const Tensor& indices);

/// Throws the IndexError of the first index out of range, for verbs without a kernel that would check, since there is
/// nothing to read or write. Waits for the indices.
void check_at_once(const IndexCheck& check, const Tensor& indices);

/// Scatters updates (of any rank) to rows of a new tensor of `count` rows along axis 0: to row index[i...], or nowhere
/// when that is `count`. The index has the shape of the updates' first axes. Rows must be distinct, and cover the
/// result unless `base` holds the rest.
Tensor compact(std::string_view function, const Tensor& index, const Tensor& updates, int64_t count,
               const NodePtr& base = nullptr);

}  // namespace eglantine::verbs
