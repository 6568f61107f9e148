#include "eglantine/verbs/random.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "philox.hpp"
#include "verbs/creation/random.hpp"

/// Random numbers: functions of the element's number and the seed. Nothing is stored before it is read.
namespace eglantine {

using verbs::exponential_of;
using verbs::iota;

namespace {

void require_float(std::string_view function, DType dtype) { check::require_types(function, Types::real, dtype); }

/// The counter numbers words with 32 bits; larger tensors would repeat.
void require_numbered(std::string_view function, const Shape& shape, int words = 1) {
  check::require_countable(function, shape);
  if (shape.elements() > int64_t{1} << 32)
    check::fail<ShapeError>(function, to_string(shape),
                            " has more than 2^32 elements; concatenate parts of different seeds");
  if (words == 2 && shape.elements() > int64_t{1} << 31)
    check::fail<ShapeError>(function, to_string(shape), " has more than 2^31 elements, and each takes two words");
}

Tensor apply(Op op, DType dtype, const Tensor& x, const Tensor& y, const Tensor& z) {
  return pend(make_elementwise(op, dtype, {x.node(), y.node(), z.node()}));
}

/// The words of a seed.
struct Key {
  Tensor low, high;
};
Key key_for(const Tensor& number, uint64_t seed) {
  const auto constant = [&](uint64_t word) {
    return full(number.shape(), static_cast<uint32_t>(word), DType::u32, number.device());
  };
  return {constant(seed), constant(seed >> 32)};
}

/// Words of a stream: word i mod 4 of counter i / 4.
Tensor words_at(Op stream, const Tensor& number, uint64_t seed) {
  const Key key = key_for(number, seed);
  return apply(stream, DType::u32, number, key.low, key.high);
}

/// Word i for element i.
Tensor one_word(Op stream, const Shape& shape, uint64_t seed, const Device& device) {
  return words_at(stream, iota(device, shape), seed);
}

Tensor gumbel_of(const Tensor& words) { return -log(exponential_of(words)); }

}  // namespace

Tensor uniform(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("uniform", dtype);
  require_numbered("uniform", shape);
  // So many of a word's bits as the dtype has digits: rounding would reach 1.
  const int digits = dtype == DType::f16 ? 11 : dtype == DType::bf16 ? 8 : 24;
  Tensor words = one_word(Op::philox, shape, seed, device);
  if (digits < 24) words = words & (0xffffffffU << (32 - digits));
  return pend(make_elementwise(Op::uniform_from_bits, dtype, {words.node(), nullptr, nullptr}));
}

Tensor normal(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("normal", dtype);
  require_numbered("normal", shape);
  const Tensor number = iota(device, shape);
  const Key key = key_for(number, seed);
  return apply(Op::philox_normal, dtype, number, key.low, key.high);
}

Tensor randint(int64_t low, int64_t high, Shape shape, uint64_t seed, DType dtype, const Device& device) {
  check::require_types("randint", Types::integer, dtype);
  require_numbered("randint", shape, 2);
  if (low >= high)
    check::fail<Error>("randint", "low must be less than high, got ", std::to_string(low), " and ",
                       std::to_string(high));
  const uint32_t first = Scalar(low).bits(dtype, "randint");
  Scalar(high - 1).bits(dtype, "randint");
  const Tensor number = iota(device, shape);
  const Key key = key_for(number, seed);  // of both, so that they have their blocks in common
  const Tensor upper = apply(Op::philox_randint_high, DType::u32, number, key.low, key.high);
  const Tensor lower = apply(Op::philox_randint_low, DType::u32, number, key.low, key.high);
  // The high word of (high - low) * (upper 2^32 + lower) / 2^32.
  Tensor scaled = upper;
  if (const int64_t range = high - low; range < int64_t{1} << 32) {
    const auto constant = [&](int64_t value) { return full(shape, static_cast<uint32_t>(value), DType::u32, device); };
    const Tensor carry = apply(Op::multiply_high, DType::u32, lower, constant(range), constant(0));
    scaled = apply(Op::multiply_high, DType::u32, upper, constant(range), carry);
  }
  return (scaled + first).astype(dtype);
}

Tensor bernoulli(double p, Shape shape, uint64_t seed, const Device& device) {
  require_numbered("bernoulli", shape);
  if (!(p >= 0 && p <= 1)) check::fail<Error>("bernoulli", "a probability lies in [0, 1], got ", Scalar(p).text());
  const double below = std::nearbyint(p * 0x1p32);
  if (below == 0x1p32) return ones(shape, DType::boolean, device);
  return one_word(Op::philox_bernoulli, shape, seed, device) < static_cast<uint32_t>(below);
}

Tensor bernoulli(const Tensor& p, Shape shape, uint64_t seed) {
  require_numbered("bernoulli", shape);
  const Tensor probability = verbs::to_f32(p);
  if (check::require_broadcast("bernoulli", p.shape(), shape) != shape)
    check::fail<ShapeError>("bernoulli", "p of shape ", to_string(p.shape()), " does not broadcast to ",
                            to_string(shape));
  const Tensor words = one_word(Op::philox_bernoulli, shape, seed, p.device());
  // Exact in f32 but for the rounding of p below 2^-8; the conversion saturates, so 1 needs a case of its own.
  return logical_or(words < round(probability * 0x1p32).astype(DType::u32), probability >= 1);
}

Tensor exponential(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("exponential", dtype);
  require_numbered("exponential", shape);
  return exponential_of(one_word(Op::philox_exponential, shape, seed, device)).astype(dtype);
}

Tensor gumbel(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("gumbel", dtype);
  require_numbered("gumbel", shape);
  return gumbel_of(one_word(Op::philox_gumbel, shape, seed, device)).astype(dtype);
}

Tensor laplace(Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("laplace", dtype);
  require_numbered("laplace", shape);
  const Tensor words = one_word(Op::philox_laplace, shape, seed, device);
  const Tensor size = exponential_of(words >> 1U, 31);
  return where((words & 1U) == 0U, size, -size).astype(dtype);
}

Tensor truncated_normal(double low, double high, Shape shape, uint64_t seed, DType dtype, const Device& device) {
  require_float("truncated_normal", dtype);
  require_numbered("truncated_normal", shape);
  // Between bounds of the dtype, rounding to it passes neither.
  const auto bound = [&](double x) { return std::bit_cast<float>(Scalar(x).bits(dtype, "truncated_normal")); };
  const float from = bound(low), to = bound(high);
  if (!(from < to))
    check::fail<Error>("truncated_normal", "low must be less than high as ", name_of(dtype), ", got ",
                       Scalar(low).text(), " and ", Scalar(high).text());
  return verbs::truncated_normal_of(one_word(Op::philox_truncated, shape, seed, device), from, to).astype(dtype);
}

Tensor permutation(int64_t n, uint64_t seed, const Device& device) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (n < 0) check::fail<ShapeError>("permutation", "a negative count: ", std::to_string(n));
  if (n > most)
    check::fail<ShapeError>("permutation", std::to_string(n), " elements are more than 2^31 - 1, the largest i32");
  const Tensor number = iota(device, {n});
  const Tensor keys = words_at(Op::philox_permutation, number, seed);
  const Tensor more = words_at(Op::philox_permutation, number + static_cast<uint32_t>(n), seed);
  // Equal keys keep their order, which the first sort has made random.
  return sort_by_key(more, argsort(keys)).second;
}

