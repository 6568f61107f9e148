#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "eglantine/tensor.hpp"

namespace eglantine {

// The elements of files are read by one rule, here in safetensors' names. As they are: BOOL as boolean, F32, F16, BF16
// as f32, f16, bf16, I32, U32, I8, U8 as i32, u32, i8, u8. F64 as f32, the nearest; I16 and I64 as i32, U16 and U64 as
// u32: a value that does not fit is a DTypeError that names it. They are little endian, those of NumPy's files of
// either byte order. Every load_ function throws FileError that names the file and what is wrong where it cannot be
// read, is not of its format, is truncated or longer than its header says, or holds elements of another type or a
// boolean that is neither 0 nor 1; OutOfMemoryError where the device has no memory for what it holds. Files are read,
// not mapped, into the memory that the device copies from: one that another program cuts short meanwhile is a
// FileError, too.
//
// What a save_ function writes appears whole or not at all: it is written beside `path` and renamed over it. A file
// that was there keeps its mode, a symbolic link stays and what it names is written. They throw FileError where it
// cannot be written, OutOfMemoryError where the host has no room for the elements of one tensor.

/// Reads a NumPy .npy file (format 1.0 to 3.0), C or Fortran order, of either byte order: every NumPy number but
/// complex and long double ones, 'f8' as f32, 'i8' as i32 when all fit, 'f2' as f16, 'b1' as boolean. Throws FileError,
/// naming the file and what is wrong; DTypeError for a value that the dtype does not hold; OutOfMemoryError.
EGLANTINE_API Tensor load_npy(const std::filesystem::path& path, const Device& device = Device::current());

/// Writes x as a .npy file (format 1.0, C order), whole or not at all; bf16, which NumPy does not have, as f32. Throws
/// FileError when it cannot be written, OutOfMemoryError when the host has no room for the elements.
EGLANTINE_API void save_npy(const std::filesystem::path& path, const Tensor& x);

/// Reads every array of a NumPy .npz file, a zip archive (zip64 too) of .npy files, stored or deflated, by their names
/// without ".npy". Errors as load_npy()'s, which name the member; FileError also where an archive is damaged or has two
/// members of one name.
EGLANTINE_API std::map<std::string, Tensor> load_npz(const std::filesystem::path& path,
                                                     const Device& device = Device::current());

/// Writes tensors as a .npz file, as numpy.savez does: not compressed, each as save_npy() writes it. The tensors are
/// computed together; the host holds one of them at a time. Errors as save_npy()'s; FileError also for a name that is
/// not UTF-8, has a null character or passes 65535 bytes.
EGLANTINE_API void save_npz(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors);

/// Reads every tensor of a safetensors file: BOOL, F32, F16, BF16, I32, U32, I8, U8 as they are, F64 as f32, I16 and
/// I64 as i32, U16 and U64 as u32 when all fit. Throws FileError, naming the file and what is wrong, also for a header
/// of more than 100,000,000 bytes, one that is no JSON or has a key twice, and for parts that overlap, leave holes or
/// do not fill the file; DTypeError for a value that the dtype does not hold; OutOfMemoryError.
EGLANTINE_API std::map<std::string, Tensor> load_safetensors(const std::filesystem::path& path,
                                                             const Device& device = Device::current());

/// The texts under "__metadata__" in a safetensors file's header. Reads no elements. Throws FileError as
/// load_safetensors() does.
EGLANTINE_API std::map<std::string, std::string> safetensors_metadata(const std::filesystem::path& path);

/// Writes tensors as a safetensors file, the bytes that the format's reference implementation writes: the largest
/// elements first, so that all are aligned, then by name. The tensors are computed together; the host holds one of them
/// at a time. Errors as save_npy()'s; FileError also for a name or metadata that are not UTF-8, for a tensor that is
/// called "__metadata__", and for a header of more than 100,000,000 bytes.
EGLANTINE_API void save_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                                    const std::map<std::string, std::string>& metadata = {});

}  // namespace eglantine
