#include <functional>
#include <regex>
#include <vector>

#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "lower/map/narrow_cases.hpp"
#include "lower/schedules.hpp"

/// What the bounds of reads compare: along one axis the coordinate, which takes no multiplication by a stride.
namespace eglantine::test {
namespace {

TEST(Coordinates, of_bounds_take_no_multiplication) {
  const std::unique_ptr<gl::GlRuntime> device = open_runtime();
  Device::set_current(Device::open("cpu"));
  const Tensor x = upload(random_elements(StorageType::f32, {7, 6, 67}, 1)), flipped = x.flip({2});
  const std::vector<std::function<Tensor()>> all{
      [&] { return roll(x, 1, 0) + roll(x, -1, 1) + roll(x, 2, 2); },
      [&] { return roll(flipped, 1, 0) + roll(flipped, -1, 1) + roll(flipped, 2, 2); },
      [&] {
        return pad(flipped, {{1, 1}, {2, 2}, {3, 3}}) * 2.0F;
      },
  };
  const std::regex coordinate("[ar][0-9]+ = eg_u\\[[0-9]+\\] \\+ c[012];");
  for (const auto& of : all) {
    const Tensor y = of();
    AsHardware hardware(*device, 128);
    const GraphLock lock;
    const std::string text = glsl_of(hardware.target(), plan({y.node()}, {}, gl::unstored).kernels.front());
    EXPECT_TRUE(std::regex_search(text, coordinate)) << text;
  }
}

}  // namespace
}  // namespace eglantine::test
