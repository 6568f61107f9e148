#pragma once

#include "graph/device_limits.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

/// Which element-wise nodes are stored since their readers would compute each element many times: from how many steps
/// they take, and how many elements each reader computes.
namespace eglantine {

/// A function of many steps, or what is made of one, is stored where each of its elements is read so often that
/// computing it there takes longer than a kernel more. What a row kernel makes of one it computes once for each row.
bool is_read_often(const Node& x, const Reads& reads, const Ownership& owners, const DeviceLimits& device);

/// Sums of many products, such as a depthwise convolution, are stored where a reader computes many times as many
/// elements as they have: the gradient of its weights would sum each again for each place of a window.
bool is_sum_read_often(const Node& x, const Reads& reads, const Ownership& owners);

}  // namespace eglantine
