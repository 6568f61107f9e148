#include "eglantine/verbs/attention.hpp"

#include <limits>

#include "trust/bad_input/row.hpp"

namespace eglantine::test::bad_input {
namespace {

const std::string attention_name = "scaled_dot_product_attention";

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {}) {
  return scaled_dot_product_attention(q, k, v, options);
}
/// A vector as one row.
Tensor as_row(const Tensor& x) { return x.unsqueeze(0); }

void add_attention_shapes(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& q, const Shape& k, const Shape& v,
                         const std::string& said) {
    rows.push_back(row<ShapeError>(
        attention_name, what, [=] { return attend(huge(q), huge(k), huge(v)); }, "[" + attention_name + "] " + said));
  };
  wrong("a vector as q", {3}, {2, 3}, {2, 3}, "q is (3,); it has rows and features");
  wrong("a vector as k", {2, 3}, {3}, {2, 3}, "k is (3,); it has rows and features");
  wrong("a scalar as v", {2, 3}, {2, 3}, {}, "v is (); it has rows and features");
  wrong("features of q and k", {2, 3}, {2, 4}, {2, 3},
        "q and k differ in features: axis -1 of q is 3, of k is 4: (2, 3) and (2, 4)");
  wrong("lengths of k and v", {2, 3}, {4, 3}, {5, 3},
        "k and v differ in length: axis -2 of k is 4, of v is 5: (4, 3) and (5, 3)");
  wrong("heads of k", {6, 2, 3}, {4, 5, 3}, {6, 5, 3},
        "6 heads are no multiple of 4: axis -3 of q is 6, of k is 4: (6, 2, 3) and (4, 5, 3)");
  wrong("more heads of k", {2, 2, 3}, {4, 5, 3}, {4, 5, 3},
        "2 heads are no multiple of 4: axis -3 of q is 2, of k is 4: (2, 2, 3) and (4, 5, 3)");
  wrong("no heads of k", {2, 2, 3}, {0, 5, 3}, {2, 5, 3},
        "2 heads are no multiple of 0: axis -3 of q is 2, of k is 0: (2, 2, 3) and (0, 5, 3)");
  wrong("heads of v", {6, 2, 3}, {3, 5, 3}, {4, 5, 3},
        "6 heads are no multiple of 4: axis -3 of the scores is 6, of v is 4: (6, 2, 5) and (4, 5, 3)");
  wrong("leading axes", {2, 6, 2, 3}, {5, 6, 5, 3}, {6, 5, 3},
        "leading axes do not broadcast: axis -4 of q is 2, of k is 5: (2, 6, 2, 3) and (5, 6, 5, 3)");
  wrong("leading axes of v", {2, 6, 2, 3}, {6, 5, 3}, {4, 3, 5, 7},
        "leading axes do not broadcast: axis -4 of the scores is 2, of v is 4: (2, 6, 2, 5) and (4, 3, 5, 7)");
  const int64_t half = int64_t{1} << 31;
  wrong("an overflowed product of sizes", {half, 1}, {half, 1}, {half, 1}, "shape (2147483648, 2147483648)" + too_many);
}

void add_masks(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& mask, const std::string& said) {
    rows.push_back(row<ShapeError>(
        attention_name, what,
        [=] {
          return attend(of({3, 2, 4}), of({3, 5, 4}), of({3, 5, 4}), {.mask = of(mask)});
        },
        "[" + attention_name + "] " + said));
  };
  wrong("a mask of other columns", {2, 4},
        "mask must broadcast to the scores: axis -1 of mask is 4, of the scores is 5: (2, 4) and (3, 2, 5)");
  wrong("a mask larger than the scores", {2, 3, 2, 5},
        "mask must broadcast to the scores: it has 4 axes, these 3: (2, 3, 2, 5) and (3, 2, 5)");
  for (DType dtype : {DType::i32, DType::u32, DType::i8, DType::u8}) {
    const std::string got(name_of(dtype));
    rows.push_back(row<DTypeError>(
        attention_name, "a mask of " + got,
        [=] {
          return attend(of({2, 4}), of({5, 4}), of({5, 4}), {.mask = of({2, 5}, dtype)});
        },
        "[" + attention_name + "] mask is boolean, f32, f16 or bf16, got " + got + "; convert with astype"));
  }
  add_two_devices(rows, attention_name, [](const Tensor& x, const Tensor& y) {
    return attend(as_row(x), as_row(x), as_row(x), {.mask = y.slice(0, 0, 1)});
  });
}

}  // namespace

void add_attention(Rows& rows) {
  add_attention_shapes(rows);
  add_masks(rows);
  add_moved_from(rows, attention_name, [](const Tensor& x) { return attend(x, of({2, 3}), of({2, 3})); });
  add_two_devices(rows, attention_name,
                  [](const Tensor& x, const Tensor& y) { return attend(as_row(x), as_row(y), as_row(x)); });
  add_two_devices(rows, attention_name,
                  [](const Tensor& x, const Tensor& y) { return attend(as_row(x), as_row(x), as_row(y)); });
  add_real(rows, attention_name, [](DType dtype) { return attend(of({2, 3}, dtype), of({2, 3}), of({2, 3})); });
  add_real(rows, attention_name, [](DType dtype) { return attend(of({2, 3}), of({2, 3}), of({2, 3}, dtype)); });
  for (const auto& [scale, said] :
       std::vector<std::pair<double, std::string>>{{std::numeric_limits<double>::infinity(), "inf"},
                                                   {std::numeric_limits<double>::quiet_NaN(), "nan"},
                                                   {1e39, "1e+39"}})
    rows.push_back(row<Error>(
        attention_name, "a scale of " + said,
        [scale = scale] {
          return attend(of({2, 3}), of({2, 3}), of({2, 3}), {.scale = scale});
        },
        "[" + attention_name + "] scale is finite as f32, got " + said));
  rows.push_back(row<ShapeError>(
      attention_name, "too many rows to number",
      [] {
        return attend(huge({int64_t{1} << 33, 1}), of({1, 1}), of({1, 1}), {.causal = true});
      },
      "[" + attention_name + "] causal numbers 8589934592 rows and 1 columns, at most 2^32"));
}

}  // namespace eglantine::test::bad_input
