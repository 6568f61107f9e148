#pragma once

#include "grad/cotangents.hpp"

namespace eglantine::derivatives {

/// Puts a placeholder of the same shape and dtype, NaN everywhere, for every value that no rule of the record reads:
/// sums, residual streams and what layouts show go as soon as nothing else holds them. `held`: values that stay anyway,
/// since cotangents are given and taken by their nodes. So do those that another derivative goes through.
void let_go_unread(Record& record, const std::vector<Tensor>& held);

}  // namespace eglantine::derivatives
