#pragma once

#include <gtest/gtest.h>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/schedules.hpp"

/// What the tests of contractions over groups of axes in the forms for hardware share.
namespace eglantine::test {

/// A product of batches (g, rows, c * k) and windows of k neighbours, `step` apart, of (g, c, length), or twice that,
/// as its operands lie in memory; results are (rows, g, columns), each `apart` elements behind the one before.
struct GroupsCase {
  int64_t g, rows, columns, c, k;
  bool doubled = false;
  int64_t apart = 1;
  StorageType of_left = StorageType::f32, of_right = StorageType::f32, of_out = StorageType::f32;
  int64_t step = 1;
  int64_t start = 0;  ///< elements before an operand's first one

  int64_t length() const { return (columns - 1) * step + k; }
  int64_t place(int64_t row, int64_t batch, int64_t column) const {
    return ((row * g + batch) * columns + column) * apart;
  }
};

inline std::string text_of(const GroupsCase& c) {
  std::string text = test::text({c.g, c.rows, c.columns, c.c, c.k});
  for (StorageType storage : {c.of_left, c.of_right, c.of_out}) text += " " + std::string(name_of(dtype_of(storage)));
  return text + (c.doubled ? " doubled" : "") + " step " + std::to_string(c.step) + " apart " +
         std::to_string(c.apart) + " from " + std::to_string(c.start);
}

class GroupsSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  struct Data {
    Array left, right;
  };
  static Data data_of(const GroupsCase& c) {
    return {random_elements(c.of_left, {c.g, c.rows, c.c, c.k}, 1),
            random_elements(c.of_right, {c.g, c.c, c.length()}, 2)};
  }

  static Strided operand(const Array& x, StorageType storage, Layout layout, int64_t start) {
    layout.offset += start;
    return {buffer_of(*device_, words_of(x, storage, start)), storage, layout};
  }

  /// Integers as floats.
  static void load(ExpressionBuilder& builder, const Strided& x) {
    const int value = builder.load(x);
    if (x.storage == StorageType::i32) builder.elementwise(Op::cast, DType::i32, DType::f32, {value, -1, -1});
  }

  static Expr epilogue_of(const GroupsCase& c) {
    ExpressionBuilder epilogue({c.g, c.rows, c.columns});
    int value = epilogue.accumulator(DType::f32);
    if (c.doubled) value = epilogue.operation(Op::add, DType::f32, {value, value, -1});
    if (is_narrow(c.of_out)) epilogue.elementwise(Op::cast, DType::f32, dtype_of(c.of_out), {value, -1, -1});
    return epilogue.take();
  }

  static ContractionKernel kernel_of(const GroupsCase& c, const Data& data, const BufferPtr& out) {
    ContractionKernel kernel;
    kernel.batches = c.g;
    kernel.rows = c.rows;
    kernel.columns = c.columns;
    kernel.length = c.c * c.k;
    const Shape left{c.g, c.rows, c.c, c.k}, right{c.g, c.columns, c.c, c.k};
    const Layout windows{right, {c.c * c.length(), c.step, c.length(), 1}, 0};
    ExpressionBuilder as(left), bs(right);
    load(as, operand(data.left, c.of_left, layout::contiguous(left), c.start));
    load(bs, operand(data.right, c.of_right, windows, c.start));
    kernel.left = as.take();
    kernel.left_kept = 2;
    kernel.right = bs.take();
    kernel.right_kept = 2;
    kernel.epilogue = epilogue_of(c);
    kernel.out = {
        out, c.of_out, {{c.g, c.rows, c.columns}, {c.columns * c.apart, c.g * c.columns * c.apart, c.apart}, 0}};
    collapse(kernel);
    return kernel;
  }

  static double sum_at(const GroupsCase& c, const Data& data, int64_t batch, int64_t row, int64_t column) {
    const double* left = data.left.values.data() + (batch * c.rows + row) * c.c * c.k;
    const double* right = data.right.values.data() + batch * c.c * c.length() + column * c.step;
    double sum = 0;
    for (int64_t i = 0; i < c.c; ++i)
      for (int64_t j = 0; j < c.k; ++j) sum += left[i * c.k + j] * right[i * c.length() + j];
    return c.doubled ? 2 * sum : sum;
  }

  /// The results, and that what lies between them and behind keeps its bits.
  static void expect_close(AsTarget& target, const GroupsCase& c) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    const int64_t count = c.g * c.rows * c.columns * c.apart + 4;
    const Array before{DType::f32, {}, std::vector<double>(static_cast<size_t>(count), -7.0)};
    const BufferPtr out = buffer_of(*device_, words_of(before, c.of_out));
    target.run(kernel_of(c, data, out));
    const Words found = download(*device_, out->storage(), words_of(before, c.of_out).size());
    for_each_index({c.rows, c.g, c.columns}, [&](const Dims& at) {
      const int64_t place = c.place(at[0], at[1], at[2]);
      const double sum = sum_at(c, data, at[1], at[0], at[2]), value = element_at(found, c.of_out, place);
      ASSERT_TRUE(is_rounded(value, dtype_of(c.of_out), sum, 1e-5 * static_cast<double>(c.c * c.k)))
          << value << " instead of " << sum << " at " << text(at) << "\n"
          << target.names;
      for (int64_t i = 1; i < c.apart; ++i) EXPECT_EQ(element_at(found, c.of_out, place + i), -7.0) << "beside it";
    });
    for (int64_t i = count - 4; i < count; ++i) EXPECT_EQ(element_at(found, c.of_out, i), -7.0) << "past the end";
  }

  inline static std::unique_ptr<gl::GlRuntime> device_;
};

}  // namespace eglantine::test
