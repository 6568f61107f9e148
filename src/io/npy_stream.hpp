#pragma once

#include "io/read_tensor.hpp"

namespace eglantine::io {

/// The tensor of a .npy file's `bytes` bytes, which `read` gives in order: a file's own, or those of a .npz file's
/// member. Throws FileError, without the file's name, where they are no .npy file or of another length than its header
/// says; DTypeError for an element that its dtype does not hold.
Tensor read_npy(const ReadBytes& read, uint64_t bytes, const Device& device);

/// What is saved of x as NumPy's: itself, or as f32 of bf16, which NumPy does not have.
inline Tensor as_numpy_has(const Tensor& x) { return x.dtype() == DType::bf16 ? x.astype(DType::f32) : x; }

}  // namespace eglantine::io
