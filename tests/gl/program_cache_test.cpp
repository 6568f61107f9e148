#include "backend/gl/execution/programs/program_cache.hpp"

#include "backend/device_state.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "gl/fixture.hpp"

/// A context's programs are bounded: the most recently used stay.
namespace eglantine::test {
namespace {

class ProgramCache : public ::testing::Test {
 protected:
  static constexpr uint32_t count = 64;

  ProgramCache() {
    gl::Options options;
    options.most_programs = 3;
    runtime_ = open_runtime(options);
    x_ = runtime_->allocate(count * 4);
    y_ = runtime_->allocate(count * 4);
    upload(*runtime_, *x_, counting(count));
  }

  /// Runs program `number`; returns whether it was compiled.
  bool compiles(uint32_t number) {
    const int64_t before = runtime_->programs();
    gl::Dispatch dispatch = multiply_add(*runtime_, *x_, *y_, count, 3, number);
    dispatch.program = std::make_shared<const lower::Program>(dispatch.program->key() + "// " + std::to_string(number));
    runtime_->dispatch(dispatch);
    const std::vector<uint32_t> result = download(*runtime_, *y_, count);
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(result[i], i * 3 + number);
    return runtime_->programs() > before;
  }

  std::unique_ptr<gl::GlRuntime> runtime_;
  std::unique_ptr<Storage> x_, y_;
};

TEST_F(ProgramCache, keeps_those_used_last) {
  for (uint32_t number : {0U, 1U, 2U}) EXPECT_TRUE(compiles(number));
  for (uint32_t number : {1U, 0U, 2U, 0U}) EXPECT_FALSE(compiles(number));
  EXPECT_TRUE(compiles(3));  // evicts 1
  EXPECT_EQ(runtime_->held_programs(), 3U);
  for (uint32_t number : {0U, 2U, 3U}) EXPECT_FALSE(compiles(number)) << number;
  EXPECT_TRUE(compiles(1));
  EXPECT_TRUE(compiles(0));
  EXPECT_FALSE(compiles(3));
  EXPECT_EQ(runtime_->programs(), 6);
  EXPECT_EQ(runtime_->held_programs(), 3U);
}

TEST_F(ProgramCache, is_emptied_by_trim) {
  for (uint32_t number : {0U, 1U}) EXPECT_TRUE(compiles(number));
  runtime_->trim();
  EXPECT_EQ(runtime_->held_programs(), 0U);
  EXPECT_EQ(runtime_->programs(), 2);
  for (uint32_t number : {1U, 0U}) EXPECT_TRUE(compiles(number));
  for (uint32_t number : {1U, 0U}) EXPECT_FALSE(compiles(number));
}

constexpr size_t programs_cached = 8;

/// A device whose cache holds few programs.
Device open_small() {
  return Device(std::make_shared<DeviceState>(Queue::start([] {
    gl::Options options;
    options.most_programs = programs_cached;
    return gl::open_backend("gl", options);
  })));
}

/// The same small kernels before and after trim(): the lowering cache must not refer to deleted programs.
TEST(Programs, come_again_after_trim) {
  const Device device = open_small();
  const Tensor x = arange(0, 1000, 1, DType::f32, device).eval();
  for (int round = 0; round < 3; ++round) {
    for (int times = 0; times < 2; ++times) {
      EXPECT_EQ(sum(x * 2).item<float>(), 999000);
      EXPECT_EQ((x + static_cast<float>(times)).slice(0, -1).item<float>(), 999.0F + static_cast<float>(times));
    }
    device.trim();
  }
}

/// More texts than the capacity, among them kernels that run repeatedly, or rarely.
TEST(Programs, of_more_texts_than_the_capacity) {
  const Device device = open_small();
  const Tensor x = arange(0, 100, 1, DType::f32, device).eval();
  for (int i = 0; i < 4 * static_cast<int>(programs_cached); ++i) {
    const auto factor = static_cast<float>(i);
    const ElementwiseOp op{"scaled", 1, "x0 * " + std::to_string(i) + ".0",
                           [=](std::span<const float> v) { return v[0] * factor; }};
    ASSERT_EQ(elementwise(op, {x}).slice(0, -1).item<float>(), 99 * factor);
    EXPECT_EQ(sum(x + 1).item<float>(), 5050);
    if (i % 10 != 0) continue;
    EXPECT_EQ(max(x * 3).item<float>(), 297);
  }
}

}  // namespace
}  // namespace eglantine::test
