#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "eglantine/scalar.hpp"
#include "eglantine/tensor.hpp"

/// Every verb. A verb checks its arguments, then describes; nothing runs before a value is read.
///
/// Common to all, and not repeated below:
/// - Shapes of several operands broadcast together as in NumPy, else ShapeError. Zero-size tensors and scalars (rank 0)
/// go through every verb.
/// - Operands have one dtype, else DTypeError (use astype); they live on one device, else DeviceError.
/// - A dtype that a verb does not take is a DTypeError; an axis out of range or named twice is a ShapeError.
/// - A C++ number takes the dtype of the tensors beside it; one that does not fit is a DTypeError.
/// - Errors of kernels (out of memory, a lost device) are thrown when a result is read.
/// - "ULP" bounds the error against the correctly rounded result; denormals may be flushed to zero by a device.
namespace eglantine {

/// A tensor, or a C++ number that takes the dtype of the tensors beside it.
class EGLANTINE_API Operand {
 public:
  Operand(const Tensor& tensor) : value_(tensor) {}
  Operand(Scalar scalar) : value_(scalar) {}
  template <Arithmetic T>
  Operand(T number) : value_(Scalar(number)) {}
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Scalar* scalar() const { return std::get_if<Scalar>(&value_); }

 private:
  std::variant<Tensor, Scalar> value_;
};

// ---- creation ----

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

// ---- unary ----

/// -x. f32, i32, u32; integers wrap.
EGLANTINE_API Tensor neg(const Tensor& x);

/// |x|. f32, i32, u32; the lowest i32 stays.
EGLANTINE_API Tensor abs(const Tensor& x);

/// -1, 0 or 1; NaN stays. f32, i32, u32.
EGLANTINE_API Tensor sign(const Tensor& x);

/// e^x. f32, 8 ULP.
EGLANTINE_API Tensor exp(const Tensor& x);

/// 2^x. f32, 8 ULP.
EGLANTINE_API Tensor exp2(const Tensor& x);

/// Natural logarithm; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log(const Tensor& x);

/// Logarithm to base 2; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log2(const Tensor& x);

/// log(1 + x), accurate near 0. f32, 8 ULP.
EGLANTINE_API Tensor log1p(const Tensor& x);

/// e^x - 1, accurate near 0. f32, 8 ULP.
EGLANTINE_API Tensor expm1(const Tensor& x);

/// Square root; NaN below 0. f32, 1 ULP.
EGLANTINE_API Tensor sqrt(const Tensor& x);

/// 1 / sqrt(x). f32, 1 ULP.
EGLANTINE_API Tensor rsqrt(const Tensor& x);

/// 1 / x. f32, 1 ULP.
EGLANTINE_API Tensor reciprocal(const Tensor& x);

/// x * x. f32, i32, u32.
EGLANTINE_API Tensor square(const Tensor& x);

/// Sine of radians. f32; for |x| <= 1e4 8 ULP, or 1e-6 absolute near its zeros.
EGLANTINE_API Tensor sin(const Tensor& x);

/// Cosine of radians. f32, as sin.
EGLANTINE_API Tensor cos(const Tensor& x);

/// Tangent of radians. f32, as sin.
EGLANTINE_API Tensor tan(const Tensor& x);

/// Hyperbolic tangent. f32, 8 ULP.
EGLANTINE_API Tensor tanh(const Tensor& x);

/// 1 / (1 + e^-x), finite for every finite x. f32, 8 ULP.
EGLANTINE_API Tensor sigmoid(const Tensor& x);

/// max(x, 0); NaN stays. f32, i32, u32.
EGLANTINE_API Tensor relu(const Tensor& x);

/// x * (1 + erf(x / sqrt(2))) / 2, the erf form. f32; 8 ULP for x >= -5, 1e-6 absolute below.
EGLANTINE_API Tensor gelu(const Tensor& x);

/// x * sigmoid(x). f32, 8 ULP.
EGLANTINE_API Tensor silu(const Tensor& x);

/// The error function. f32, 8 ULP.
EGLANTINE_API Tensor erf(const Tensor& x);

/// Largest whole number not above x. f32; integers stay.
EGLANTINE_API Tensor floor(const Tensor& x);

/// Smallest whole number not below x. f32; integers stay.
EGLANTINE_API Tensor ceil(const Tensor& x);

/// Nearest whole number, half to even. f32; integers stay.
EGLANTINE_API Tensor round(const Tensor& x);

/// The whole part, toward zero. f32; integers stay.
EGLANTINE_API Tensor trunc(const Tensor& x);

/// Whether x is NaN. f32 to boolean.
EGLANTINE_API Tensor isnan(const Tensor& x);

/// Whether x is an infinity. f32 to boolean.
EGLANTINE_API Tensor isinf(const Tensor& x);

/// Whether x is neither NaN nor an infinity. f32 to boolean.
EGLANTINE_API Tensor isfinite(const Tensor& x);

/// Whether x is 0 (false). Every dtype to boolean.
EGLANTINE_API Tensor logical_not(const Tensor& x);

// ---- binary ----

/// a + b. f32 (correctly rounded), i32, u32 (they wrap).
EGLANTINE_API Tensor add(const Operand& a, const Operand& b);

/// a - b. As add.
EGLANTINE_API Tensor sub(const Operand& a, const Operand& b);

/// a * b. As add.
EGLANTINE_API Tensor mul(const Operand& a, const Operand& b);

/// a / b. f32: 1 ULP. Integers truncate toward zero; division by 0 gives 0; the lowest i32 / -1 wraps.
EGLANTINE_API Tensor div(const Operand& a, const Operand& b);

/// a to the power b, as C powf: pow(x, 0) = 1, a negative base with a whole exponent. f32, 8 ULP; i32 and u32 wrap, a
/// negative exponent truncates.
EGLANTINE_API Tensor pow(const Operand& a, const Operand& b);

/// a - b * floor(a / b): the divisor's sign, as Python's %. f32: exact while |a / b| < 2^24; integers by 0 give 0.
EGLANTINE_API Tensor remainder(const Operand& a, const Operand& b);

/// The larger; NaN when one is NaN. f32, i32, u32.
EGLANTINE_API Tensor maximum(const Operand& a, const Operand& b);

/// The smaller; NaN when one is NaN. f32, i32, u32.
EGLANTINE_API Tensor minimum(const Operand& a, const Operand& b);

/// The angle of the point (b, a), in (-pi, pi]. f32, 8 ULP.
EGLANTINE_API Tensor atan2(const Operand& a, const Operand& b);

/// Comparisons, to boolean. Every dtype; NaN is unequal to everything.
EGLANTINE_API Tensor eq(const Operand& a, const Operand& b);
EGLANTINE_API Tensor ne(const Operand& a, const Operand& b);
EGLANTINE_API Tensor lt(const Operand& a, const Operand& b);
EGLANTINE_API Tensor le(const Operand& a, const Operand& b);
EGLANTINE_API Tensor gt(const Operand& a, const Operand& b);
EGLANTINE_API Tensor ge(const Operand& a, const Operand& b);

/// Of the truth values (x != 0) of a and b, to boolean. Every dtype.
EGLANTINE_API Tensor logical_and(const Operand& a, const Operand& b);
EGLANTINE_API Tensor logical_or(const Operand& a, const Operand& b);
EGLANTINE_API Tensor logical_xor(const Operand& a, const Operand& b);

/// Bitwise. i32, u32.
EGLANTINE_API Tensor bit_and(const Operand& a, const Operand& b);
EGLANTINE_API Tensor bit_or(const Operand& a, const Operand& b);
EGLANTINE_API Tensor bit_xor(const Operand& a, const Operand& b);

/// a * 2^b and floor(a / 2^b) as on infinitely many bits: a shift by less than 0 or more than 31 gives 0, or the sign
/// for a right shift of i32. i32, u32.
EGLANTINE_API Tensor shift_left(const Operand& a, const Operand& b);
EGLANTINE_API Tensor shift_right(const Operand& a, const Operand& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
inline Tensor operator+(Scalar a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
inline Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
inline Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }

// ---- three arguments ----

/// a where the condition holds, else b. condition: boolean. a, b: any one dtype; not both numbers.
EGLANTINE_API Tensor where(const Tensor& condition, const Operand& a, const Operand& b);

/// min(max(x, low), high); NaN stays. f32, i32, u32.
EGLANTINE_API Tensor clip(const Tensor& x, const Operand& low, const Operand& high);

// ---- reductions ----
// Over the axes named, `{}` means all; they are dropped, or kept with length 1.

/// Sum; 0 over nothing. f32 (error at most (128 + log2 n) eps times the sum of absolute values, added in a fixed order:
/// the same bits on every device and run for operands of one layout, docs/reduction-tree.md), i32, u32 (wrap), boolean
/// (counts in i32).
EGLANTINE_API Tensor sum(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Product; 1 over nothing. f32 (n eps relative), i32, u32 (wrap), boolean (in i32).
EGLANTINE_API Tensor prod(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Largest; NaN when there is one. Throws ShapeError over nothing. f32, i32, u32, boolean.
EGLANTINE_API Tensor max(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Smallest; NaN when there is one. Throws ShapeError over nothing. f32, i32, u32, boolean.
EGLANTINE_API Tensor min(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// sum / n. Throws ShapeError over nothing. f32.
EGLANTINE_API Tensor mean(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// mean((x - mean(x))^2), in two passes. Throws ShapeError over nothing. f32; 1e-5 relative plus 1e-6 of the square of
/// the mean.
EGLANTINE_API Tensor var(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Whether any, or all, are true (x != 0); false and true over nothing. Every dtype to boolean.
EGLANTINE_API Tensor any(const Tensor& x, Axes axes = {}, bool keepdims = false);
EGLANTINE_API Tensor all(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// log(sum(exp(x))), finite where the result is; -inf over nothing or over -inf alone. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor logsumexp(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Index along `axis` of the largest, or smallest; the first of equals, the first NaN when there is one. i32. Throws
/// ShapeError along a length of 0. f32, i32, u32, boolean.
EGLANTINE_API Tensor argmax(const Tensor& x, int axis, bool keepdims = false);
EGLANTINE_API Tensor argmin(const Tensor& x, int axis, bool keepdims = false);

/// exp(x - logsumexp(x)) along `axis`: sums to 1. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor softmax(const Tensor& x, int axis);

/// x - logsumexp(x) along `axis`. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor log_softmax(const Tensor& x, int axis);

/// Sum of the products of a and b over the given axes: y = sum(a * b, axes).
/// One kernel; no tensor of the broadcast shape is ever stored. Floats add in the fixed order of sum(). f32, i32, u32.
EGLANTINE_API Tensor multiply_sum(const Tensor& a, const Tensor& b, Axes axes, bool keepdims = false);

// ---- contraction ----

/// Matrix product, as NumPy: (m, k) x (k, n) gives (m, n); a rank-1 operand is a row on the left and a column on the
/// right, and its axis is dropped from the result; higher ranks are batches that broadcast. Views are read in place.
/// Throws ShapeError when inner sizes differ or an operand is a scalar. f32 (error at most k eps times the sum of
/// absolute products), i32, u32 (wrap).
EGLANTINE_API Tensor matmul(const Tensor& a, const Tensor& b);

/// Inner product of two rank-1 tensors of one length, a scalar; adds in the fixed order of sum(). f32, i32, u32.
EGLANTINE_API Tensor dot(const Tensor& a, const Tensor& b);

// ---- scans ----
//
// Prefixes along one axis. y[i] is made of x[0..i]; without x[i] when exclusive, y[0] being the identity; from the end
// when reverse. One kernel reads what x is computed from and x is never stored. Integers are exact (sums and products
// wrap); a float scan has the same bits on every run on one device. An axis out of range is a ShapeError.

/// Sums. f32 (error at most (128 + log2 n) eps times the sum of the absolute values), i32, u32; boolean counts in i32.
EGLANTINE_API Tensor cumsum(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Products. f32 (n eps relative), i32, u32; boolean counts in i32.
EGLANTINE_API Tensor cumprod(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Largest so far. NaN from the first NaN on. The identity of an exclusive scan is -inf, the smallest integer, or
/// false. Every dtype.
EGLANTINE_API Tensor cummax(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

/// Smallest so far; as cummax, with inf, the largest integer, or true.
EGLANTINE_API Tensor cummin(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

// ---- order ----
//
// Stable: equal keys keep their order, descending too. NaN comes last, ascending and descending; -0 equals +0; false
// comes before true. Every dtype. Places are i32: a row longer than 2^31 - 1 is a ShapeError.

/// The elements in order along `axis`. Throws ShapeError for a scalar.
EGLANTINE_API Tensor sort(const Tensor& x, int axis = -1, bool descending = false);

/// Where the elements of sort(x, axis, descending) stand in x. i32.
EGLANTINE_API Tensor argsort(const Tensor& x, int axis = -1, bool descending = false);

/// The k largest along `axis`, largest first, and their places (i32); of equals the first ones. NaN comes last, as
/// in sort(). Throws ShapeError unless 0 <= k <= the axis's length.
EGLANTINE_API std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int axis = -1);

/// The keys in order along the last axis, and the values moved along with them. Values of any dtype, of the keys'
/// shape, else ShapeError.
EGLANTINE_API std::pair<Tensor, Tensor> sort_by_key(const Tensor& keys, const Tensor& values, bool descending = false);

// ---- indices ----
//
// Indices are i32, else DTypeError; negative ones count from the end. One out of range is an IndexError, with its value
// and its place, thrown when a result is read, at the latest; nothing outside is read or written (docs/indices.md). An
// axis longer than 2^31 - 1, or more than 2^32 - 2 indices, is a ShapeError.

/// x's slices along `axis` at the indices: y[..., i..., ...] = x[..., indices[i...], ...]; the axis is replaced by the
/// index tensor's axes. Throws ShapeError when the result's rank passes 8.
EGLANTINE_API Tensor take(const Tensor& x, const Tensor& indices, int axis);

/// y[i, j, k] = x[index[i, j, k], j, k] for axis 0, and so on. index has x's rank; along the other axes it is no longer
/// than x, else ShapeError. The result has its shape.
EGLANTINE_API Tensor gather(const Tensor& x, int axis, const Tensor& index);

/// x with y[index[i, j, k], j, k] = updates[i, j, k] for axis 0, and so on. Of several updates to one element the last
/// in row-major order wins. index and updates have one shape, of x's rank, no longer than x along the other axes, else
/// ShapeError; updates have x's dtype.
EGLANTINE_API Tensor scatter(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// x with y[index[i, j, k], j, k] += updates[i, j, k]. f32 (the same bits on every run on one device), i32, u32 (wrap).
EGLANTINE_API Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// f32 of shape indices.shape + (depth): 1 at the index, 0 elsewhere. Throws ShapeError when depth is negative.
EGLANTINE_API Tensor one_hot(const Tensor& indices, int64_t depth);

// The shapes of these depend on data: they wait for it.

/// The elements (or, when the mask has a lower rank, the slices) of x where the mask is true, in row-major order, along
/// one new first axis. The mask is boolean; its shape is that of x's first axes, else ShapeError.
EGLANTINE_API Tensor compress(const Tensor& x, const Tensor& mask);

/// The coordinates at which the mask is true, in row-major order: i32 of shape (count, rank). Boolean.
EGLANTINE_API Tensor nonzero(const Tensor& mask);

/// The first of each run of equal elements of a tensor of rank 1: each value once when it is sorted. NaN equals NaN, -0
/// equals +0. Every dtype.
EGLANTINE_API Tensor unique(const Tensor& sorted);

// ---- shape ----

/// Joined along `axis`; all other lengths are equal. A tensor of its own, made by a kernel for each of the tensors,
/// which computes it on the way when it is pending; what reads the result does not fuse with them. Throws ShapeError
/// when lengths differ, or nothing is given. Any one dtype.
EGLANTINE_API Tensor concatenate(const std::vector<Tensor>& tensors, int axis);

/// Joined along a new axis before `axis` (of the result), as concatenate joins. All shapes are equal, else ShapeError.
EGLANTINE_API Tensor stack(const std::vector<Tensor>& tensors, int axis);

/// Cut along `axis` into `parts` views of one length. Throws ShapeError when the length is no multiple of parts.
EGLANTINE_API std::vector<Tensor> split(const Tensor& x, int64_t parts, int axis);

// The members of Tensor as free functions.

EGLANTINE_API Tensor reshape(const Tensor& x, Shape shape);
EGLANTINE_API Tensor permute(const Tensor& x, Axes axes);
EGLANTINE_API Tensor transpose(const Tensor& x, int a, int b);
EGLANTINE_API Tensor expand(const Tensor& x, Shape shape);
EGLANTINE_API Tensor squeeze(const Tensor& x, Axes axes = {});
EGLANTINE_API Tensor unsqueeze(const Tensor& x, int axis);
EGLANTINE_API Tensor flip(const Tensor& x, Axes axes);
EGLANTINE_API Tensor pad(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> before_after, float value = 0);
EGLANTINE_API Tensor crop(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> start_stop);
EGLANTINE_API Tensor slice(const Tensor& x, int axis, int64_t start, std::optional<int64_t> stop = {},
                           int64_t step = 1);
EGLANTINE_API Tensor astype(const Tensor& x, DType dtype);

}  // namespace eglantine
