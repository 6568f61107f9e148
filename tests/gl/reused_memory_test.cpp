#include <functional>
#include <random>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// Memory that the pool hands out again while kernels that read it have not run: what is uploaded into it waits for
/// them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gl, ReusedMemory);

constexpr int64_t columns = 96;

/// One of each family that reads operands in its own way.
const std::vector<std::function<Tensor(const Tensor&)>>& families() {
  static const std::vector<std::function<Tensor(const Tensor&)>> all{
      [](const Tensor& x) { return x * 3.0F; },
      [](const Tensor& x) { return x.astype(DType::bf16); },
      [](const Tensor& x) { return x.transpose(0, 1) + 1.0F; },
      [](const Tensor& x) { return sum(x, {1}); },
      [](const Tensor& x) { return max(x, {0}); },
      [](const Tensor& x) { return softmax(x * 0.01F, 1); },
      [](const Tensor& x) { return cumsum(x, 1); },
      [](const Tensor& x) { return matmul(x.slice(0, 0, columns).transpose(0, 1), x.slice(0, 0, columns)); },
      [](const Tensor& x) { return sort(x, 1); },
  };
  return all;
}

std::vector<float> drawn_values(std::mt19937& engine, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  const auto first = static_cast<float>(engine() % 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i * 7 % 61);
  return values;
}

std::vector<float> values_of(const Tensor& x) { return x.astype(DType::f32).to_vector<float>(); }

/// Families in a drawn order, each of values whose memory is free as soon as its kernel is submitted, against the same
/// kernel of a tensor that is held until the result is read.
EG_TEST(ReusedMemory, waits_for_the_kernels_that_read_it) {
  std::mt19937 engine(static_cast<uint32_t>(draw_seed()));
  Draw rounds = draw_programs_one_of(2);
  for (int round = 0; round < 24; ++round) {
    if (!rounds.next()) continue;
    const int64_t rows = std::vector<int64_t>{100, 700, 1200, 3000, 3400}[engine() % 5];
    const int count = 4 + static_cast<int>(engine() % 12);  // also more than take turns
    std::vector<std::function<Tensor()>> works;
    std::vector<std::vector<float>> wanted;
    for (int i = 0; i < count; ++i) {
      const auto& family = families()[engine() % families().size()];
      const std::vector<float> values = drawn_values(engine, rows * columns);
      works.emplace_back([&family, values, rows] { return family(Tensor::from(values, {rows, columns})).eval(); });
      const Tensor held = Tensor::from(values, {rows, columns});
      wanted.push_back(values_of(family(held)));
    }
    std::vector<Tensor> found;
    for (const auto& work : works) found.push_back(work());  // nothing waits in between
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(values_of(found[i]), wanted[i]) << rows << ", " << round;
  }
}

}  // namespace
}  // namespace eglantine::test
