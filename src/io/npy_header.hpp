#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eglantine/dtype.hpp"
#include "eglantine/shape.hpp"

/// The head of a .npy file, as bytes: nothing here opens a file or touches a device.
/// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace eglantine::io {

/// What the head of a .npy file says about the elements after it.
struct NpyHeader {
  DType dtype = DType::f32;
  bool fortran_order = false;
  Shape shape;
};

/// The bytes that npy_dictionary_range needs: magic, version and length.
inline constexpr size_t npy_preamble_bytes = 12;

/// What a header of one dtype and at most 8 lengths never needs, however it is padded; the format's own limit, 4 GiB,
/// is for records of many fields.
inline constexpr size_t npy_most_header_bytes = 65536;

/// Where the dictionary lies, in bytes from the start of the file; the elements follow it.
struct NpyRange {
  size_t begin;
  size_t end;
};

/// `start`: the first `npy_preamble_bytes` of the file, fewer when it is shorter. Throws FileError, without the file's
/// name, when they do not begin a .npy file of format 1.0, 2.0 or 3.0.
NpyRange npy_dictionary_range(std::string_view start);

/// `dictionary`: for example "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", then blanks. Throws
/// FileError, without the file's name, when it is anything else, or describes elements that no tensor holds.
NpyHeader parse_npy_dictionary(std::string_view dictionary);

/// Bytes that one element takes in the file: 1 for a boolean, otherwise 4.
int64_t npy_element_bytes(DType dtype);

/// Everything before the elements, in format 1.0 and C order, padded so that the elements start on 64 bytes.
std::string make_npy_header(DType dtype, const Shape& shape);

}  // namespace eglantine::io
