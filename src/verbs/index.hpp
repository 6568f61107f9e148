#pragma once

#include "verbs/build.hpp"

/// What the verbs of indices share.
namespace eglantine::verbs {

/// i32, on x's device, and few enough to be told apart by 32 bits.
void require_indices(std::string_view function, const Tensor& x, const Tensor& indices);

/// Throws the IndexError of the first index out of range: for verbs that no kernel would check, since there is nothing
/// to read or write. Waits for the indices.
void check_at_once(const IndexCheck& check, const Tensor& indices);

/// Updates (of any rank) put to rows of a new tensor of `count` rows along axis 0: row index[i...] of the result, or
/// nowhere when that is `count`. The index has the shape of the updates' first axes. No two updates go to one row, and
/// every row gets one, or `base` has what remains.
Tensor compact(std::string_view function, const Tensor& index, const Tensor& updates, int64_t count,
               const NodePtr& base = nullptr);

}  // namespace eglantine::verbs
