#include <algorithm>
#include <cmath>

#include "eglantine/eglantine.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Tiles, TileReduce);
EG_ON_EACH_DEVICE(Tiles, TileFusion);
EG_ON_EACH_DEVICE(Windows, WindowedTiles);

using Values = std::vector<double>;

const ReduceOp largest_magnitude{"largest_magnitude", 0, "abs(a) > abs(b) ? a : b",
                                 [](float a, float b) { return std::abs(a) > std::abs(b) ? a : b; }};

double largest(const Values& values) {
  const bool any_nan = std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  return any_nan ? nan : *std::max_element(values.begin(), values.end());
}

double smallest(const Values& values) {
  const bool any_nan = std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  return any_nan ? nan : *std::min_element(values.begin(), values.end());
}

double magnitude(const Values& values) {
  return *std::max_element(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
}

Array sums(const Array& x, const Dims& tile) {
  const DType dtype = x.dtype == DType::boolean ? DType::i32 : x.dtype;
  return naive::reduce_tiles(x, tile, dtype, [&](const Values& values) {
    double total = 0;
    for (double v : values) total = dtype == DType::f32 ? total + v : as_element(dtype, total + v);
    return total;
  });
}

Array sum_bounds(const Array& x, const Dims& tile) {
  return naive::reduce_tiles(x, tile, DType::f32, [](const Values& values) {
    double total = 0;
    for (double v : values) total += std::abs(v);
    return (128 + std::log2(static_cast<double>(values.size()))) * 0x1p-23 * total;
  });
}

void check_sums(const Sample& x, const Dims& tile) {
  EXPECT_TRUE(within(PartitionView(x.tensor, tile).sum(), sums(x.array, tile), sum_bounds(x.array, tile)));
}

void check_exact(const Sample& x, const Dims& tile) {
  const PartitionView view(x.tensor, tile);
  EXPECT_TRUE(matches(view.max(), naive::reduce_tiles(x.array, tile, x.array.dtype, largest)));
  EXPECT_TRUE(matches(view.min(), naive::reduce_tiles(x.array, tile, x.array.dtype, smallest)));
  if (x.array.dtype == DType::f32) return;
  EXPECT_TRUE(matches(view.sum(), sums(x.array, tile)));
}

/// Tiles of several forms for a rank: single elements, small, vec4-sized, flat, upright, larger than the tensor.
std::vector<Dims> tiles_of_rank(size_t rank) {
  std::vector<Dims> tiles{Dims(rank, 1), Dims(rank, 3), Dims(rank, 4), Dims(rank, 16), Dims(rank, 5000)};
  if (rank < 2) return tiles;
  Dims flat(rank, 1), upright(rank, 1), whole_rows(rank, 2);
  flat.back() = 8;
  upright.front() = 5;
  whole_rows.back() = 5000;
  tiles.insert(tiles.end(), {flat, upright, whole_rows});
  return tiles;
}

EG_TEST(TileReduce, every_shape_in_every_tile) {
  for (const Dims& shape : every_shape())
    for (const Dims& tile : tiles_of_rank(shape.size())) {
      SCOPED_TRACE(text(shape) + " in " + text(tile));
      const Array x = random_array(DType::f32, shape);
      check_sums({upload(x), x}, tile);
    }
}

EG_TEST(TileReduce, every_view) {
  for (const Dims& shape : {Dims{17, 36}, Dims{13, 7, 10}})
    for (const View& view : every_view()) {
      SCOPED_TRACE(view.name + " " + text(shape));
      const Sample x = view.hold(random_array(DType::f32, shape));
      check_sums(x, shape.size() == 2 ? Dims{4, 8} : Dims{4, 3, 4});
    }
}

EG_TEST(TileReduce, numbers_of_every_dtype) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : wide_numbers)
    for (const Dims& tile : {Dims{4, 8}, Dims{3, 5}}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(name_of(dtype)) + text(tile));
      const Array x = dtype == DType::f32 ? random_array(dtype, {17, 32}) : random_bits(dtype, {17, 32});
      check_exact({upload(x), x}, tile);
    }
}

