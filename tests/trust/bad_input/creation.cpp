#include <cmath>

#include "trust/bad_input/row.hpp"

/// Verbs that make tensors of nothing.
namespace eglantine::test::bad_input {
namespace {

constexpr double inf = INFINITY;
const std::string no_dtype = "9 is no dtype; there are f32, i32, u32 and boolean";
constexpr auto nine = static_cast<DType>(9);

using OfShape = std::function<Tensor(const Shape& shape, DType dtype)>;

void add_shaped(Rows& rows, const std::string& name, const OfShape& call) {
  rows.push_back(row<ShapeError>(
      name, "a negative length",
      [=] {
        return call({2, -3}, DType::f32);
      },
      "[" + name + "] shape (2, -3) has a negative length"));
  rows.push_back(row<ShapeError>(
      name, "a negative length beside a zero",
      [=] {
        return call({0, -1}, DType::f32);
      },
      "[" + name + "] shape (0, -1) has a negative length"));
  rows.push_back(row<ShapeError>(
      name, "an overflowed product of sizes",
      [=] {
        return call({INT64_MAX, 2}, DType::f32);
      },
      "[" + name + "] shape (9223372036854775807, 2)" + too_many));
  rows.push_back(row<ShapeError>(
      name, "bytes that overflow", [=] { return call({int64_t{1} << 61}, DType::f32); },
      "[" + name + "] shape (2305843009213693952,)" + too_many));
  rows.push_back(row<ShapeError>(
      name, "nine axes",
      [=] {
        return call({1, 1, 1, 1, 1, 1, 1, 1, 1}, DType::f32);
      },
      "[Shape] got 9 values, but a tensor has at most 8 axes"));
  rows.push_back(row<DTypeError>(
      name, "no dtype", [=] { return call({2}, nine); }, "[" + name + "] " + no_dtype));
}

void add_real(Rows& rows, const std::string& name, const std::function<Tensor(DType dtype)>& call) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean})
    rows.push_back(row<DTypeError>(
        name, "of " + std::string(name_of(dtype)), [=] { return call(dtype); },
        "[" + name + "] takes f32, got " + std::string(name_of(dtype)) + "; convert with astype"));
}

void add_numbers(Rows& rows) {
  const auto full_of = [&](const std::string& number, DType dtype, Scalar value) {
    rows.push_back(row<DTypeError>(
        "full", "the number " + number, [=] { return full({2}, value, dtype); },
        "[full] the number " + number + " does not fit " + std::string(name_of(dtype))));
  };
  full_of("0.5", DType::i32, 0.5);
  full_of("nan", DType::i32, NAN);
  full_of("inf", DType::u32, inf);
  full_of("-1", DType::u32, -1);
  full_of("2147483648", DType::i32, 2147483648U);
  full_of("16777217", DType::f32, 16777217);
  full_of("1e+39", DType::f32, 1e39);
  full_of("2", DType::boolean, 2);
  rows.push_back(row<DTypeError>(
      "full_like", "a number that does not fit", [] { return full_like(of({2}, DType::u32), -1); },
      "[full_like] the number -1 does not fit u32"));
  rows.push_back(row<DTypeError>(
      "Scalar::bits", "a number that does not fit", [] { return Scalar(-1).bits(DType::u32, "mine", "; no"); },
      "[mine] the number -1 does not fit u32; no"));
}

void add_eye(Rows& rows) {
  rows.push_back(row<ShapeError>(
      "eye", "a negative number of rows", [] { return eye(-1); }, "[eye] a negative number of rows: -1"));
  rows.push_back(row<ShapeError>(
      "eye", "a negative number of rows", [] { return eye(INT64_MIN, 3); },
      "[eye] a negative number of rows: -9223372036854775808"));
  rows.push_back(row<ShapeError>(
      "eye", "a negative number of columns", [] { return eye(2, -3); },
      "[eye] a negative number of columns: -3; -1 means as many as rows"));
  rows.push_back(row<ShapeError>(
      "eye", "an overflowed product of sizes", [] { return eye(int64_t{1} << 31); },
      "[eye] shape (2147483648, 2147483648)" + too_many));
  rows.push_back(row<ShapeError>(
      "eye", "a long axis", [] { return eye(1, (int64_t{1} << 32) + 1); },
      "[eye] (1, 4294967297) has an axis longer than 2^32"));
  rows.push_back(row<DTypeError>(
      "eye", "no dtype", [] { return eye(2, 2, nine); }, "[eye] " + no_dtype));
}

template <class E, class Call>
Row of_arange(const std::string& wrong, Call call, const std::string& message) {
  return row<E>("arange", wrong, call, "[arange] " + message);
}

