#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "backend/read_bytes.hpp"
#include "eglantine/device.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Copies row-major elements (as many as `shape` has) of a dtype, as its C++ type stores them, before it returns.
NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device);

/// A node of the elements that `read` gives, row-major, as their C++ type stores them (a boolean is a byte, 0 or 1).
/// `read` runs on the device's thread, which does nothing else meanwhile; what it throws is thrown.
NodePtr upload(const ReadBytes& read, const Shape& shape, DType dtype, const Device& device);

/// The leaves that `make` uploads, whose contents follow from the words alone: once, as long as the device keeps them
/// (KeptUploads). The first word says whose words they are: no other caller's begin with it.
std::vector<NodePtr> uploaded_once(const Device& device, const std::vector<int64_t>& words,
                                   const std::function<std::vector<NodePtr>()>& make);

}  // namespace eglantine
