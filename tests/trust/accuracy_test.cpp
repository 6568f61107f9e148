#include <cmath>
#include <set>

#include "accuracy/measure.hpp"
#include "accuracy/narrow.hpp"
#include "accuracy/table.hpp"
#include "eglantine/ops.hpp"
#include "support/devices.hpp"
#include "support/op_rows.hpp"
#include "support/random/draw.hpp"

/// What `eglantine-info --accuracy` measures, over fewer arguments: every operation keeps what its row promises.
namespace eglantine::test {
namespace {

using accuracy::Measured;
using accuracy::Operation;

EG_ON_EACH_DEVICE(Trust, Accuracy);

constexpr uint32_t stride = 65521;  // prime, so that the bits of the mantissa vary with the exponent

EG_TEST(Accuracy, is_as_the_operation_table_promises) {
  Draw draw = draw_one_of(4);
  for (const Operation& operation : accuracy::operations()) {
    if (!draw.next()) continue;
    const Measured measured = measure(operation, device(), stride);
    EXPECT_GT(measured.arguments, 65000) << operation.name;
    EXPECT_EQ(measured.broken.count, 0) << text_of(operation, measured.broken.first);
    EXPECT_EQ(measured.nans.count, 0) << text_of(operation, measured.nans.first);
    EXPECT_EQ(measured.infinities.count, 0) << text_of(operation, measured.infinities.first);
  }
}

EG_TEST(Accuracy, is_a_rounding_of_narrow_floats) {
  Draw draw = draw_one_of(8);
  for (const Operation& operation : accuracy::operations())
    for (DType dtype : {DType::f16, DType::bf16}) {
      if (!draw.next()) continue;
      const accuracy::NarrowMeasured measured = measure_narrow(operation, dtype, device(), stride);
      EXPECT_GT(measured.arguments, 65000) << operation.name;
      EXPECT_EQ(measured.broken.count, 0) << name_of(dtype) << " " << text_of(operation, measured.broken.first);
    }
}

TEST(AccuracyTable, has_every_row_of_one_or_two_floats) {
  std::set<std::string> measured;
  for (const Operation& operation : accuracy::operations()) {
    EXPECT_TRUE(measured.insert(operation.name).second) << operation.name << " is there twice";
    EXPECT_LT(operation.low, operation.high) << operation.name << " is no row of the operation table";
  }
  for (const OpRow& row : elementwise_rows()) {
    if (dtypes_of(row).front() != DType::f32 || row.arity > 2 || is_internal(row)) continue;
    EXPECT_TRUE(measured.contains(row.name)) << row.name << " is not measured";
  }
}

/// An operation that claims to be the identity and exact.
Operation claimed(Tensor (*call)(const Tensor&, const Tensor&)) {
  return {"claimed", 1, call, [](double x, double) { return x; }, -3.4e38, 3.4e38, 0, 0, 0, 0, 0};
}

Measured measured_on_cpu(const Operation& operation) { return measure(operation, Device::open("cpu"), stride); }

TEST(AccuracyMeasure, finds_nothing_wrong_with_what_is_right) {
  const Operation same = claimed([](const Tensor& x, const Tensor&) { return x; });
  const Measured m = measured_on_cpu(same);
  EXPECT_TRUE(m.holds());
  EXPECT_EQ(m.ulp, 0);
  EXPECT_EQ(m.signs.count, 0);
  EXPECT_EQ(m.flushed.count, 0);
  EXPECT_GT(m.kept.count, 0);
}

TEST(AccuracyMeasure, lets_denormals_be_flushed_but_nothing_else) {
  const Operation flushing =
      claimed([](const Tensor& x, const Tensor&) { return where(lt(abs(x), 0x1p-126F), x * 0.0F, x); });
  const Measured m = measured_on_cpu(flushing);
  EXPECT_TRUE(m.holds()) << text_of(flushing, m.broken.first);
  EXPECT_GT(m.flushed.count, 0);
  EXPECT_EQ(m.kept.count, 0);
  const Operation small_too =
      claimed([](const Tensor& x, const Tensor&) { return where(lt(abs(x), 0x1p-120F), x * 0.0F, x); });
  EXPECT_FALSE(measured_on_cpu(small_too).holds());
}

TEST(AccuracyMeasure, sees_errors_nans_infinities_and_signs) {
  const Operation off_by_one = claimed([](const Tensor& x, const Tensor&) { return x * 0x1.000002p0F; });
  EXPECT_GE(measured_on_cpu(off_by_one).ulp, 1);
  EXPECT_FALSE(measured_on_cpu(off_by_one).holds());
  const Operation clamped = claimed([](const Tensor& x, const Tensor&) { return minimum(x, 3.4028234e38F); });
  EXPECT_EQ(measured_on_cpu(clamped).infinities.first.x, INFINITY);
  const Operation forgetful = claimed([](const Tensor& x, const Tensor&) { return where(isnan(x), 1.0F, x); });
  EXPECT_TRUE(std::isnan(measured_on_cpu(forgetful).nans.first.x));
  const Operation unsigned_zero = claimed([](const Tensor& x, const Tensor&) { return where(eq(x, 0.0F), 0.0F, x); });
  const Measured m = measured_on_cpu(unsigned_zero);
  EXPECT_TRUE(m.holds());
  EXPECT_GT(m.signs.count, 0);
}

TEST(AccuracyMeasure, sees_narrow_numbers_that_are_not_the_nearest) {
  const auto on_cpu = [](Tensor (*call)(const Tensor&, const Tensor&), DType dtype) {
    static Operation operation;
    operation = claimed(call);
    return measure_narrow(operation, dtype, Device::open("cpu"), stride);
  };
  for (DType dtype : {DType::f16, DType::bf16}) {
    const accuracy::NarrowMeasured same = on_cpu([](const Tensor& x, const Tensor&) { return x; }, dtype);
    EXPECT_TRUE(same.holds());
    EXPECT_EQ(same.ulp, 0);
    const auto grown = on_cpu([](const Tensor& x, const Tensor&) { return x.astype(DType::f32) * 1.005F; }, dtype);
    EXPECT_FALSE(grown.holds());
    const auto clamped = on_cpu([](const Tensor& x, const Tensor&) { return minimum(x, 65504.0F); }, dtype);
    EXPECT_FALSE(clamped.holds());
    const auto forgetful = on_cpu([](const Tensor& x, const Tensor&) { return where(isnan(x), 1.0F, x); }, dtype);
    EXPECT_FALSE(forgetful.holds());
  }
}

}  // namespace
}  // namespace eglantine::test
