#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eglantine/dtype.hpp"
#include "eglantine/shape.hpp"

/// The header of a .npy file, as bytes: no files or devices here. Format:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace eglantine::io {

/// The header's description of the elements after it.
struct NpyHeader {
  DType dtype = DType::f32;
  bool fortran_order = false;
  Shape shape;
};

/// The bytes that npy_dictionary_range() reads: magic, version and length.
inline constexpr size_t npy_preamble_bytes = 12;

/// More than a header of one dtype and at most 8 lengths takes with any padding; the format's own limit, 4 GiB, is for
/// records of many fields.
inline constexpr size_t npy_most_header_bytes = 65536;

/// The bytes of the dictionary in the file; the elements follow it.
struct NpyRange {
  size_t begin;
  size_t end;
};

/// `start`: the first `npy_preamble_bytes` of the file, fewer when it is shorter. Throws FileError, without the file's
/// name, unless they begin a .npy file of format 1.0, 2.0 or 3.0.
NpyRange npy_dictionary_range(std::string_view start);

/// `dictionary`: for example "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", then blanks. Throws
/// FileError, without the file's name, for any other text, or for elements that no tensor holds.
NpyHeader parse_npy_dictionary(std::string_view dictionary);

/// Bytes of an element in the file: 1 for a boolean, otherwise 4.
int64_t npy_element_bytes(DType dtype);

/// Everything before the elements, in format 1.0 and C order, padded so that the elements are aligned to 64 bytes.
std::string make_npy_header(DType dtype, const Shape& shape);

}  // namespace eglantine::io