EG_TEST(TileReduce, booleans_are_counted_and_joined) {
  const Array x = random_array(DType::boolean, {17, 33});
  const PartitionView view(upload(x), {2, 2});
  EXPECT_TRUE(matches(view.sum(), sums(x, {2, 2})));
  EXPECT_TRUE(matches(view.max(), naive::reduce_tiles(x, {2, 2}, DType::boolean, largest)));
  EXPECT_TRUE(matches(view.min(), naive::reduce_tiles(x, {2, 2}, DType::boolean, smallest)));
}

EG_TEST(TileReduce, a_users_operation) {
  for (const Dims& tile : {Dims{4, 4}, Dims{3, 7}, Dims{20, 40}}) {
    const Array x = random_reals({17, 36}, -9, 9);
    EXPECT_TRUE(matches(PartitionView(upload(x), tile).reduce(largest_magnitude),
                        naive::reduce_tiles(x, tile, DType::f32, magnitude)));
  }
}

EG_TEST(TileReduce, operations_of_one_name_stay_apart) {
  ReduceOp other = largest_magnitude;
  other.glsl = "a + b";
  other.cpu = [](float a, float b) { return a + b; };
  const Tensor x = Tensor::from({1.0F, -2.0F, 3.0F, -4.0F}, {4});
  EXPECT_EQ(PartitionView(x, {2}).reduce(largest_magnitude).to_vector<float>(), (std::vector<float>{-2, -4}));
  EXPECT_EQ(PartitionView(x, {2}).reduce(other).to_vector<float>(), (std::vector<float>{-1, -1}));
}

EG_TEST(TileReduce, all_negative_edges_keep_their_largest) {
  const Array x = random_reals({21, 22}, -9, -1);
  check_exact({upload(x), x}, {16, 16});
  const Array y = naive::map(x, DType::f32, [](double v) { return -v; });
  check_exact({upload(y), y}, {16, 16});
}

EG_TEST(TileReduce, nan_and_infinities_stay_in_their_tiles) {
  Array x = random_array(DType::f32, {20, 20});
  x.values[3 * 20 + 17] = nan;
  x.values[7 * 20 + 2] = infinity;
  for (size_t i = 0; i < 16; ++i) x.values[(16 + i / 4) * 20 + 16 + i % 4] = -infinity;
  check_exact({upload(x), x}, {8, 8});
  EXPECT_TRUE(matches(PartitionView(upload(x), {4, 4}).sum(), sums(x, {4, 4}), {0, 1e-6, 1e-6}));
}

EG_TEST(TileReduce, a_sum_of_negative_zeros_keeps_its_sign) {
  const Tensor x = full({5, 8}, -0.0F).eval();
  for (float value : PartitionView(x, {2, 4}).sum().to_vector<float>()) EXPECT_TRUE(std::signbit(value));
}

EG_TEST(TileReduce, known_values) {
  const Tensor x = arange(1, 1025, 1, DType::i32).reshape({32, 32});
  const Tensor parts = PartitionView(x, {16, 16}).sum();
  EXPECT_EQ(parts.to_vector<int32_t>(), (std::vector<int32_t>{63616, 67712, 194688, 198784}));
  EXPECT_EQ(sum(parts).item<int32_t>(), 524800);
  EXPECT_EQ(PartitionView(x.astype(DType::f32), {32, 32}).sum().item<float>(), 524800);
  EXPECT_EQ(PartitionView(ones({8, 8}), {16, 16}).sum().to_vector<float>(), (std::vector<float>{64}));
}

EG_TEST(TileReduce, the_parts_combine_to_the_whole) {
  const Array x = random_array(DType::f32, {101, 203});
  const PartitionView view(upload(x), {16, 16});
  EXPECT_TRUE(matches(max(view.max()), naive::max(x, {})));
  EXPECT_TRUE(matches(min(view.min()), naive::min(x, {})));
  EXPECT_TRUE(
      within(sum(view.sum()), naive::sum(x, {}),
             naive::map(naive::sum_of_absolutes(x, {}), DType::f32, [](double v) { return 160 * 0x1p-23 * v; })));
}

