#include <cmath>

#include "trust/bad_input/row.hpp"

/// Random numbers.
namespace eglantine::test::bad_input {
namespace {

constexpr int64_t two_to_32 = int64_t{1} << 32;

void add_too_many(Rows& rows, const std::string& name, const std::function<Tensor(const Shape& shape)>& call) {
  rows.push_back(row<ShapeError>(
      name, "more elements than the generator numbers",
      [=] {
        return call({3, int64_t{1} << 31});
      },
      "[" + name + "] (3, 2147483648) has more than 2^32 elements; concatenate parts of different seeds"));
}

void add_too_many_pairs(Rows& rows, const std::string& name, const std::function<Tensor(const Shape& shape)>& call) {
  add_too_many(rows, name, call);
  rows.push_back(row<ShapeError>(
      name, "more elements than the generator numbers",
      [=] {
        return call({3, int64_t{1} << 30});
      },
      "[" + name + "] (3, 1073741824) has more than 2^31 elements, and each takes two words"));
}

using Sampler = Tensor (*)(Shape shape, uint64_t seed, DType dtype, const Device& device);

void add_sampler(Rows& rows, const std::string& name, Sampler call) {
  const auto of_shape = [=](const Shape& shape, DType dtype) { return call(shape, 0, dtype, Device::current()); };
  add_shaped(rows, name, of_shape);
  add_real(rows, name, [=](DType dtype) { return of_shape({2}, dtype); });
  add_too_many(rows, name, [=](const Shape& shape) { return of_shape(shape, DType::f32); });
}

template <class E>
void add_randint_of(Rows& rows, int64_t low, int64_t high, DType dtype, const std::string& message) {
  rows.push_back(row<E>(
      "randint", "from " + std::to_string(low) + " to " + std::to_string(high),
      [=] { return randint(low, high, {2}, 0, dtype); }, "[randint] " + message));
}

void add_randint(Rows& rows) {
  add_shaped(
      rows, "randint", [](const Shape& shape, DType) { return randint(0, 2, shape, 0); }, false);
  rows.push_back(row<DTypeError>(
      "randint", "no dtype", [] { return randint(0, 2, {2}, 0, nine); }, "[randint] " + no_dtype));
  add_too_many_pairs(rows, "randint", [](const Shape& shape) { return randint(0, 2, shape, 0); });
  for (DType dtype : {DType::f32, DType::boolean, DType::f16})
    rows.push_back(row<DTypeError>(
        "randint", "of " + std::string(name_of(dtype)), [=] { return randint(0, 2, {2}, 0, dtype); },
        "[randint] takes i32, u32, i8 or u8, got " + std::string(name_of(dtype)) + "; convert with astype"));
  add_randint_of<Error>(rows, 3, 3, DType::i32, "low must be less than high, got 3 and 3");
  add_randint_of<Error>(rows, 4, -5, DType::u32, "low must be less than high, got 4 and -5");
  add_randint_of<Error>(rows, INT64_MIN, INT64_MIN, DType::i32,
                        "low must be less than high, got -9223372036854775808 and -9223372036854775808");
  add_randint_of<DTypeError>(rows, INT64_MIN, INT64_MAX, DType::i32,
                             "the number -9223372036854775808 does not fit i32");
  add_randint_of<DTypeError>(rows, 0, 2147483649, DType::i32, "the number 2147483648 does not fit i32");
  add_randint_of<DTypeError>(rows, -1, 2, DType::u32, "the number -1 does not fit u32");
  add_randint_of<DTypeError>(rows, 0, two_to_32 + 1, DType::u32, "the number 4294967296 does not fit u32");
}

void add_bernoulli(Rows& rows) {
  add_shaped(
      rows, "bernoulli", [](const Shape& shape, DType) { return bernoulli(0.5, shape, 0); }, false);
  add_too_many(rows, "bernoulli", [](const Shape& shape) { return bernoulli(0.5, shape, 0); });
  add_too_many(rows, "bernoulli", [](const Shape& shape) { return bernoulli(of({}), shape, 0); });
  for (const auto& [p, said] :
       {std::pair<double, const char*>{-0.1, "-0.1"}, {1.5, "1.5"}, {NAN, "nan"}, {INFINITY, "inf"}})
    rows.push_back(row<Error>(
        "bernoulli", std::string("the probability ") + said, [p = p] { return bernoulli(p, {2}, 0); },
        std::string("[bernoulli] a probability lies in [0, 1], got ") + said));
  rows.push_back(row<ShapeError>(
      "bernoulli", "probabilities that do not broadcast",
      [] {
        return bernoulli(of({4}), {2, 3}, 0);
      },
      "[bernoulli] shapes do not broadcast: (4,) and (2, 3)"));
  rows.push_back(row<ShapeError>(
      "bernoulli", "probabilities of more elements",
      [] {
        return bernoulli(of({2, 3}), {3}, 0);
      },
      "[bernoulli] p of shape (2, 3) does not broadcast to (3,)"));
  add_moved_from(rows, "bernoulli", [](const Tensor& x) { return bernoulli(x, {3}, 0); });
}

void add_truncated_normal(Rows& rows) {
  const auto draw = [](const Shape& shape, DType dtype) { return truncated_normal(-1, 1, shape, 0, dtype); };
  add_shaped(rows, "truncated_normal", draw);
  add_real(rows, "truncated_normal", [=](DType dtype) { return draw({2}, dtype); });
  add_too_many(rows, "truncated_normal", [=](const Shape& shape) { return draw(shape, DType::f32); });
  const auto between = [&](double low, double high, const std::string& said) {
    rows.push_back(row<Error>(
        "truncated_normal", said, [=] { return truncated_normal(low, high, {2}, 0); },
        "[truncated_normal] low must be less than high as f32, got " + said));
  };
  between(1, 1, "1 and 1");
  between(2, -INFINITY, "2 and -inf");
  between(NAN, 1, "nan and 1");
  between(0, NAN, "0 and nan");
  between(1, 1 + 1e-12, "1 and 1");
  between(INFINITY, INFINITY, "inf and inf");
  rows.push_back(row<DTypeError>(
      "truncated_normal", "a bound beyond f32", [] { return truncated_normal(0, 1e39, {2}, 0); },
      "[truncated_normal] the number 1e+39 does not fit f32"));
}

void add_orders(Rows& rows) {
  rows.push_back(row<ShapeError>(
      "permutation", "a negative count", [] { return permutation(-1, 0); }, "[permutation] a negative count: -1"));
  rows.push_back(row<ShapeError>(
      "permutation", "too many elements", [] { return permutation(int64_t{1} << 31, 0); },
      "[permutation] 2147483648 elements are more than 2^31 - 1, the largest i32"));
  add_axis(rows, "shuffle", [](const Tensor& x, int axis) { return shuffle(x, 0, axis); });
  add_moved_from(rows, "shuffle", [](const Tensor& x) { return shuffle(x, 0); });
  rows.push_back(row<ShapeError>(
      "shuffle", "a long axis", [] { return shuffle(huge({int64_t{1} << 31}), 0); },
      "[shuffle] axis 0 of (2147483648,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
}

void add_categorical(Rows& rows) {
  add_axis(rows, "categorical", [](const Tensor& x, int axis) { return categorical(x, 0, axis); });
  add_moved_from(rows, "categorical", [](const Tensor& x) { return categorical(x, 0); });
  rows.push_back(row<ShapeError>(
      "categorical", "a long axis", [] { return categorical(huge({int64_t{1} << 31}), 0); },
      "[categorical] axis 0 of (2147483648,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
  rows.push_back(row<ShapeError>(
      "categorical", "of nothing",
      [] {
        return categorical(of({2, 0}), 0);
      },
      "[categorical] of nothing: shape (2, 0) has no elements along axes (1,)"));
  rows.push_back(row<ShapeError>(
      "categorical", "a negative count", [] { return categorical(of({2}), 0, 0, -1); },
      "[categorical] a negative count: -1"));
  rows.push_back(row<ShapeError>(
      "categorical", "an overflowed product of sizes", [] { return categorical(of({2}), 0, 0, INT64_MAX); },
      "[categorical] shape (9223372036854775807,)" + too_many));
  rows.push_back(row<ShapeError>(
      "categorical", "more noise than the generator numbers",
      [] {
        return categorical(of({2, 3}), 0, 0, int64_t{1} << 31);
      },
      "[categorical] (3, 2147483648, 2) has more than 2^32 elements; concatenate parts of different seeds"));
  add_too_many(rows, "categorical", [](const Shape& shape) { return categorical(huge(shape), 0, 0); });
}

}  // namespace

void add_random(Rows& rows) {
  add_sampler(rows, "uniform", uniform);
  add_sampler(rows, "normal", normal);
  add_sampler(rows, "exponential", exponential);
  add_sampler(rows, "gumbel", gumbel);
  add_sampler(rows, "laplace", laplace);
  add_randint(rows);
  add_bernoulli(rows);
  add_truncated_normal(rows);
  add_orders(rows);
  add_categorical(rows);
}

}  // namespace eglantine::test::bad_input
