#include <cmath>

#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "graph/node.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_remap.hpp"
#include "verbs/movement/remap.hpp"

/// Each family of kernels reads padded and rolled tensors as it reads others.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, RemapFamilies);

/// A tensor whose elements several places, or none, of the original have, and its value.
struct Remapped {
  std::string name;
  Tensor tensor;
  Array array;
};

std::vector<Remapped> every_remapped(const Tensor& x, const Array& a) {
  const std::vector<std::pair<int64_t, int64_t>> pairs = {{2, 1}, {3, 4}};
  return {{"padded", pad(x, pairs, PadMode::constant, 7), naive::pad(a, pairs, PadMode::constant, 7)},
          {"reflected", pad(x, pairs, PadMode::reflect), naive::pad(a, pairs, PadMode::reflect)},
          {"rolled", roll(x, {2, -3}, {0, 1}), naive::roll(a, {2, -3})}};
}

/// Calls check(tensor, array) for integers in memory, a view of some, and an expression: few of all pairs, as each is
/// another program.
template <class Check>
void for_each_remapped(Check check) {
  const Array a = random_array(DType::i32, {9, 37}), turned = naive::transpose(a, 0, 1);
  std::vector<Remapped> cases = every_remapped(upload(a), a);
  cases.push_back(every_remapped(upload(turned).transpose(0, 1), a)[2]);
  cases.push_back(every_remapped(upload(a) + 1 - upload(Array{a.dtype, {}, {1}}), a)[0]);
  for (const Remapped& each : cases) {
    SCOPED_TRACE(each.name);
    check(each.tensor, each.array);
  }
}

/// All of them in one, of an expression: every family reads by the same text, so each is shown one tensor with every
/// piece of it.
Remapped everything() {
  const Array a = random_array(DType::i32, {9, 37});
  const std::vector<std::pair<int64_t, int64_t>> inner = {{2, 1}, {3, 4}}, outer = {{1, 0}, {0, 2}};
  const Tensor x = upload(a) + 1 - upload(Array{a.dtype, {}, {1}});
  return {"all", pad(roll(pad(x, inner, PadMode::reflect), {2, -3}, {0, 1}), outer, PadMode::constant, 7),
          naive::pad(naive::roll(naive::pad(a, inner, PadMode::reflect), {2, -3}), outer, PadMode::constant, 7)};
}

EG_TEST(RemapFamilies, sums_and_sorts_of_each) {
  for_each_remapped([](const Tensor& x, const Array& a) {
    EXPECT_TRUE(matches(sum(x), naive::sum(a, {0, 1})));
    EXPECT_TRUE(matches(sort(x, 1), naive::sort(a, 1).keys));
  });
}

EG_TEST(RemapFamilies, reductions) {
  const auto [name, x, a] = everything();
  EXPECT_TRUE(matches(sum(x), naive::sum(a, {0, 1})));
  EXPECT_TRUE(matches(max(x, 0), naive::max(a, {0})));
  EXPECT_TRUE(matches(argmax(x, 1), naive::argmax(a, 1)));
}

EG_TEST(RemapFamilies, scans_and_sorts) {
  const auto [name, x, a] = everything();
  EXPECT_TRUE(matches(cumsum(x, 1), naive::cumsum(a, 1)));
  EXPECT_TRUE(matches(cumsum(x, 0), naive::cumsum(a, 0)));
  EXPECT_TRUE(matches(argsort(x, 0), naive::sort(a, 0).places));
}

EG_TEST(RemapFamilies, products_and_indices) {
  const auto [name, x, a] = everything();
  const Array w = random_array(DType::i32, {5, a.shape[1]}, 2), places{DType::i32, {3}, {8, 0, 12}};
  EXPECT_TRUE(matches(matmul(x, upload(w).transpose(0, 1)), naive::matmul(a, naive::transpose(w, 0, 1))));
  EXPECT_TRUE(matches(take(x, upload(places), 0), naive::take(a, places, 0)));
}

EG_TEST(RemapFamilies, tiles_and_rows) {
  const auto [name, x, a] = everything();
  const auto add = [](const std::vector<double>& values) {
    double total = 0;
    for (double value : values) total += value;
    return total;
  };
  EXPECT_TRUE(matches(PartitionView(x, {4, 8}).sum(), naive::reduce_tiles(a, {4, 8}, DType::i32, add)));
  EXPECT_TRUE(matches(var(x.astype(DType::f32), 1), naive::var(naive::cast(a, DType::f32), {1}), {0, 1e-5, 1e-4}));
}

EG_TEST(RemapFamilies, indices_and_updates_that_are_remapped) {
  const Array x = random_array(DType::f32, {13}), places{DType::i32, {4}, {3, 12, 0, 7}};
  const Array rolled = naive::roll(places, {1}), padded = naive::pad(places, {{1, 2}}, PadMode::constant, 5);
  EXPECT_TRUE(matches(take(upload(x), roll(upload(places), 1), 0), naive::take(x, rolled, 0)));
  EXPECT_TRUE(matches(take(upload(x), pad(upload(places), {{1, 2}}, 5), 0), naive::take(x, padded, 0)));
  const Array updates = random_array(DType::f32, {4}, 2);
  EXPECT_TRUE(matches(scatter(upload(x), 0, roll(upload(places), 1), roll(upload(updates), -1)),
                      naive::scatter(x, 0, rolled, naive::roll(updates, {-1}))));
  EXPECT_THROW(take(upload(x), pad(upload(places), {{1, 2}}, 13), 0).to_vector<float>(), IndexError);
}