EG_TEST(TileReduce, scalars_and_nothing) {
  EXPECT_TRUE(matches(PartitionView(Tensor(7.0F), {}).max(), Array{DType::f32, {}, {7}}));
  EXPECT_TRUE(matches(PartitionView(full({}, true, DType::boolean), {}).sum(), Array{DType::i32, {}, {1}}));
  EXPECT_TRUE(matches(PartitionView(zeros({3, 0}), {2, 2}).max(), Array{DType::f32, {2, 0}, {}}));
  EXPECT_TRUE(matches(PartitionView(zeros({0}), {2}).reduce(largest_magnitude), Array{DType::f32, {0}, {}}));
}

EG_TEST(TileReduce, eight_axes) {
  const Array x = random_array(DType::i32, Dims(8, 3));
  check_exact({upload(x), x}, Dims(8, 2));
  const Array y = naive::permute(x, {7, 3, 5, 1, 6, 0, 4, 2});
  check_exact({upload(x).permute({7, 3, 5, 1, 6, 0, 4, 2}), y}, Dims{2, 1, 2, 3, 2, 2, 1, 2});
}

EG_TEST(TileReduce, more_tiles_than_a_device_has_groups) {
  const Array line = random_array(DType::i32, {200003});
  check_exact({upload(line), line}, {2});
  const Array square = random_array(DType::i32, {601, 604});
  check_exact({upload(square), square}, {2, 2});
}

EG_TEST(TileReduce, tiles_larger_than_a_group) {
  for (const auto& [shape, tile] :
       {std::pair{Dims{300, 310}, Dims{150, 128}}, {Dims{7, 60001}, Dims{3, 50000}}, {Dims{300001}, Dims{70000}}}) {
    SCOPED_TRACE(text(shape) + " in " + text(tile));
    const Array x = random_array(DType::f32, shape);
    check_sums({upload(x), x}, tile);
  }
  const Array x = random_reals({200001}, -9, -1);
  check_exact({upload(x), x}, {70000});
}

EG_TEST(TileReduce, sums_of_large_tiles_keep_the_bound) {
  const Array x = random_reals({260, 1024}, 0.5, 1);
  check_sums({upload(x), x}, {256, 1024});
  check_sums({upload(x).transpose(0, 1), naive::transpose(x, 0, 1)}, {1024, 64});
}

EG_TEST(TileReduce, repeats_its_bits) {
  const Tensor x = upload(random_array(DType::f32, {211, 307})).eval();
  const Tensor first = PartitionView(x, {16, 16}).sum();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(same_bits(PartitionView(x, {16, 16}).sum(), first));
}

EG_TEST(TileReduce, bad_operations_throw) {
  EXPECT_ERROR(PartitionView(zeros({4}, DType::i32), {2}).reduce(largest_magnitude), DTypeError,
               "[PartitionView::reduce] takes f32, f16 or bf16, got i32; convert with astype");
  ReduceOp op = largest_magnitude;
  op.glsl.clear();
  EXPECT_ERROR(PartitionView(zeros({4}), {2}).reduce(op), Error,
               "[PartitionView::reduce] the GLSL of \"largest_magnitude\" is empty: give one expression, such as "
               "\"max(a, b)\"");
  op = largest_magnitude;
  op.cpu = nullptr;
  EXPECT_ERROR(PartitionView(zeros({4}), {2}).reduce(op), Error,
               "[PartitionView::reduce] \"largest_magnitude\" has no cpu function; it must run on every device");
}

// ---- fusion

EG_TEST(TileFusion, a_producer_and_a_consumer_melt_in) {
  const Array x = random_array(DType::f32, {17, 36});
  const Array y = random_array(DType::f32, {5, 5}, 2);
  const Tensor held = upload(x), beside = upload(y).eval();
  const Tensor result = PartitionView(held * held + 1.0F, {4, 8}).sum() * beside - 2.0F;
  EXPECT_EQ(kernels_of(result), 1);
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v + 1; });
  EXPECT_TRUE(matches(result,
                      naive::map(sums(squares, {4, 8}), y, DType::f32, [](double a, double b) { return a * b - 2; }),
                      {0, 1e-5, 1e-5}));
}

