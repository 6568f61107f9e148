#include <functional>

#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "lower/schedules.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Maps of transposed operands and random numbers, which are made by vectors of the results' memory: these begin
/// anywhere in a line. The bits are the CPU's.
namespace eglantine::test {
namespace {

using Drawing = std::function<Tensor(const Tensor& x)>;

Words bits_of(const Tensor& x) {
  Words bits;
  for (const float value : x.to_vector<float>()) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

/// Of x, a (..., lines, columns) tensor whose lines are neighbours in memory.
void check(gl::GlRuntime& device, const Drawing& drawing, const Dims& stored, bool by_vectors) {
  SCOPED_TRACE(testing::PrintToString(stored));
  Device::set_current(Device::open("cpu"));
  const Array elements = random_elements(StorageType::f32, stored, 1);
  const Tensor memory = upload(elements).eval(), x = memory.transpose(0, static_cast<int>(stored.size()) - 1);
  const Tensor y = drawing(x);
  MapKernel kernel = [&] {
    const GraphLock lock;
    return std::get<MapKernel>(plan({y.node()}, {}, gl::unstored).kernels.front());
  }();
  for (Strided& operand : kernel.value.operands)
    operand.buffer = buffer_of(device, words_of(elements, StorageType::f32));
  const Words expected = bits_of(y);
  kernel.out.buffer = buffer_of(device, Words(expected.size()));
  AsHardware hardware(device);
  EXPECT_EQ(glsl_of(hardware.target(), kernel).find("#define EG_ACROSS\n") != std::string::npos, by_vectors);
  hardware.run(kernel);
  EXPECT_EQ(download(device, kernel.out.buffer->storage(), expected.size()), expected);
}

TEST(RandomTransposes, take_a_block_a_vector) {
  const std::unique_ptr<gl::GlRuntime> device = open_runtime();
  const auto dropout = [](const Tensor& x) { return where(bernoulli(0.7, x.shape(), 7), x * 1.5F, 0.0F); };
  const auto noise = [](const Tensor& x) { return x + uniform(x.shape(), 9); };
  Draw draw = draw_one_of(2);
  for (const Drawing& drawing : {Drawing(dropout), Drawing(noise)})
    for (const Dims& stored :
         {Dims{65, 70}, Dims{67, 33}, Dims{130, 41}, Dims{259, 3, 70}, Dims{69, 5, 9}, Dims{1030, 37}})
      if (draw.next()) check(*device, drawing, stored, true);
  for (const Dims& stored : {Dims{9, 300}, Dims{63, 70}, Dims{5, 1030}, Dims{64, 70}})
    check(*device, dropout, stored, false);
  check(
      *device, [](const Tensor& x) { return x * 2.0F; }, {65, 70}, false);
}

}  // namespace
}  // namespace eglantine::test
