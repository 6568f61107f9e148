#pragma once

#include <cstddef>
#include <span>

#include "eglantine/device.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Elements (row-major, as many as `shape` has) in memory of `device`: 32-bit words of a dtype that is no boolean. The
/// data is copied before this returns.
NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device);
/// The same of truth values, which the device stores as bytes.
NodePtr upload(std::span<const bool> values, const Shape& shape, const Device& device);

}  // namespace eglantine
