#pragma once

#include <cstddef>
#include <span>

#include "eglantine/device.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Copies row-major elements (as many as `shape` has), 32-bit words of a dtype other than boolean, before it returns.
NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device);
NodePtr upload(std::span<const bool> values, const Shape& shape, const Device& device);  ///< stored as bytes

}  // namespace eglantine
