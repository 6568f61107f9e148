#pragma once

#include <optional>

#include "eglantine/tensor.hpp"

/// Random numbers: counter-based, by Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011). A seed is the key; element i
/// is made of words of its number, the third word of whose counter is the distribution's own. So a call gives the same
/// tensor whenever it is repeated, and calls of one seed but different distributions, or of different seeds, are
/// independent. Whole numbers and booleans have the same bits on every device; floats agree to the accuracy given,
/// relative or absolute, whichever is larger. Words are numbered with 32 bits: a ShapeError beyond 2^32 elements, or
/// 2^31 where an element takes two (randint).
namespace eglantine {

/// Uniform in [0, 1): (word >> 8) * 2^-24, word i mod 4 of counter i / 4. The same bits on every device. f32; of f16
/// and bf16 the words' first 11 and 8 bits, which rounding would take to 1.
EGLANTINE_API Tensor uniform(Shape shape, uint64_t seed, DType dtype = DType::f32,
                             const Device& device = Device::current());

/// Standard normal by Box-Muller: elements 2j and 2j + 1 are r cos(t) and r sin(t), of words 2j and 2j + 1, u and v, r
/// = sqrt(-2 log(((u >> 8) + 1) * 2^-24)), t = 2 pi (v >> 8) * 2^-24. 1e-6. f32.
EGLANTINE_API Tensor normal(Shape shape, uint64_t seed, DType dtype = DType::f32,
                            const Device& device = Device::current());

/// Whole numbers low <= y < high, from 64 bits each: every number's probability is within 2^-64 of 1 / (high - low).
/// i32, u32, i8 or u8. Throws Error unless low < high, DTypeError where the numbers do not fit the dtype.
EGLANTINE_API Tensor randint(int64_t low, int64_t high, Shape shape, uint64_t seed, DType dtype = DType::i32,
                             const Device& device = Device::current());

/// True with probability p, rounded to a multiple of 2^-32. boolean. Throws Error unless 0 <= p <= 1.
EGLANTINE_API Tensor bernoulli(double p, Shape shape, uint64_t seed, const Device& device = Device::current());

/// The same of a probability for each element: p (f32, or as f32) broadcasts to the shape, else ShapeError. What it
/// holds is not looked at: true where p >= 1, false where p <= 0 and where it is NaN. On p's device.
EGLANTINE_API Tensor bernoulli(const Tensor& p, Shape shape, uint64_t seed);

/// Of density exp(-y), y > 0: -log of a uniform number of 32 bits, at most 22.9. Within 1e-6 of its size. f32.
EGLANTINE_API Tensor exponential(Shape shape, uint64_t seed, DType dtype = DType::f32,
                                 const Device& device = Device::current());

/// Of distribution exp(-exp(-y)): -log of an exponential number. In [-3.2, 22.9]. 2e-6. f32.
EGLANTINE_API Tensor gumbel(Shape shape, uint64_t seed, DType dtype = DType::f32,
                            const Device& device = Device::current());

/// Of density exp(-|y|) / 2: an exponential number of 31 bits with the sign of the last. At most 22.2 in size. 1e-6.
/// f32.
EGLANTINE_API Tensor laplace(Shape shape, uint64_t seed, DType dtype = DType::f32,
                             const Device& device = Device::current());

/// Standard normal numbers within low <= y <= high only, by inversion of the distribution function; accurate for bounds
/// anywhere, far in the tails too. The bounds, which may be infinite, are rounded to the dtype. 2e-6. f32. Throws
/// Error unless low < high then, DTypeError for a finite bound beyond the dtype.
EGLANTINE_API Tensor truncated_normal(double low, double high, Shape shape, uint64_t seed, DType dtype = DType::f32,
                                      const Device& device = Device::current());

/// 0 to n - 1 in random order: sorted by 64 random bits each, so that any order's probability is within n^2 / 2^65 of
/// 1 / n!, relatively. i32, (n,). Throws ShapeError when n is negative or more than 2^31 - 1.
EGLANTINE_API Tensor permutation(int64_t n, uint64_t seed, const Device& device = Device::current());

/// The slices of x along `axis` in the order permutation(length, seed).
EGLANTINE_API Tensor shuffle(const Tensor& x, uint64_t seed, int axis = 0);

/// Draws of probabilities softmax(logits, axis), independent for each row: the place of the largest of logits + gumbel
/// numbers. i32; without the axis, and with a last axis of `count` draws where that is given. A logit of -infinity is
/// never drawn. Of logits that are all -infinity the first is drawn; of NaNs, and else of +infinities, the first one.
/// What is less probable than e^-26 of another is not drawn; f32 rounds the sums, so logits beyond 1e4 in size are
/// better first lowered by their largest. No noise is stored. Throws ShapeError for an axis of length 0 or a negative
/// count.
EGLANTINE_API Tensor categorical(const Tensor& logits, uint64_t seed, int axis = -1, std::optional<int64_t> count = {});

/// The n-th of 2^64 seeds that are independent of each other and of `seed`: words 0 and 1 of the block of counter (n,
/// 0, 1), n as two words, key = seed. No distribution draws from counters that end in 1.
EGLANTINE_API uint64_t split_seed(uint64_t seed, uint64_t n);

}  // namespace eglantine
