#pragma once

#include "backend/read_bytes.hpp"
#include "eglantine/tensor.hpp"
#include "io/element_format.hpp"

namespace eglantine::io {

/// How elements lie in a file.
struct StoredTensor {
  const ElementFormat* format = nullptr;
  Shape shape;
  bool column_major = false;
  bool big_endian = false;

  int64_t bytes() const { return shape.elements() * format->bytes; }
};

/// A tensor of the elements that `read` gives. Elements of the dtype's own format are read to where they stay, where
/// the device's memory is the host's; others are converted on the way, by parts. Throws what `read` throws, DTypeError
/// or FileError for an element that the dtype does not hold, OutOfMemoryError where the device has no memory.
Tensor read_tensor(const StoredTensor& stored, const ReadBytes& read, const Device& device);

/// Throws FileError where the lengths are more than a tensor's, or the elements more than 2^60: the size in bytes is
/// computed from them, and must not overflow.
Shape checked_shape(const std::vector<int64_t>& lengths);

}  // namespace eglantine::io
