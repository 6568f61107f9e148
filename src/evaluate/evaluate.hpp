#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Submits the kernels that compute these nodes (of any devices); does not wait. What is computed already stays.
void evaluate(const std::vector<NodePtr>& nodes);
void evaluate(const NodePtr& node);

/// x's elements in row-major order, as 32-bit words, or as booleans of a boolean x; out.size() is x's element count.
/// Computes, waits, throws what the kernels met.
void read(const NodePtr& x, std::span<uint32_t> out);
void read(const NodePtr& x, std::span<bool> out);

/// What a plan that computes x depends on of its device.
const DeviceLimits& limits_of(const Node& x);

/// The kernels evaluate({x}) would submit, as the device's backend explains them.
std::string explain_node(const NodePtr& x);

}  // namespace eglantine
