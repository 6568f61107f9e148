#include <algorithm>
#include <cmath>
#include <functional>

#include "eglantine/ops.hpp"
#include "lower/reduce/planned_reduce.hpp"
#include "support/random/random_data.hpp"

/// Reductions of which an invocation loads all elements of four short rows, or columns, before it combines any. The
/// bits are the CPU's.
namespace eglantine::test {
namespace {

class AtOnceSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  using Verb = std::function<Tensor(const Tensor&)>;

  static void check(const Verb& verb, const Array& elements, const std::string& name, int64_t resident = 128,
                    StorageType storage = StorageType::f32) {
    SCOPED_TRACE(testing::PrintToString(elements.shape));
    const Tensor x = upload(elements).astype(dtype_of(storage)).eval();
    const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(elements, storage))}};
    AsHardware hardware(*device_, resident);
    expect_reduce(*device_, hardware, planned_reduce(verb(x), moved), name + "\n", bits_of(verb(x)));
  }

  static Array with_specials(const Dims& shape) {
    Array a = random_elements(StorageType::f32, shape, 3);
    const double specials[] = {NAN, INFINITY, -INFINITY, -0.0};
    Random random(5);
    for (double& value : a.values)
      if (random.real(0, 1) < 0.2) value = specials[random.integer(0, 3)];
    return a;
  }

  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> AtOnceSchedules::device_;

Tensor count_between(const Tensor& x) { return count_nonzero(logical_and(gt(x, -0.5F), lt(x, 0.5F)), 1); }

TEST_F(AtOnceSchedules, rows_of_every_length) {
  const std::string form = "reduce_row_fours ";
  for (const int64_t length : {2, 3, 4, 6, 7, 12, 15})
    for (const int64_t rows : {512, 1003}) {
      const Array x = random_elements(StorageType::f32, {rows, length}, 1);
      const bool whole = length % 4 == 0;
      check([](const Tensor& a) { return sum(a, 1); }, x, whole ? "reduce_row sum f32" : form + "sum f32");
      check([](const Tensor& a) { return 2.0F * prod(a + 1.0F, 1); }, x, form + "prod f32");
      check(count_between, x, form + "sum i32");
    }
}

/// An outer axis further apart than a binding reaches: rows are copied one behind the other, in windows of them.
TEST_F(AtOnceSchedules, rows_that_are_copied_in_windows) {
  for (const int64_t length : {2, 3, 4, 17})
    for (const int64_t rows : {1001, 5001}) {
      SCOPED_TRACE(length);
      const Array elements = random_elements(StorageType::f32, {3, 60000 / length, length}, 1);
      const Tensor x = upload(elements).eval(), part = x.slice(1, 7, std::min(7 + rows, 60000 / length));
      const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(elements, StorageType::f32))}};
      for (const Verb& verb :
           {Verb([](const Tensor& a) { return sum(a, 2); }), Verb([](const Tensor& a) { return max(a, 2); })}) {
        AsHardware hardware(*device_, 128);
        hardware.plan_for().max_block_bytes = 1 << 16;
        const Words expected = bits_of(verb(part));
        ReduceKernel kernel = planned_reduce(verb(part), moved);
        kernel.out.buffer = buffer_of(*device_, Words(expected.size()));
        hardware.run(kernel);
        EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), expected.size()), expected) << hardware.names;
      }
    }
}

TEST_F(AtOnceSchedules, rows_of_narrow_and_whole_elements_and_of_some_of_many) {
  for (const int64_t length : {2, 3, 7, 14}) {
    const Array x = random_elements(StorageType::f16, {777, length}, 1);
    check([](const Tensor& a) { return sum(a.astype(DType::f32), 1); }, x, "reduce_row_fours sum f32", 128,
          StorageType::f16);
    check([](const Tensor& a) { return max(a.astype(DType::f32), 1); }, x, "reduce_row_fours max f32", 128,
          StorageType::f16);
    const auto behind_three = [](const Tensor& a) { return sum(a.slice(0, 3, a.shape()[0]), 1); };
    check(behind_three, random_elements(StorageType::f32, {777, length}, 1), "reduce_row_fours sum f32");
  }
}

TEST_F(AtOnceSchedules, columns_of_every_length) {
  const std::string form = "reduce_column_short ";
  for (const int64_t length : {2, 5, 8, 9, 15})
    for (const Dims& shape : {Dims{length, 1003}, Dims{123, length, 9}, Dims{64, length, 8}}) {
      const int axis = static_cast<int>(shape.size()) - 2;
      const Array x = random_elements(StorageType::f32, shape, 1);
      check([=](const Tensor& a) { return sum(a, axis); }, x, form + "sum f32");
      check([=](const Tensor& a) { return sum(gt(a, 0.25F), axis); }, x, form + "sum i32");
    }
}

/// Of several NaN any may be the extreme, so those show as a number; so does a zero's sign.
TEST_F(AtOnceSchedules, extremes_beside_nan_and_infinities) {
  const auto shown = [](const Tensor& y) { return nan_to_num(y, 7, 8, 9) + 0.0F; };
  for (const int64_t length : {2, 5, 8, 13}) {
    const Array columns = with_specials({133, length, 9}), rows = with_specials({1111, length});
    check([&](const Tensor& a) { return shown(max(a, 1)); }, columns, "reduce_column_short max f32");
    check([&](const Tensor& a) { return shown(min(a, 1)); }, columns, "reduce_column_short min f32");
    check([&](const Tensor& a) { return shown(max(a, 1)); }, rows, "reduce_row_fours max f32");
    check([&](const Tensor& a) { return shown(min(a, 1)); }, rows, "reduce_row_fours min f32");
  }
}

TEST_F(AtOnceSchedules, truth_values) {
  for (const int64_t length : {3, 6, 13})
    for (const bool by_rows : {true, false}) {
      const Array elements = random_elements(StorageType::f32, by_rows ? Dims{1003, length} : Dims{length, 1003}, 1);
      const Tensor x = upload(elements);
      const Tensor y = any(gt(x, 0.8F), {by_rows ? 1 : 0});
      Words expected;
      for (const bool value : y.to_vector<bool>()) expected.push_back(value ? 1 : 0);
      const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(elements, StorageType::f32))}};
      ReduceKernel kernel = planned_reduce(any(gt(x, 0.8F), {by_rows ? 1 : 0}), moved);
      if (is_narrow(kernel.out.storage)) expected = packed(expected, kernel.out.storage);
      AsHardware hardware(*device_, 128);
      const std::string form = by_rows ? "reduce_row_fours" : "reduce_column_short";
      expect_reduce(*device_, hardware, kernel, form + " any boolean\n", expected);
    }
}

TEST_F(AtOnceSchedules, few_rows_and_few_columns_have_other_forms) {
  const Array rows = random_elements(StorageType::f32, {1000, 3}, 1),
              columns = random_elements(StorageType::f32, {3, 1000}, 1);
  check([](const Tensor& a) { return sum(a, 1); }, rows, "reduce_row sum f32", 1 << 12);
  check([](const Tensor& a) { return sum(a, 0); }, columns, "reduce_column sum f32", 1 << 12);
}

}  // namespace
}  // namespace eglantine::test
