#include "grad/parts.hpp"
#include <utility>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"

/// What reads a tensor in parts gives back its parts: put side by side where they are all of it.
namespace eglantine::test {
namespace {

Layout at(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset) { return {shape, strides, offset}; }

TEST(Parts, meet_where_an_element_is_in_both) {
  using derivatives::may_meet;
  EXPECT_FALSE(may_meet(at({8, 4}, {12, 1}, 0), at({8, 4}, {12, 1}, 4)));
  EXPECT_FALSE(may_meet(at({8, 4}, {12, 1}, 8), at({8, 4}, {12, 1}, 0)));
  EXPECT_FALSE(may_meet(at({8, 4}, {12, 1}, 0), at({8, 8}, {12, 1}, 4)));
  EXPECT_TRUE(may_meet(at({8, 4}, {12, 1}, 0), at({8, 4}, {12, 1}, 3)));
  EXPECT_TRUE(may_meet(at({8, 4}, {12, 1}, 24), at({8, 4}, {12, 1}, 0)));
  EXPECT_FALSE(may_meet(at({2, 4}, {12, 1}, 24), at({2, 4}, {12, 1}, 0)));
  EXPECT_FALSE(may_meet(at({5}, {2}, 0), at({5}, {2}, 1)));
  EXPECT_TRUE(may_meet(at({5}, {2}, 8), at({5}, {2}, 0)));
  EXPECT_FALSE(may_meet(at({5}, {2}, 10), at({5}, {2}, 0)));
  EXPECT_TRUE(may_meet(at({3, 2, 2}, {20, 5, 1}, 1), at({3, 2, 2}, {20, 5, 1}, 25)));
}

/// By every pair of elements.
bool meet_somewhere(const Layout& x, const Layout& y) {
  const auto place = [](const Layout& at, int64_t i) {
    return at.offset + i / at.shape[1] * at.strides[0] + i % at.shape[1] * at.strides[1];
  };
  for (int64_t i = 0; i < x.size(); ++i)
    for (int64_t j = 0; j < y.size(); ++j)
      if (place(x, i) == place(y, j)) return true;
  return false;
}

TEST(Parts, meet_as_their_elements_do) {
  for (int64_t step = 1; step < 4; ++step)
    for (int64_t pitch = 3 * step; pitch < 3 * step + 4; ++pitch)
      for (int64_t offset = -12; offset <= 12; ++offset)
        for (int64_t width = 1; width <= 3; ++width) {
          const Layout x = at({3, 3}, {pitch, step}, 20), y = at({2, width}, {pitch, step}, 20 + offset);
          EXPECT_EQ(derivatives::may_meet(x, y), meet_somewhere(x, y))
              << "pitch " << pitch << ", step " << step << ", offset " << offset << ", width " << width;
        }
}

EG_ON_EACH_DEVICE(Gradients, PartsOf);

/// What lies as the source does is not put together once more.
EG_TEST(PartsOf, one_tensor_in_its_own_places_are_that_tensor) {
  const Tensor source = upload(random_reals({3, 12}, -1, 1)), all = upload(random_reals({36}, -1, 1));
  const auto part = [](int64_t first) { return layout::slice(layout::contiguous({3, 12}), 1, first, 4, 1); };
  const auto joined_of = [&](const std::vector<int64_t>& order) {
    std::vector<derivatives::Placing> parts;
    for (size_t i = 0; i < order.size(); ++i)
      parts.push_back({all.reshape({3, 12}).slice(1, order[i], order[i] + 4), part(static_cast<int64_t>(4 * i))});
    return derivatives::joined(parts, *source.node());
  };
  EXPECT_EQ(kernels_of(joined_of({0, 4, 8})), 0);
  EXPECT_EQ(joined_of({0, 4, 8}).to_vector<float>(), all.to_vector<float>());
  EXPECT_GT(kernels_of(joined_of({4, 0, 8})), 0);
  EXPECT_EQ(joined_of({4, 0, 8}).slice(1, 0, 4).to_vector<float>(),
            all.reshape({3, 12}).slice(1, 4, 8).to_vector<float>());
  EXPECT_GT(kernels_of(joined_of({0, 4})), 0) << "a part is missing";
}

/// The gradient of the sum of all parts' squares, each times a number of its own.
Tensor gradient_of(const Array& x, const std::vector<std::pair<int64_t, int64_t>>& parts, int axis) {
  const Function f = [&](const Tensors& in) {
    Tensor total = full({}, 0);
    float factor = 1;
    for (const auto& [first, end] : parts) total = total + sum(square(in[0].slice(axis, first, end)) * (factor += 1));
    return Tensors{total};
  };
  return vjp(f, {upload(x)}, {full({}, 1)}).second[0];
}

// Each is written once, to where it belongs; with a gap, or where two meet, they are added.
EG_TEST(PartsOf, side_by_side_where_they_are_all) {
  const Tensor whole = upload(random_array(DType::f32, {8, 10}, 1));
  const auto joined = [&](const std::vector<int64_t>& firsts) {
    std::vector<derivatives::Placing> parts;
    for (const int64_t first : firsts) parts.push_back({whole.slice(1, 0, 2) * 2, at({8, 2}, {10, 1}, first)});
    return derivatives::joined(parts, *whole.node());
  };
  const auto is_placement = [](const Tensor& x) { return x.node()->as<nodes::Placement>() != nullptr; };
  EXPECT_TRUE(is_placement(joined({0, 2, 4, 6, 8})));
  EXPECT_TRUE(is_placement(joined({8, 0, 6, 4, 2})));
  EXPECT_FALSE(is_placement(joined({0, 2, 4, 8})));
  EXPECT_FALSE(is_placement(joined({0, 2, 4, 5, 8})));
}

EG_TEST(PartsOf, whole_in_parts_with_gaps_and_twice) {
  const Array x = random_array(DType::f32, {6, 9, 5}, 1);
  using Parts = std::vector<std::pair<int64_t, int64_t>>;
  for (const int axis : {0, 1, 2})
    for (const Parts& parts : {Parts{{0, 2}, {2, 5}}, Parts{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}},
                               Parts{{4, 5}, {2, 3}, {3, 4}, {0, 1}, {1, 2}}, Parts{{0, 2}, {1, 3}, {3, 4}, {4, 5}},
                               Parts{{0, 3}, {2, 5}}, Parts{{0, 2}, {3, 5}}, Parts{{0, 5}, {1, 2}, {2, 3}}}) {
      const Array wanted = generate(DType::f32, x.shape, [&](const Dims& at) {
        double factor = 1, sum = 0;
        for (const auto& [first, end] : parts) {
          factor += 1;
          const int64_t i = at[static_cast<size_t>(axis)];
          if (i >= first && i < end) sum += 2 * factor * x.at(at);
        }
        return sum;
      });
      EXPECT_TRUE(matches(gradient_of(x, parts, axis), wanted, {0, 1e-6, 1e-6})) << "axis " << axis;
    }
}

}  // namespace
}  // namespace eglantine::test