EG_TEST(TileFusion, a_consumer_in_another_shape) {
  const Array x = random_array(DType::f32, {17, 36});
  const Array y = random_array(DType::f32, {25}, 2);
  const Tensor result = PartitionView(upload(x), {4, 8}).max().reshape({25}) + upload(y).eval();
  EXPECT_EQ(kernels_of(result), 1);
  Array parts = naive::reduce_tiles(x, {4, 8}, DType::f32, largest);
  parts.shape = {25};
  EXPECT_TRUE(matches(result, naive::map(parts, y, DType::f32, [](double a, double b) { return a + b; })));
}

EG_TEST(TileFusion, a_transposed_consumer) {
  const Array x = random_array(DType::f32, {17, 36});
  const Tensor result = neg(PartitionView(upload(x).transpose(0, 1), {8, 4}).max().transpose(0, 1));
  const Array parts = naive::reduce_tiles(x, {4, 8}, DType::f32, largest);
  EXPECT_TRUE(matches(result, naive::map(parts, DType::f32, [](double v) { return -v; })));
}

EG_TEST(TileFusion, indices_and_constants_need_no_buffer) {
  const Tensor result = PartitionView(arange(0, 100, 1, DType::i32).reshape({10, 10}) * 2, {5, 5}).sum();
  EXPECT_EQ(kernels_of(result), 1);
  EXPECT_EQ(result.to_vector<int32_t>(), (std::vector<int32_t>{1100, 1350, 3600, 3850}));
  EXPECT_EQ(PartitionView(ones({4, 6}), {2, 4}).sum().to_vector<float>(), (std::vector<float>{8, 4, 8, 4}));
}

EG_TEST(TileFusion, explain_shows_one_dispatch) {
  const Tensor x = upload(random_array(DType::f32, {100, 100})).eval();
  const std::string said = explain(PartitionView(exp(x), {16, 16}).sum() * 0.5F);
  EXPECT_NE(said.find("tiles sum f32 (16, 16) of (100, 100): exp of 1 operand, then mul"), std::string::npos) << said;
  EXPECT_EQ(said.find("map "), std::string::npos) << said;
  int64_t dispatches = 0;
  for (size_t at = 0; (at = said.find("// tile_reduce sum", at)) != std::string::npos; ++at) ++dispatches;
  EXPECT_EQ(dispatches, on_gl() ? 1 : 0) << said;
}

EG_TEST(TileFusion, single_elements_need_no_kernel) {
  const Tensor x = upload(random_array(DType::f32, {4, 5})).eval();
  EXPECT_EQ(kernels_of(PartitionView(x, {1, 1}).max()), 0);
}

// ---- windows

EG_TEST(WindowedTiles, every_view_in_tiles_of_several_forms) {
  const Array x = random_array(DType::f32, {311, 260});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    check_sums(view.hold(x), {16, 16});
  }
  for (const Dims& tile : {Dims{311, 2}, Dims{1, 260}, Dims{100, 7}, Dims{200, 200}, Dims{1000, 1000}}) {
    SCOPED_TRACE(text(tile));
    check_sums({upload(x), x}, tile);
    check_sums({upload(x).transpose(0, 1), naive::transpose(x, 0, 1)}, {tile[1], tile[0]});
  }
}

EG_TEST(WindowedTiles, operands_in_different_orders) {
  const Array x = random_array(DType::i32, {301, 302}, 1);
  const Array y = random_array(DType::i32, {302, 301}, 2);
  const Array both = naive::map(x, naive::transpose(y, 0, 1), DType::i32, [](double a, double b) { return a - b; });
  const Tensor result = PartitionView(upload(x) - upload(y).transpose(0, 1), {10, 20}).sum() + 1;
  EXPECT_TRUE(matches(result, naive::map(sums(both, {10, 20}), DType::i32, [](double v) { return v + 1; })));
}

EG_TEST(WindowedTiles, many_results) {
  const Array x = random_array(DType::i32, {70001, 4});
  check_exact({upload(x), x}, {1, 2});
  const Array line = random_array(DType::u32, {100003});
  check_exact({upload(line), line}, {3});
}

}  // namespace
}  // namespace eglantine::test