EG_TEST(RemapFamilies, places_and_constants) {
  const Array i = iota(DType::i32, {13});
  const Tensor x = arange(0, 13, 1, DType::i32);
  EXPECT_TRUE(matches(roll(x, 4) * 2, naive::map(naive::roll(i, {4}), DType::i32, [](double v) { return 2 * v; })));
  EXPECT_TRUE(matches(pad(x, {{3, 4}}, PadMode::reflect), naive::pad(i, {{3, 4}}, PadMode::reflect)));
  EXPECT_TRUE(matches(pad(x, {{3, 4}}, 9), naive::pad(i, {{3, 4}}, PadMode::constant, 9)));
  const Array ones_of = generate(DType::f32, {2, 3}, [](const Dims&) { return 1.0; });
  EXPECT_TRUE(matches(pad(ones({2, 3}), {{1, 0}, {0, 2}}), naive::pad(ones_of, {{1, 0}, {0, 2}}, PadMode::constant)));
  EXPECT_TRUE(matches(roll(uniform({13}, 3), 2), naive::roll(download(uniform({13}, 3)), {2})));
}

EG_TEST(RemapFamilies, padding_of_padding_keeps_each_fill) {
  const Array a = random_array(DType::f32, {5, 6});
  const Tensor x = upload(a);
  const Array inner = naive::pad(a, {{1, 2}, {0, 1}}, PadMode::constant, 3);
  const auto less = [](const Array& y) { return naive::map(y, DType::f32, [](double v) { return -v; }); };
  EXPECT_TRUE(matches(pad(pad(x, {{1, 2}, {0, 1}}, 3), {{2, 0}, {1, 1}}, 4),
                      naive::pad(inner, {{2, 0}, {1, 1}}, PadMode::constant, 4)));
  EXPECT_TRUE(matches(neg(pad(neg(pad(x, {{1, 2}, {0, 1}}, 3)), {{2, 0}, {1, 1}}, 4)),
                      less(naive::pad(less(inner), {{2, 0}, {1, 1}}, PadMode::constant, 4))));
  EXPECT_TRUE(matches(roll(pad(x, {{1, 2}, {0, 1}}, 3), {4, 4}, {0, 1}), naive::roll(inner, {4, 4})));
  EXPECT_TRUE(matches(roll(neg(pad(x, {{1, 2}, {0, 1}}, 3)), {4, 4}, {0, 1}), less(naive::roll(inner, {4, 4}))));
}

EG_TEST(RemapFamilies, what_a_pad_does_not_show_costs_no_value) {
  const Tensor x = Tensor::from({1.0F, 0.0F, -1.0F}, {3});
  // Outside of x the reciprocal's argument is whatever is read there: it is chosen away, not multiplied.
  EXPECT_EQ(pad(1.0F / x, {{1, 1}}, 2).to_vector<float>(), (std::vector<float>{2, 1, INFINITY, -1, 2}));
}

/// What is longer than shaders can count is placed in memory, piece by piece.
EG_TEST(RemapFamilies, placed_piece_by_piece_they_are_the_same) {
  const Array a = random_array(DType::f32, {5, 6});
  const layout::AxisMap padded{8, 1, 6, {{1, 0, 1}}}, reflected{9, 0, 9, {{0, 3, -1}, {3, 0, 1}}},
      rolled{5, 0, 5, {{0, 3, 1}, {2, 0, 1}}};
  EXPECT_TRUE(matches(verbs::placed(upload(a), {padded, reflected}, 0),
                      naive::pad(naive::pad(a, {{0, 0}, {3, 0}}, PadMode::reflect), {{1, 2}, {0, 0}}, 0)));
  EXPECT_TRUE(matches(verbs::placed(upload(a), {rolled, layout::identity(6)}, 0), naive::roll(a, {2, 0})));
}

/// Planning such a map would never end: it is an error of whoever makes it.
EG_TEST(RemapFamilies, a_map_longer_than_shaders_count_is_refused) {
  const Tensor one = zeros({1}).eval();
  const layout::AxisMap repeated{layout::longest_axis + 1, 0, layout::longest_axis + 1, {{0, 0, 0}}};
  EXPECT_FALSE(layout::is_counted(repeated));
  EXPECT_THROW(make_remap(one.node(), {repeated}, 0), Error);
  EXPECT_TRUE(layout::is_counted({layout::longest_axis, 0, 1, {{0, 0, 0}}}));
  EXPECT_TRUE(layout::is_counted(layout::identity(layout::longest_axis + 1)));
}

EG_TEST(RemapFamilies, large_ones_in_several_windows) {
  const Array a = random_array(DType::f32, {127, 1025});
  const Tensor x = upload(a);
  Draw draw = draw_programs_one_of(2);
  const auto expect = [&](const Tensor& actual, const Array& expected) {
    if (draw.next()) {
      EXPECT_TRUE(matches(actual, expected));
    }
  };
  for (const Remapped& each : every_remapped(x, a)) {
    SCOPED_TRACE(each.name);
    expect(neg(each.tensor), naive::map(each.array, DType::f32, [](double v) { return -v; }));
    expect(each.tensor.transpose(0, 1) + 0, naive::transpose(each.array, 0, 1));
    expect(max(each.tensor, 0), naive::max(each.array, {0}));
  }
}

}  // namespace
}  // namespace eglantine::test
