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

/// x's elements, row-major: 32-bit words, or booleans of a boolean x; out.size() of them. Waits; throws kernel errors.
template <Element T>
void read(const NodePtr& x, std::span<T> out);

const DeviceLimits& limits_of(const Node& x);  ///< what x's plan depends on of its device

/// The kernels evaluate({x}) would submit, as the device's backend explains them.
std::string explain_node(const NodePtr& x);

}  // namespace eglantine