Tensor shuffle(const Tensor& x, uint64_t seed, int axis) {
  const int along = check::i32_axis_of("shuffle", axis, x.shape());
  return take(x, permutation(x.shape()[along], seed, x.device()), along);
}

Tensor categorical(const Tensor& logits, uint64_t seed, int axis, std::optional<int64_t> count) {
  const int along = check::i32_axis_of("categorical", axis, logits.shape());
  verbs::require_nonempty("categorical", logits, {along});
  if (count && *count < 0) check::fail<ShapeError>("categorical", "a negative count: ", std::to_string(*count));
  Tensor rows = moveaxis(verbs::to_f32(logits), along, -1);
  if (!count) {
    require_numbered("categorical", logits.shape());
    return argmax(rows + gumbel_of(one_word(Op::philox_categorical, rows.shape(), seed, rows.device())), -1);
  }
  Shape drawn = rows.shape();
  drawn[drawn.rank() - 1] = *count;
  // As (rows, draws, classes), since the largest rank has no room for one axis more.
  const int64_t classes = rows.shape()[rows.rank() - 1];
  check::require_countable("categorical", drawn);
  const Shape noise{rows.size() / classes, *count, classes};
  require_numbered("categorical", noise);
  rows = rows.reshape({noise[0], 1, classes});
  return argmax(rows + gumbel_of(one_word(Op::philox_categorical, noise, seed, rows.device())), -1).reshape(drawn);
}

uint64_t split_seed(uint64_t seed, uint64_t n) {
  const std::array<uint32_t, 4> block = philox_block({static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32), 0, 1},
                                                     static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
  return uint64_t{block[1]} << 32 | block[0];
}

}  // namespace eglantine
