#pragma once

#include "eglantine/scalar.hpp"
#include "eglantine/tensor.hpp"

/// Tensors from numbers, sequences and random generators.
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
/// is start + i * step. f32, i32 or u32. Throws Error when step is 0, or a bound or the step is not finite; DTypeError
/// when a bound or the step does not fit the dtype.
EGLANTINE_API Tensor arange(double start, double stop, double step = 1, DType dtype = DType::f32,
                            const Device& device = Device::current());

/// `count` numbers from start to stop, both included: element i is start + i * (stop - start) / (count - 1), the last
/// is stop exactly. f32. Throws ShapeError when count is negative, Error when start or stop is not finite.
EGLANTINE_API Tensor linspace(double start, double stop, int64_t count, DType dtype = DType::f32,
                              const Device& device = Device::current());

/// Uniform in [0, 1): (word >> 8) * 2^-24 of Philox 4x32-10 (Salmon et al. 2011), word i mod 4 of counter i / 4, key =
/// seed. The same bits on every device. f32.
EGLANTINE_API Tensor uniform(Shape shape, uint64_t seed, DType dtype = DType::f32,
                             const Device& device = Device::current());

/// Standard normal by Box-Muller: element i of words 2i and 2i + 1 of the same generator, numbered as uniform's, but of
/// counters whose third word is 1, where uniform's is 0. So normal and uniform of one seed are independent. Devices
/// agree to 1e-6. f32.
EGLANTINE_API Tensor normal(Shape shape, uint64_t seed, DType dtype = DType::f32,
                            const Device& device = Device::current());

/// Of x's shape, dtype and device.
EGLANTINE_API Tensor zeros_like(const Tensor& x);
EGLANTINE_API Tensor ones_like(const Tensor& x);
EGLANTINE_API Tensor full_like(const Tensor& x, Scalar value);

}  // namespace eglantine
