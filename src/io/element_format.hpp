#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eglantine/dtype.hpp"

/// The element types of files, and the dtypes that they are read as.
namespace eglantine::io {

/// How a file stores its elements: little endian, a number each.
struct ElementFormat {
  std::string_view safetensors;  ///< its name there: "F32"
  std::string_view numpy;        ///< its kind and bytes in NumPy's notation, without the byte order: "f4"; none of BF16
  int64_t bytes;                 ///< of an element in the file
  DType dtype;                   ///< that it is read as
  /// Converts `count` elements to those of the dtype; `first` is the position of the first among all, for errors. Null
  /// where they are the same bytes. Throws DTypeError for a value that the dtype does not hold, FileError for a boolean
  /// that is neither 0 nor 1.
  void (*convert)(const std::byte* from, std::byte* to, size_t count, size_t first);
};

/// Null where no tensor is read from such elements. `descr`: "<f4", "|b1".
const ElementFormat* find_numpy_format(std::string_view descr);
const ElementFormat* find_safetensors_format(std::string_view name);

/// What tensors of `dtype` are saved as. The addresses of formats compare as safetensors orders its types: by
/// alignment, then as the reference implementation lists them.
const ElementFormat& format_of(DType dtype);

std::string numpy_descr(const ElementFormat& format);  ///< "<f4", "|b1"

/// For errors: "'|b1' (boolean), '<f8' (f32)", or "BOOL (boolean), F64 (f32)".
std::string list_of_numpy_formats();
std::string list_of_safetensors_formats();

}  // namespace eglantine::io
