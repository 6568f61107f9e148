#include <algorithm>
#include <functional>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Row operations of about as many operands as a device binds: what kernels add to these, and copies in another order,
/// are within its limit, too.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowBindings);

const std::vector<std::function<Tensor(const Tensor&, int)>>& row_operations() {
  static const std::vector<std::function<Tensor(const Tensor&, int)>> all{
      [](const Tensor& x, int axis) { return softmax(x, axis); },
      [](const Tensor& x, int axis) { return layer_norm(x, axis); },
      [](const Tensor& x, int axis) { return x - logsumexp(x, {axis}, true); },
      [](const Tensor& x, int axis) { return (x - min(x, axis, true)) / (max(x, axis, true) - min(x, axis, true)); },
      [](const Tensor& x, int axis) { return var(x, {axis}); },
  };
  return all;
}

/// Where operands lie: as the results, across them, in turn, or across them in one buffer, of which each is a part.
enum class Lie : uint8_t { along, across, in_turn, in_one };

Tensor lying(const Tensor& x, Lie lie, int64_t number) {
  const bool across = lie == Lie::across || (lie == Lie::in_turn && number % 2 == 1);
  return across ? (x.transpose(0, 1) * 1.0F).eval().transpose(0, 1) : x;
}

/// Sums of so many operands.
Tensor sum_of(const Array& data, int64_t count, Lie lie) {
  const int64_t rows = data.shape[0] - count + 1;
  const Tensor all = lie == Lie::in_one ? lying(upload(data), Lie::across, 0) : upload(data);
  Tensor total;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor part = all.slice(0, i, i + rows);
    const Tensor x = lie == Lie::in_one ? part : lying((part * 1.0F).eval(), lie, i);
    total = i == 0 ? x : total + x;
  }
  return total;
}

EG_TEST(RowBindings, hold_what_kernels_add_to_operands) {
  const int64_t most = on_gl() ? std::min<int64_t>(device().info().max_bindings, 16) : 16;
  Draw draw = draw_one_of(8);
  size_t number = 0;  // of the case, and so of its operation
  for (const Shape& shape : {Shape{22000, 3}, Shape{1700, 41}, Shape{230, 301}, Shape{3, 22000}})
    for (const Lie lie : {Lie::along, Lie::across, Lie::in_turn, Lie::in_one})
      for (const int64_t count : {most - 2, most - 1, most})
        for (const int axis : {0, 1}) {
          const size_t operation = number++ % row_operations().size();
          if (!draw.next()) continue;
          SCOPED_TRACE(testing::Message()
                       << shape[0] << " x " << shape[1] << ", " << count << " operands, axis " << axis << ", operation "
                       << operation << ", lying " << static_cast<int>(lie));
          const Array data = random_reals({shape[0] + count - 1, shape[1]}, -1, 1);
          const auto of = [&](const Tensor& x) { return row_operations()[operation](x, axis); };
          const Tensor wanted = of((sum_of(data, count, Lie::along) * 1.0F).eval());
          ASSERT_TRUE(matches(of(sum_of(data, count, lie)), download(wanted), {0, 1e-4, 1e-4}));
        }
}

}  // namespace
}  // namespace eglantine::test
