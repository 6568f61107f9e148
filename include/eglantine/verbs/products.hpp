#pragma once

#include "eglantine/tensor.hpp"

/// Products of vectors and matrices.
namespace eglantine {

/// Matrix product, as NumPy: (m, k) x (k, n) gives (m, n); a rank-1 operand is a row on the left and a column on the
/// right, and its axis is dropped from the result; higher ranks are batches that broadcast. Views are read in place.
/// Throws ShapeError when inner sizes differ or an operand is a scalar. f32 (error at most k eps times the sum of
/// absolute products), i32, u32 (wrap); i8 and u8 give i32.
EGLANTINE_API Tensor matmul(const Tensor& a, const Tensor& b);

/// Inner product of two rank-1 tensors of one length, a scalar; adds in the fixed order of sum(). f32, i32, u32;
/// i8 and u8 give i32.
EGLANTINE_API Tensor dot(const Tensor& a, const Tensor& b);

/// The product of each element of a with each of b, both flattened: (a.size(), b.size()), as NumPy. Element-wise: it
/// fuses into what reads it. Every dtype; of two booleans `and`; integers wrap.
EGLANTINE_API Tensor outer(const Tensor& a, const Tensor& b);

/// Sum of products over the last axes of both, as NumPy: shape a.shape[:-1] + b.shape[:-1]; dot of two tensors of rank
/// 1, and a plain product where one is a scalar. Throws ShapeError when the last axes differ or the result's rank is
/// above 8. Dtypes as matmul.
EGLANTINE_API Tensor inner(const Tensor& a, const Tensor& b);

}  // namespace eglantine
