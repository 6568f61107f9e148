#include <gtest/gtest.h>

#include <functional>

#include "eglantine/ops.hpp"
#include "lower/planned_reduce.hpp"
#include "support/random/draw.hpp"

/// Stencils that wrap around, in the form for hardware, on any device: vectors within rows read linearly, the elements
/// around the edges by themselves. The bits are the CPU's.
namespace eglantine::test {
namespace {

using Stencil = std::function<Tensor(const Tensor&)>;

Tensor rolled_sum(const Tensor& x, int axis) { return x + roll(x, 1, axis) + roll(x, -1, axis); }

/// What is read at nine places is three sums of three comparisons.
Tensor life_step(const Tensor& x) {
  const Tensor alive = gt(x, 0.0F).astype(DType::f32), around = rolled_sum(rolled_sum(alive, 0), 1) - alive;
  return where(eq(around, 3.0F), 1.0F, where(eq(around, 2.0F), alive, 0.0F));
}
Tensor heat_step(const Tensor& x) {
  const Tensor around = roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, -1) + roll(x, -1, -1);
  return x + 0.1F * (around - 4.0F * x);
}
Tensor far_apart(const Tensor& x) { return roll(x, 3, -1) * 0.5F - roll(x, -3, -1) + roll(x, {2, 1}, {0, -1}); }

class MapEdges : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  static Tensor in_memory(const Dims& shape, DType dtype) { return upload(random_array(dtype, shape, 1)); }

  /// The kernels of y, as they are planned for a GPU.
  static std::vector<Kernel> planned(const Tensor& y) {
    DeviceLimits gpu;
    gpu.line = 32;
    const GraphLock lock;
    return plan({y.node()}, gpu, gl::unstored).kernels;
  }

  /// A stencil of what `view` shows of elements in memory.
  static void check(
      const Dims& shape, const Stencil& of, const Stencil& view, StorageType storage = StorageType::f32,
      const std::function<void(gl::Target&)>& change = [](gl::Target&) {}) {
    const Array memory = random_elements(storage, shape, 1);
    const Tensor base = upload(memory).astype(dtype_of(storage)).eval(), y = of(view(base));
    SCOPED_TRACE(to_string(y.shape()));
    const std::vector<Kernel> kernels = planned(y);
    ASSERT_EQ(kernels.size(), 1U);
    MapKernel kernel = std::get<MapKernel>(kernels.front());
    const BufferPtr there = buffer_of(*device_, words_of(memory, storage));
    for (Strided& operand : kernel.value.operands) operand.buffer = there;
    const Words expected = bits_of(of(view(base)));
    kernel.out.buffer = buffer_of(*device_, Words(expected.size(), 0xdeadU));
    AsHardware hardware(*device_, 64);
    change(hardware.plan_for());
    hardware.run(kernel);
    EXPECT_EQ(hardware.names.find("map f32 around edges\n"), 0U) << hardware.names;
    EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), expected.size()), expected);
  }

  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> MapEdges::device_;

const Stencil shown_as_is = [](const Tensor& x) { return x; };
const Stencil shown_flipped = [](const Tensor& x) { return x.flip(Axes{1}); };
const Stencil shown_sliced = [](const Tensor& x) { return x.slice(1, 3, x.shape()[1] - 2); };

TEST_F(MapEdges, are_read_apart_in_rows_of_every_length) {
  Draw draw = draw_one_of(3);
  for (const int64_t length : {47, 60, 126, 127, 257, 516, 1029, 5003})
    for (const int64_t rows : {20, 31})
      for (const Stencil& view : {shown_as_is, shown_flipped, shown_sliced})
        for (const Stencil& of : {Stencil(life_step), Stencil(heat_step)})
          if (draw.next()) check({rows, length}, of, view);
  for (const int64_t length : {47, 126, 1029}) check({20, length}, far_apart, shown_sliced);
}

TEST_F(MapEdges, of_several_axes_and_of_one) {
  for (const Dims& shape : {Dims{22, 5, 70}, Dims{20, 3, 2, 131}}) {
    check(shape, heat_step, shown_as_is);
    check(shape, far_apart, shown_as_is);
    check(
        shape, [](const Tensor& x) { return rolled_sum(x, 0) + roll(x, -1, -1); }, shown_as_is);
  }
  check(
      {4099}, [](const Tensor& x) { return rolled_sum(x, 0); }, shown_as_is);
}

TEST_F(MapEdges, of_narrow_operands) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const int64_t length : {60, 131})
      check(
          {20, length}, [](const Tensor& x) { return heat_step(x.astype(DType::f32)); }, shown_as_is, storage);
}

TEST_F(MapEdges, tile_by_tile_and_in_few_groups) {
  const auto large = [](gl::Target& target) {
    target.large_pages = true;
    target.resident_invocations = 128;
  };
  for (const int64_t length : {1027, 1028, 3001})
    for (const Stencil& of : {Stencil(life_step), Stencil(heat_step)}) {
      check({21, length}, of, shown_as_is, StorageType::f32, large);
      check({21, length}, of, shown_flipped, StorageType::f32, [&](gl::Target& target) {
        large(target);
        target.max_groups = 3;
      });
    }
}

TEST_F(MapEdges, on_devices_with_small_limits) {
  check({40, 257}, heat_step, shown_as_is, StorageType::f32, [](gl::Target& target) { target.max_bindings = 2; });
}

/// Not where most vectors would be at edges, nor of narrow results, which a word's neighbours share.
TEST_F(MapEdges, are_of_many_long_rows) {
  const auto name_of_map = [](const Dims& shape, DType dtype) {
    const Tensor x = in_memory(shape, dtype);
    AsHardware hardware(*device_, 64);
    const Kernel kernel = planned(heat_step(x)).front();
    return std::get<lower::Dispatch>(lower::lower(kernel, hardware.target(), &gl::unstored).steps.front()).name;
  };
  EXPECT_EQ(name_of_map({30, 64}, DType::f32), "map f32 around edges");
  EXPECT_EQ(name_of_map({400, 9}, DType::f32), "map f32");
  EXPECT_EQ(name_of_map({2, 100}, DType::f32), "map f32");
  EXPECT_EQ(name_of_map({30, 64}, DType::f16), "map f32");
}

/// What is cheap is computed at each place; what takes more loads than a pass through memory is not, nor what rolls
/// twice along one axis.
TEST_F(MapEdges, of_what_is_recomputed) {
  const Tensor x = in_memory({64, 64}, DType::f32);
  const auto kernels = [](const Tensor& y) { return planned(y).size(); };
  EXPECT_EQ(kernels(life_step(x)), 1U);
  EXPECT_EQ(kernels(rolled_sum(rolled_sum(x, 0), 1)), 1U);
  EXPECT_EQ(kernels(rolled_sum(rolled_sum(x, 0), 0)), 2U);
  EXPECT_EQ(kernels(heat_step(heat_step(x))), 2U);
  EXPECT_EQ(kernels(rolled_sum(exp(x), 0)), 2U);
  const Tensor y = gt(x, 0.0F).astype(DType::f32), sums = rolled_sum(y, 0);
  const GraphLock lock;
  EXPECT_EQ(plan({sums.node()}, {}, gl::unstored).kernels.size(), 2U) << "on a software device";
}

}  // namespace
}  // namespace eglantine::test
