#pragma once

#include <filesystem>

#include "eglantine/tensor.hpp"

namespace eglantine {

/// Reads a NumPy .npy file (format 1.0 to 3.0), C or Fortran order, little endian: '<f4' as f32, '<i4' as i32, '<u4' as
/// u32, '|b1' as boolean. Throws FileError, naming the file and what is wrong: it cannot be read, is no .npy file, is
/// truncated, has bytes left over, or holds another dtype; OutOfMemoryError when the host has no room for what it
/// holds.
EGLANTINE_API Tensor load_npy(const std::filesystem::path& path, const Device& device = Device::current());

/// Writes x as a .npy file (format 1.0, C order). The file appears whole or not at all: it is written beside `path` and
/// renamed over it. A file that was there keeps its mode, a symbolic link stays and what it names is written. Throws
/// FileError when it cannot be written, OutOfMemoryError when the host has no room for the elements.
EGLANTINE_API void save_npy(const std::filesystem::path& path, const Tensor& x);

}  // namespace eglantine
