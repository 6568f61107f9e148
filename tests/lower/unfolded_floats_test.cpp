#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "graph/op/op.hpp"
#include "support/as_hardware.hpp"
#include "support/op_rows.hpp"
#include "support/random/draw.hpp"
#include "support/samples.hpp"

/// Where GLSL has no `precise` (GLES 3.1 without GL_EXT_gpu_shader5), a compiler leaves out no rounding that functions
/// count on: a product and a sum may be one step there, and nothing more.
namespace eglantine::test {
namespace {

const std::vector<Op>& operations() {
  static const std::vector<Op> all{
#define EG_ELEMENTWISE(row, ...) Op::row,
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return all;
}

class UnfoldedFloats : public ::testing::Test {
 protected:
  static BufferPtr buffer_of_floats(gl::GlRuntime& device, const std::vector<double>& values) {
    std::vector<uint32_t> words;
    for (const double x : values) words.push_back(std::bit_cast<uint32_t>(static_cast<float>(x)));
    return buffer_of(device, words);
  }

  /// The bits of the operation's results.
  std::vector<uint32_t> results(Op op, const Samples& samples, bool has_precise) {
    AsTarget planned(*device_, device_->target());
    planned.plan_for().has_precise = has_precise;
    const auto count = static_cast<int64_t>(samples.front().size());
    const Layout all = layout::contiguous({count});
    ExpressionBuilder builder({count});
    std::array<int32_t, 3> arguments{-1, -1, -1};
    for (size_t i = 0; i < samples.size(); ++i)
      arguments[i] = builder.load({buffer_of_floats(*device_, samples[i]), StorageType::f32, all});
    builder.end_with(builder.operation(op, DType::f32, arguments));
    const BufferPtr out = buffer_of(*device_, std::vector<uint32_t>(samples.front().size()));
    planned.run(MapKernel{builder.take(), {out, StorageType::f32, all}});
    return download(*device_, out->storage(), samples.front().size());
  }

  std::unique_ptr<gl::GlRuntime> device_ = open_runtime();
};

/// How far apart two results are, in steps of the precise one, the smallest for a result within 2^-4.
double steps_between(uint32_t one, uint32_t precise) {
  const double a = std::bit_cast<float>(one), b = std::bit_cast<float>(precise);
  if (one == precise || a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return HUGE_VAL;
  return std::abs(a - b) / std::ldexp(1.0, std::max(std::ilogb(b), -4) - 23);
}

TEST_F(UnfoldedFloats, are_near_precise_ones) {
  Draw draw = draw_one_of(6);
  for (size_t i = 0; i < operations().size(); ++i) {
    const OpRow& row = elementwise_rows()[i];
    const bool of_floats = row.result == "same" && dtypes_of(row).front() == DType::f32 && row.name != "where";
    if (!of_floats || !draw.next()) continue;
    const Samples samples = samples_for(row, DType::f32);
    const std::vector<uint32_t> precise = results(operations()[i], samples, true);
    const std::vector<uint32_t> found = results(operations()[i], samples, false);
    for (size_t k = 0; k < found.size(); ++k)
      ASSERT_LE(steps_between(found[k], precise[k]), row.ulp + 2) << row.name << "(" << samples[0][k] << "...)";
  }
}

}  // namespace
}  // namespace eglantine::test
