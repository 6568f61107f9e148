#include <cmath>

#include "trust/bad_input/row.hpp"

/// Verbs that make tensors of nothing.
namespace eglantine::test::bad_input {
namespace {

constexpr double inf = INFINITY;

void add_created_numbers(Rows& rows) {
  const auto full_of = [&](const std::string& number, DType dtype, Scalar value, const std::string& advice = "") {
    rows.push_back(row<DTypeError>(
        "full", "the number " + number, [=] { return full({2}, value, dtype); },
        "[full] the number " + number + " does not fit " + std::string(name_of(dtype)) + advice));
  };
  full_of("0.5", DType::i32, 0.5);
  full_of("nan", DType::i32, NAN);
  full_of("inf", DType::u32, inf);
  full_of("-1", DType::u32, -1);
  full_of("2147483648", DType::i32, 2147483648U);
  full_of("16777217", DType::f32, 16777217, "; as a double, 16777217.0, it is rounded");
  full_of("1e+39", DType::f32, 1e39);
  full_of("2049", DType::f16, 2049, "; as a double, 2049.0, it is rounded");
  full_of("-65519", DType::f16, -65519, "; as a double, -65519.0, it is rounded");
  full_of("65520", DType::f16, 65520);
  full_of("70000", DType::f16, 70000.0);
  full_of("257", DType::bf16, 257, "; as a double, 257.0, it is rounded");
  full_of("128", DType::i8, 128);
  full_of("-129", DType::i8, -129);
  full_of("256", DType::u8, 256);
  full_of("-1", DType::u8, -1);
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
           "takes any dtype but boolean, got boolean; convert with astype"),
       of_arange<DTypeError>(
           "no dtype", [] { return arange(0, 5, 1, nine); }, no_dtype),
       of_arange<DTypeError>(
           "a fraction as start", [] { return arange(0.5, 5, 1, DType::i32); }, "the number 0.5 does not fit i32"),
       of_arange<DTypeError>(
           "a fraction as step", [] { return arange(0, 5, 0.5, DType::i32); }, "the number 0.5 does not fit i32"),
       of_arange<DTypeError>(
           "a last element beyond i32", [] { return arange(0, 4e9, 1e9, DType::i32); },
           "the number 3e+09 does not fit i32"),
       of_arange<DTypeError>(
           "a last element below 0", [] { return arange(5, -3, -2, DType::u32); }, "the number -1 does not fit u32"),
       of_arange<DTypeError>(
           "a negative start", [] { return arange(-1, 5, 1, DType::u32); }, "the number -1 does not fit u32"),
       of_arange<DTypeError>(
           "a last element beyond i8", [] { return arange(0, 200, 64, DType::i8); }, "the number 192 does not fit i8"),
       of_arange<DTypeError>(
           "a negative start of bytes", [] { return arange(-1, 5, 1, DType::u8); }, "the number -1 does not fit u8"),
       of_arange<DTypeError>(
           "a stop beyond f16", [] { return arange(0, 70000, 1000, DType::f16); }, "the number 70000 does not fit f16"),
       of_arange<DTypeError>(
           "a stop beyond f32", [] { return arange(0, 1e39, 1e38); }, "the number 1e+39 does not fit f32")});
}

using OfLine = std::function<Tensor(double start, double stop, int64_t count)>;

void add_line(Rows& rows, const std::string& name, const OfLine& call) {
  rows.push_back(row<ShapeError>(
      name, "a negative count", [=] { return call(0, 1, -1); }, "[" + name + "] a negative count: -1"));
  rows.push_back(row<ShapeError>(
      name, "too many elements", [=] { return call(0, 1, (int64_t{1} << 32) + 1); },
      "[" + name + "] 4294967297 elements are more than 2^32"));
  for (int64_t count : {0, 1, 3}) {
    rows.push_back(row<Error>(
        name, "a NaN as start", [=] { return call(NAN, 1, count); },
        "[" + name + "] start and stop must be finite, got nan and 1"));
    rows.push_back(row<Error>(
        name, "an infinite stop", [=] { return call(0, -inf, count); },
        "[" + name + "] start and stop must be finite, got 0 and -inf"));
  }
}

void add_linspace(Rows& rows) {
  add_line(rows, "linspace", [](double start, double stop, int64_t count) { return linspace(start, stop, count); });
  for (int64_t count : {0, 1, 3}) {
    rows.push_back(row<DTypeError>(
        "linspace", "a stop beyond f32", [=] { return linspace(0, 1e39, count); },
        "[linspace] the number 1e+39 does not fit f32"));
  }
  rows.push_back(row<DTypeError>(
      "linspace", "no dtype", [] { return linspace(0, 1, 3, nine); }, "[linspace] " + no_dtype));
}

void add_logspace(Rows& rows) {
  add_line(rows, "logspace", [](double start, double stop, int64_t count) { return logspace(start, stop, count); });
  rows.push_back(row<DTypeError>(
      "logspace", "no dtype", [] { return logspace(0, 1, 3, 10, nine); }, "[logspace] " + no_dtype));
  for (const auto& [base, said] : {std::pair<double, const char*>{0, "0"}, {-2, "-2"}, {NAN, "nan"}, {inf, "inf"}})
    rows.push_back(row<Error>(
        "logspace", std::string("the base ") + said, [base = base] { return logspace(0, 1, 3, base); },
        std::string("[logspace] the base must be positive and finite, got ") + said));
  rows.push_back(row<Error>(
      "logspace", "a power beyond 2^(2^20)", [] { return logspace(0, 1e7, 3, 2); },
      "[logspace] powers of 2 from 0 to 10000000 pass 2^(2^20)"));
}

