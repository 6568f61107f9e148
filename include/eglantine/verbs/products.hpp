#pragma once

#include <string_view>
#include <vector>

#include "eglantine/tensor.hpp"

/// Products of vectors, matrices and tensors.
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

/// Kronecker product, as NumPy: along each axis, aligned at the last one, element r is a[r / n] * b[r % n], n b's
/// length there, and the length is the product of both. Any ranks. One element-wise kernel where the axes are at most
/// 8, those along which both are longer than 1 counted twice; else both are written repeated first. Every dtype; of two
/// booleans `and`; integers wrap. Throws ShapeError where the result has too many elements.
EGLANTINE_API Tensor kron(const Tensor& a, const Tensor& b);

/// Cross product of vectors of 3 along `axis` of the shape that a and b broadcast to: (a1 b2 - a2 b1, a2 b0 - a0 b2,
/// a0 b1 - a1 b0), as the array API. One element-wise kernel; fuses. Of f32 both products and the difference are
/// rounded. f32, integers (wrap). Throws ShapeError where an operand's axis there is missing or not 3 long, and where
/// the other axes do not broadcast.
EGLANTINE_API Tensor cross(const Tensor& a, const Tensor& b, int axis = -1);

/// Sums of products over axis axes_of_a[i] of a and axes_of_b[i] of b for each i, as NumPy with lists of axes: the
/// shape is a's other axes, then b's. No axes: each element of a times each of b. One product (matmul) of both with
/// their axes in groups; views are read in place, and copied where the axes of a group do not lie as one. Throws
/// ShapeError where the lists differ in length, an axis is out of range or named twice, lengths differ (1 does not
/// broadcast), or the result's rank is above 8. Dtypes and error as matmul.
EGLANTINE_API Tensor tensordot(const Tensor& a, const Tensor& b, Axes axes_of_a, Axes axes_of_b);

/// The sum of products that the subscripts spell, as NumPy's einsum: in "bhqd,bhkd->bhqk" letters label each operand's
/// axes, and the result is the product of all operands at the same letters, summed over those that it lacks.
/// - A letter twice in one operand is its diagonal, a view; the lengths are equal. "..." stands for the axes that are
/// left, which broadcast, as do axes of length 1 of different operands under one letter. Without "->" the result has
/// "..." and the letters that occur once, in alphabetic order. Spaces between symbols count for nothing.
/// - Axes of one operand alone are summed first. Of several operands those two are multiplied next whose product frees
/// the most memory, its elements - theirs being least, those without a common letter last: the greedy order of NumPy's
/// einsum_path and of opt_einsum (Smith and Gray, 2018).
/// - Two operands are one matmul with groups of axes for batches, rows, columns and sums, read in place where the axes
/// of a group lie as one, else copied first; where nothing is summed one element-wise kernel, which fuses; without rows
/// and columns, or where a copy or many tiny matrices would cost more, one sum of a fused product.
/// - f32 (within k eps of the sum of absolute products, k the number of these and of operands), i32, u32 (wrap); i8 and
/// u8 give i32; boolean is a DTypeError. Throws Error for malformed subscripts, saying what stands where, and for
/// another number of operands than they are for; ShapeError where a rank does not fit its subscript, a letter has two
/// lengths, the output lacks "..." though axes stand under it, or it or a product on the way has more than 8 axes.
EGLANTINE_API Tensor einsum(std::string_view subscripts, const std::vector<Tensor>& operands);

}  // namespace eglantine
