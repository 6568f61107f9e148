#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "eglantine/tensor.hpp"

namespace eglantine::io {

/// A tensor's elements on the host, row-major, as files have them.
class HostCopy {
 public:
  /// Computes x and waits. Throws OutOfMemoryError where the host has no memory for the elements, and x's own error.
  explicit HostCopy(const Tensor& x);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::shared_ptr<void> elements_;
  std::span<const std::byte> bytes_;
};

/// Starts computing tensors that are saved together, so that what they share is computed once.
void eval_all(const std::map<std::string, Tensor>& tensors);

}  // namespace eglantine::io
