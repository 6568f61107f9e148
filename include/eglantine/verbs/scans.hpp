#pragma once

#include "eglantine/tensor.hpp"

/// Prefixes along one axis. y[i] is made of x[0..i]; without x[i] when exclusive, y[0] being the identity; from the end
/// when reverse. One kernel reads what x is computed from and x is never stored. Integers are exact (sums and products
/// wrap); a float scan has the same bits on every run on one device. An axis out of range is a ShapeError.
namespace eglantine {

/// Sums. f32 (error at most (128 + log2 n) eps times the sum of the absolute values), i32, u32; i8, u8 and
/// boolean count in i32.
EGLANTINE_API Tensor cumsum(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Products. f32 (n eps relative), i32, u32; i8, u8 and boolean count in i32.
EGLANTINE_API Tensor cumprod(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Largest so far. NaN from the first NaN on. The identity of an exclusive scan is -inf, the dtype's smallest
/// integer, or false. Every dtype.
EGLANTINE_API Tensor cummax(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Smallest so far; as cummax, with inf, the largest integer, or true.
EGLANTINE_API Tensor cummin(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

}  // namespace eglantine
