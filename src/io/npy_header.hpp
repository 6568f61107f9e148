#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eglantine/dtype.hpp"
#include "eglantine/shape.hpp"
#include "io/read_tensor.hpp"

/// The header of a .npy file, as bytes (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
namespace eglantine::io {

inline constexpr size_t npy_preamble_bytes = 12;  ///< magic, version, length: for npy_dictionary_range()

/// More than one dtype and 8 lengths take with any padding; the format's limit, 4 GiB, is for records of many fields.
inline constexpr size_t npy_most_header_bytes = 65536;

/// The bytes of the dictionary in the file; the elements follow it.
struct NpyRange {
  size_t begin;
  size_t end;
};

/// `start`: the first `npy_preamble_bytes`, or fewer. FileError, without a name, unless .npy format 1.0, 2.0 or 3.0.
NpyRange npy_dictionary_range(std::string_view start);

/// `dictionary`: for example "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", then blanks. Throws
/// FileError, without the file's name, for any other text, or for elements that no tensor holds.
StoredTensor parse_npy_dictionary(std::string_view dictionary);

/// Everything before the elements, in format 1.0 and C order, padded so that the elements are aligned to 64 bytes.
std::string make_npy_header(DType dtype, const Shape& shape);

}  // namespace eglantine::io
