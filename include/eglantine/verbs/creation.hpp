#pragma once

#include <vector>

#include "eglantine/scalar.hpp"
#include "eglantine/tensor.hpp"

/// Tensors from numbers and sequences; triangles and diagonals.
namespace eglantine {

/// All elements 0 (false for boolean).
EGLANTINE_API Tensor zeros(Shape shape, DType dtype = DType::f32, const Device& device = Device::current());

/// All elements 1 (true for boolean).
EGLANTINE_API Tensor ones(Shape shape, DType dtype = DType::f32, const Device& device = Device::current());

/// All elements `value`.
EGLANTINE_API Tensor full(Shape shape, Scalar value, DType dtype = DType::f32,
                          const Device& device = Device::current());

/// (n, m) with 1 on the diagonal; m = -1 means n. Throws ShapeError when n, or another m, is negative.
EGLANTINE_API Tensor eye(int64_t n, int64_t m = -1, DType dtype = DType::f32, const Device& device = Device::current());

/// start, start + step, ... before stop: ceil((stop - start) / step) elements (none when that is negative), element i
/// is start + i * step. Every dtype but boolean. Throws Error when step is 0, or a bound or the step is not finite;
/// DTypeError when start, the last element or the step does not fit the dtype (the step of i8 and u8: i32), or stop not
/// f32, f16 or bf16, where that is the dtype.
EGLANTINE_API Tensor arange(double start, double stop, double step = 1, DType dtype = DType::f32,
                            const Device& device = Device::current());

/// `count` numbers from start to stop, both included: element i is start + i * (stop - start) / (count - 1), rounded
/// once from an exact sum in 64 bits (so to 2^-60 of the larger end), with the same bits on every device; the first is
/// start, the last is stop. f32, which f16 and bf16 round. Throws ShapeError when count is negative, Error when start
/// or stop is not finite, DTypeError when one does not fit the dtype.
EGLANTINE_API Tensor linspace(double start, double stop, int64_t count, DType dtype = DType::f32,
                              const Device& device = Device::current());

/// `count` powers of base, of exponents from start to stop as linspace has them: base^(start + i * (stop - start) /
/// (count - 1)), within 0.52 ULP, with the same bits on every device; infinity beyond the dtype. f32, f16, bf16. Throws
/// ShapeError when count is negative, Error when start or stop is not finite, base is not positive and finite, or a
/// power passes 2^(2^20).
EGLANTINE_API Tensor logspace(double start, double stop, int64_t count, double base = 10, DType dtype = DType::f32,
                              const Device& device = Device::current());

/// (n, m) with 1 on and below the diagonal k places above the main one (below it where k < 0), 0 elsewhere; m = -1
/// means n. Throws ShapeError when n, or another m, is negative.
EGLANTINE_API Tensor tri(int64_t n, int64_t m = -1, int64_t k = 0, DType dtype = DType::f32,
                         const Device& device = Device::current());

/// Views that span a grid: tensor i, of rank 1 (or 0, as one element), varies along axis i of as many axes as there are
/// tensors, which NumPy calls "ij". Throws ShapeError for more than 8 tensors, one of a higher rank, or a grid of more
/// elements than can be addressed.
EGLANTINE_API std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors);

/// Of rank 1: the matrix that has x on the diagonal k places above the main one (below it where k < 0) and 0 elsewhere,
/// a matrix of its own, filled and then written to. Of rank 2: diagonal(x, k). ShapeError for other ranks.
EGLANTINE_API Tensor diag(const Tensor& x, int64_t k = 0);

/// The elements whose place along axis2 is k more than that along axis1: a view, of x's other axes and then the
/// diagonal's, which may be empty. Throws ShapeError unless the axes are two of x's.
EGLANTINE_API Tensor diagonal(const Tensor& x, int64_t k = 0, int axis1 = 0, int axis2 = 1);

/// x where the last axis's place is at most k more than the one before's (tril), or at least (triu); 0 elsewhere,
/// whatever x holds there. Matrices of the last two axes, of any dtype. Throws ShapeError for a rank below 2.
EGLANTINE_API Tensor tril(const Tensor& x, int64_t k = 0);
EGLANTINE_API Tensor triu(const Tensor& x, int64_t k = 0);

/// Of x's shape, dtype and device.
EGLANTINE_API Tensor zeros_like(const Tensor& x);
EGLANTINE_API Tensor ones_like(const Tensor& x);
EGLANTINE_API Tensor full_like(const Tensor& x, Scalar value);

}  // namespace eglantine
