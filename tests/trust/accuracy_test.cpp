#include <cmath>
#include <set>

#include "accuracy/measure.hpp"
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

TEST_P(Accuracy, is_as_the_operation_table_promises) {
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

}  // namespace
}  // namespace eglantine::test