void add_triangles(Rows& rows) {
  rows.push_back(row<ShapeError>(
      "tri", "a negative number of rows", [] { return tri(-1); }, "[tri] a negative number of rows: -1"));
  rows.push_back(row<ShapeError>(
      "tri", "a negative number of columns", [] { return tri(2, INT64_MIN); },
      "[tri] a negative number of columns: -9223372036854775808; -1 means as many as rows"));
  rows.push_back(row<ShapeError>(
      "tri", "an overflowed product of sizes", [] { return tri(int64_t{1} << 31); },
      "[tri] shape (2147483648, 2147483648)" + too_many));
  rows.push_back(row<ShapeError>(
      "tri", "a long axis", [] { return tri(1, (int64_t{1} << 31) + 1); },
      "[tri] (1, 2147483649) has an axis longer than 2^31"));
  rows.push_back(row<DTypeError>(
      "tri", "no dtype", [] { return tri(2, 2, 0, nine); }, "[tri] " + no_dtype));
  const auto of_matrices = [&](const std::string& name, Tensor (*verb)(const Tensor&, int64_t)) {
    for (const Shape& shape : {Shape{}, Shape{3}})
      rows.push_back(row<ShapeError>(
          name, "no matrix", [=] { return verb(of(shape), 0); },
          "[" + name + "] wants matrices, of two axes at least, got shape " + to_string(shape)));
    rows.push_back(row<ShapeError>(
        name, "a long axis",
        [=] {
          return verb(huge({1, (int64_t{1} << 31) + 1}), 0);
        },
        "[" + name + "] (1, 2147483649) has an axis longer than 2^31"));
    add_moved_from(rows, name, [=](const Tensor& x) { return verb(x, 0); });
  };
  of_matrices("tril", tril);
  of_matrices("triu", triu);
}

void add_diagonals(Rows& rows) {
  add_axis(rows, "diagonal", [](const Tensor& x, int axis) { return diagonal(x, 0, axis, 1); });
  add_axis(rows, "diagonal", [](const Tensor& x, int axis) { return diagonal(x, 0, 0, axis); });
  rows.push_back(row<ShapeError>(
      "diagonal", "an axis named twice",
      [] {
        return diagonal(of({2, 3}), 0, 0, -2);
      },
      "[diagonal] axis -2 is named twice in (0, -2) for shape (2, 3)"));
  rows.push_back(row<ShapeError>(
      "diagonal", "of a vector", [] { return diagonal(of({3})); },
      "[diagonal] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]"));
  add_moved_from(rows, "diagonal", [](const Tensor& x) { return diagonal(x); });
  for (const Shape& shape : {Shape{}, Shape{2, 3, 4}})
    rows.push_back(row<ShapeError>(
        "diag", "neither vector nor matrix", [=] { return diag(of(shape)); },
        "[diag] takes a vector or a matrix, got shape " + to_string(shape)));
  for (int64_t k : {INT64_MAX, INT64_MIN})
    rows.push_back(row<ShapeError>(
        "diag", "a diagonal far away", [=] { return diag(of({3}), k); },
        "[diag] the diagonal " + std::to_string(k) + " of a vector of 3 makes a matrix of more than 2^63 - 1 rows"));
  rows.push_back(row<ShapeError>(
      "diag", "an overflowed product of sizes", [] { return diag(of({3}), int64_t{1} << 32); },
      "[diag] shape (4294967299, 4294967299)" + too_many));
  add_moved_from(rows, "diag", [](const Tensor& x) { return diag(x); });
}

void add_meshgrid(Rows& rows) {
  rows.push_back(row<ShapeError>(
      "meshgrid", "nine tensors", [] { return meshgrid(std::vector<Tensor>(9, of({2}))); },
      "[meshgrid] 9 tensors make more axes than the largest rank, 8"));
  rows.push_back(row<ShapeError>(
      "meshgrid", "a matrix",
      [] {
        return meshgrid({of({2}), of({2, 3})});
      },
      "[meshgrid] takes vectors, got shape (2, 3)"));
  rows.push_back(row<ShapeError>(
      "meshgrid", "an overflowed product of sizes",
      [] {
        return meshgrid({huge({int64_t{1} << 31}), huge({int64_t{1} << 31})});
      },
      "[meshgrid] shape (2147483648, 2147483648)" + too_many));
  add_moved_from(rows, "meshgrid", [](const Tensor& x) { return meshgrid({x})[0]; });
}

}  // namespace

void add_creation(Rows& rows) {
  add_shaped(rows, "zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  add_shaped(rows, "ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); });
  add_shaped(rows, "full", [](const Shape& shape, DType dtype) { return full(shape, 1, dtype); });
  add_real(rows, "linspace", [](DType dtype) { return linspace(0, 1, 3, dtype); });
  add_real(rows, "logspace", [](DType dtype) { return logspace(0, 1, 3, 10, dtype); });
  add_created_numbers(rows);
  add_eye(rows);
  add_arange(rows);
  add_linspace(rows);
  add_logspace(rows);
  add_triangles(rows);
  add_diagonals(rows);
  add_meshgrid(rows);
  add_moved_from(rows, "zeros_like", [](const Tensor& x) { return zeros_like(x); });
  add_moved_from(rows, "ones_like", [](const Tensor& x) { return ones_like(x); });
  add_moved_from(rows, "full_like", [](const Tensor& x) { return full_like(x, 1); });
}

}  // namespace eglantine::test::bad_input
