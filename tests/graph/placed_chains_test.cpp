#include <array>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Random chains of element-wise verbs and views behind contractions, which are then put together: fused as one
/// expression, beside the same with every step evaluated by itself.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, PlacedChains);

Tensor leaf(const Dims& shape, uint32_t seed) { return upload(random_reals(shape, -1, 1, seed)); }

/// 1200 elements, in each of these shapes.
const std::array<Shape, 5> shapes{Shape{2, 20, 5, 6}, Shape{30, 40}, Shape{40, 30}, Shape{1, 1200}, Shape{2, 600, 1}};

struct Chains {
  Tensor x = leaf({2, 24, 5, 6}, 1), w = leaf({20, 24, 3, 3}, 2), a = leaf({30, 16}, 3), b = leaf({16, 40}, 4);
  Tensor deep = leaf({1, 4, 3, 5, 6}, 5), taps = leaf({20, 4, 2, 3, 3}, 6), numbers = leaf({1200}, 7);
  bool apart;  ///< each step is evaluated

  Tensor step(const Tensor& y) const { return apart ? y.eval() : y; }

  Tensor contraction(int64_t which) const {
    switch (which) {
      case 0:
        return step(conv(x, w, {.padding = 1}));
      case 1:
        return step(conv(deep, taps, {.padding = {{0, 0}, {1, 1}, {1, 1}}}));
      case 2:
        return step(einsum("ik,kj->ji", {a, b}));
      default:
        return step(matmul(a, b));
    }
  }

  Tensor elementwise(const Tensor& y, int64_t which, Random& draw) const {
    const int64_t last = y.shape()[y.rank() - 1];
    switch (which) {
      case 0:
        return step(y + numbers.slice(0, 0, last));
      case 1:
        return step(y * static_cast<float>(draw.integer(-2, 2)));
      case 2:
        return step(relu(y));
      case 3:
        return step(where(gt(y, 0), numbers.slice(0, 0, 1), y));
      default:
        return step(y * y);
    }
  }

  /// A view or an element-wise verb.
  Tensor drawn(const Tensor& y, Random& draw) const {
    const int64_t which = draw.integer(0, 8);
    if (which < 5) return elementwise(y, which, draw);
    if (which < 8 && y.shape().elements() == 1200)
      return step(y.reshape(shapes[static_cast<size_t>(draw.integer(0, std::ssize(shapes) - 1))]));
    return step(y.transpose(0, y.rank() - 1));
  }

  Tensor run(Random draw) const {
    std::vector<Tensor> pieces(static_cast<size_t>(2 + draw.integer(0, 2)));
    for (Tensor& piece : pieces) {
      piece = contraction(draw.integer(0, 3));
      for (int64_t left = draw.integer(0, 4); left > 0; --left) piece = drawn(piece, draw);
      piece = step(piece.reshape({30, 40}));
    }
    const int axis = static_cast<int>(draw.integer(0, 1));
    Tensor all = step(draw.integer(0, 1) == 0 ? stack(pieces, axis) : concatenate(pieces, axis));
    for (int64_t left = draw.integer(0, 3); left > 0; --left) all = drawn(all, draw);
    return all.eval();
  }
};

EG_TEST(PlacedChains, fused_are_as_step_by_step) {
  Draw cases = draw_programs_one_of(20);
  for (uint32_t seed = 0; seed < 400; ++seed) {
    if (!cases.next()) continue;
    const Tensor fused = Chains{.apart = false}.run(Random(seed)), apart = Chains{.apart = true}.run(Random(seed));
    EXPECT_TRUE(same_bits(fused, apart)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace eglantine::test
