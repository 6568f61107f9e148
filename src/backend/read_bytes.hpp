#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace eglantine {

/// Writes the next bytes of a file, or of whatever it reads, to `to`: each once, and reads none back, which takes long
/// where `to` is memory that a device sees.
using ReadBytes = std::function<void(std::span<std::byte> to)>;

}  // namespace eglantine
