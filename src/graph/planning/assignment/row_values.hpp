#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/node.hpp"
#include "graph/planning/ownership/row_chains.hpp"

namespace eglantine {

/// What one row kernel stores where a reduction that is no step of it reads elements made of rows: values of the rows,
/// from which that reduction computes each element again, in its own order.
struct RowValues {
  std::vector<const Node*> values;
  std::unordered_set<const Node*> recomputed;  ///< element-wise nodes of the rows' size that both kernels compute
};

/// Of `reader`, whose elements are made of these rows; nothing where storing the elements costs less. In bytes the
/// reader saves writing and reading each, and the row kernel reads what its folds are made of besides; on software
/// devices a function takes longer than that.
std::optional<RowValues> row_values(const Node& reader, const RowFolds& rows,
                                    const std::unordered_set<const Node*>& materialized, const DeviceLimits& device);

}  // namespace eglantine