void add_arange(Rows& rows) {
  const std::string finite = "start, stop and step must be finite, got ";
  rows.insert(
      rows.end(),
      {of_arange<Error>(
           "a step of 0", [] { return arange(0, 5, 0); }, "a step of 0 never reaches the stop"),
       of_arange<Error>(
           "an infinite stop", [] { return arange(0, inf); }, finite + "0, inf, 1"),
       of_arange<Error>(
           "a NaN as start", [] { return arange(NAN, 5); }, finite + "nan, 5, 1"),
       of_arange<Error>(
           "a NaN as stop", [] { return arange(0, NAN, 1, DType::i32); }, finite + "0, nan, 1"),
       of_arange<Error>(
           "a NaN as step", [] { return arange(0, 5, NAN); }, finite + "0, 5, nan"),
       of_arange<ShapeError>(
           "too many elements", [] { return arange(0, 1e300, 1); }, "from 0 to 1e+300 by 1 has too many elements"),
       of_arange<ShapeError>(
           "more than 2^32 elements", [] { return arange(0, 4294967297.0); }, "4294967297 elements are more than 2^32"),
       of_arange<DTypeError>(
           "of boolean", [] { return arange(0, 5, 1, DType::boolean); },
           "takes f32, i32 or u32, got boolean; convert with astype"),
       of_arange<DTypeError>(
           "no dtype", [] { return arange(0, 5, 1, nine); }, no_dtype),
       of_arange<DTypeError>(
           "a fraction as start", [] { return arange(0.5, 5, 1, DType::i32); }, "the number 0.5 does not fit i32"),
       of_arange<DTypeError>(
           "a fraction as step", [] { return arange(0, 5, 0.5, DType::i32); }, "the number 0.5 does not fit i32"),
       of_arange<DTypeError>(
           "a negative start", [] { return arange(-1, 5, 1, DType::u32); }, "the number -1 does not fit u32"),
       of_arange<DTypeError>(
           "a stop beyond f32", [] { return arange(0, 1e39, 1e38); }, "the number 1e+39 does not fit f32")});
}

void add_linspace(Rows& rows) {
  rows.push_back(row<ShapeError>(
      "linspace", "a negative count", [] { return linspace(0, 1, -1); }, "[linspace] a negative count: -1"));
  rows.push_back(row<ShapeError>(
      "linspace", "too many elements", [] { return linspace(0, 1, (int64_t{1} << 32) + 1); },
      "[linspace] 4294967297 elements are more than 2^32"));
  for (int64_t count : {0, 1, 3}) {
    rows.push_back(row<Error>(
        "linspace", "a NaN as start", [=] { return linspace(NAN, 1, count); },
        "[linspace] start and stop must be finite, got nan and 1"));
    rows.push_back(row<Error>(
        "linspace", "an infinite stop", [=] { return linspace(0, -inf, count); },
        "[linspace] start and stop must be finite, got 0 and -inf"));
    rows.push_back(row<DTypeError>(
        "linspace", "a stop beyond f32", [=] { return linspace(0, 1e39, count); },
        "[linspace] the number 1e+39 does not fit f32"));
  }
  rows.push_back(row<DTypeError>(
      "linspace", "no dtype", [] { return linspace(0, 1, 3, nine); }, "[linspace] " + no_dtype));
}

}  // namespace

void add_creation(Rows& rows) {
  add_shaped(rows, "zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  add_shaped(rows, "ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); });
  add_shaped(rows, "full", [](const Shape& shape, DType dtype) { return full(shape, 1, dtype); });
  add_shaped(rows, "uniform", [](const Shape& shape, DType dtype) { return uniform(shape, 0, dtype); });
  add_shaped(rows, "normal", [](const Shape& shape, DType dtype) { return normal(shape, 0, dtype); });
  add_real(rows, "uniform", [](DType dtype) { return uniform({2}, 0, dtype); });
  add_real(rows, "normal", [](DType dtype) { return normal({2}, 0, dtype); });
  add_real(rows, "linspace", [](DType dtype) { return linspace(0, 1, 3, dtype); });
  rows.push_back(row<ShapeError>(
      "uniform", "more elements than the generator numbers",
      [] {
        return uniform({3, int64_t{1} << 31}, 0);
      },
      "[uniform] (3, 2147483648) has more than 2^32 elements; concatenate parts of different seeds"));
  rows.push_back(row<ShapeError>(
      "normal", "more elements than the generator numbers",
      [] {
        return normal({3, int64_t{1} << 30}, 0);
      },
      "[normal] (3, 1073741824) has more than 2^31 elements, and each takes two words"));
  add_numbers(rows);
  add_eye(rows);
  add_arange(rows);
  add_linspace(rows);
  add_moved_from(rows, "zeros_like", [](const Tensor& x) { return zeros_like(x); });
  add_moved_from(rows, "ones_like", [](const Tensor& x) { return ones_like(x); });
  add_moved_from(rows, "full_like", [](const Tensor& x) { return full_like(x, 1); });
}

}  // namespace eglantine::test::bad_input
