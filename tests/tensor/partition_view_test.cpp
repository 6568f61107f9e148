#include <algorithm>

#include "eglantine/eglantine.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Tensor, Partition);

using eglantine::Shape;

int64_t elements_of(const PartitionView& view) {
  int64_t elements = 0;
  for (const TileInfo& tile : view) elements += tile.size.elements();
  return elements;
}

EG_TEST(Partition, counts_tiles_by_ceiling) {
  const PartitionView view(zeros({17, 33}), {4, 8});
  EXPECT_EQ(view.tile_count(), (Shape{5, 5}));
  EXPECT_EQ(view.total_tiles(), 25);
  EXPECT_EQ(view.tile_shape(), (Shape{4, 8}));
  EXPECT_EQ(view.tensor().shape(), (Shape{17, 33}));
}

EG_TEST(Partition, a_tensor_of_four_axes) {
  const Tensor x = zeros({2, 3, 4, 5}).eval();
  EXPECT_EQ(x.layout().strides, (std::vector<int64_t>{60, 20, 5, 1}));
  const PartitionView view(x, {1, 2, 3, 4});
  EXPECT_EQ(view.tile_count(), (Shape{2, 2, 2, 2}));
  EXPECT_EQ(*view.get_tile({1, 1, 1, 1}), (TileInfo{{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 1, 1, 1}, true}));
}

EG_TEST(Partition, edge_tiles_have_their_real_size) {
  const PartitionView view(zeros({100, 100}), {16, 16});
  EXPECT_EQ(*view.get_tile({6, 6}), (TileInfo{{6, 6}, {96, 96}, {4, 4}, true}));
  EXPECT_EQ(*view.get_tile({6, 0}), (TileInfo{{6, 0}, {96, 0}, {4, 16}, true}));
  EXPECT_EQ(*view.get_tile({5, 5}), (TileInfo{{5, 5}, {80, 80}, {16, 16}, false}));
}

EG_TEST(Partition, a_tile_larger_than_the_tensor_is_one_edge_tile) {
  const PartitionView view(zeros({8, 8}), {16, 16});
  EXPECT_EQ(view.total_tiles(), 1);
  EXPECT_EQ(*view.get_tile({0, 0}), (TileInfo{{0, 0}, {0, 0}, {8, 8}, true}));
}

EG_TEST(Partition, tiles_cover_every_element_once) {
  EXPECT_EQ(elements_of(PartitionView(zeros({15, 17}), {4, 4})), 255);
  for (const Dims& shape : every_shape()) {
    std::vector<int64_t> seen(static_cast<size_t>(count(shape)));
    const PartitionView view(Tensor(upload(iota(DType::i32, shape))), Shape(Dims(shape.size(), 3)));
    for (const TileInfo& tile : view)
      for (int32_t element : view.tile(tile.index).to_vector<int32_t>()) ++seen[static_cast<size_t>(element)];
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int64_t times) { return times == 1; })) << text(shape);
  }
}

EG_TEST(Partition, goes_through_tiles_in_row_major_order) {
  std::vector<Shape> indices;
  for (const TileInfo& tile : PartitionView(zeros({3, 5}), {2, 2})) indices.push_back(tile.index);
  EXPECT_EQ(indices, (std::vector<Shape>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
}

EG_TEST(Partition, iterators_are_forward_and_outlive_the_view) {
  static_assert(std::forward_iterator<PartitionView::Iterator>);
  const auto begin = [] { return PartitionView(zeros({3, 5}), {2, 2}).begin(); };
  PartitionView::Iterator one = begin();
  const PartitionView::Iterator before = one++;
  EXPECT_EQ(before, begin());
  EXPECT_NE(one, before);
  EXPECT_EQ((*one).index, (Shape{0, 1}));
  EXPECT_EQ((*++one).start, (Shape{0, 4}));
  EXPECT_EQ(PartitionView::Iterator(), PartitionView::Iterator());
}

EG_TEST(Partition, a_scalar_is_one_tile) {
  const PartitionView view(Tensor(7.0F), {});
  EXPECT_EQ(view.tile_count(), Shape{});
  EXPECT_EQ(view.total_tiles(), 1);
  EXPECT_EQ(*view.get_tile({}), TileInfo{});
  EXPECT_EQ(std::distance(view.begin(), view.end()), 1);
  EXPECT_EQ(view.tile({}).item<float>(), 7);
}

EG_TEST(Partition, nothing_has_no_tiles) {
  const PartitionView view(zeros({3, 0}), {2, 2});
  EXPECT_EQ(view.tile_count(), (Shape{2, 0}));
  EXPECT_EQ(view.total_tiles(), 0);
  EXPECT_EQ(view.begin(), view.end());
  EXPECT_FALSE(view.get_tile({0, 0}).has_value());
}

EG_TEST(Partition, tiles_are_views_without_copies) {
  const Tensor x = upload(iota(DType::f32, {17, 33})).eval();
  const int64_t live = x.device().memory().live, kernels = statistics(device()).kernels;
  const Tensor tile = PartitionView(x, {4, 9}).tile({3, 3});
  EXPECT_EQ(tile.shape(), (Shape{4, 6}));
  EXPECT_EQ(tile.layout().offset, 12 * 33 + 27);
  EXPECT_EQ(tile.layout().strides, (std::vector<int64_t>{33, 1}));
  EXPECT_EQ(x.device().memory().live, live);
  EXPECT_EQ(statistics(device()).kernels, kernels);
}

EG_TEST(Partition, tiles_of_every_view) {
  for (const View& view : every_view()) {
    const Sample x = view.hold(random_array(DType::f32, {13, 7, 5}));
    EXPECT_TRUE(
        matches(PartitionView(x.tensor, {4, 3, 2}).tile({3, 1, 1}), naive::crop(x.array, {{12, 13}, {3, 6}, {2, 4}})))
        << view.name;
  }
}

EG_TEST(Partition, an_index_outside_is_no_tile) {
  const PartitionView view(zeros({17, 33}), {4, 8});
  EXPECT_TRUE(view.get_tile({4, 4}).has_value());
  for (const Shape& index : {Shape{5, 0}, {0, 5}, {-1, 0}, {0, -1}}) EXPECT_FALSE(view.get_tile(index).has_value());
  EXPECT_ERROR(view.tile({5, 0}), IndexError,
               "[PartitionView::tile] index (5, 0) lies outside the grid of (5, 5) tiles");
  EXPECT_ERROR(view.tile({0, -1}), IndexError,
               "[PartitionView::tile] index (0, -1) lies outside the grid of (5, 5) tiles");
}

EG_TEST(Partition, an_index_of_another_rank_throws) {
  const PartitionView view(zeros({17, 33}), {4, 8});
  EXPECT_ERROR(view.get_tile({1}), ShapeError,
               "[PartitionView::get_tile] index (1,) has rank 1, the grid of (5, 5) tiles has rank 2");
  EXPECT_ERROR(view.tile({1, 1, 1}), ShapeError,
               "[PartitionView::tile] index (1, 1, 1) has rank 3, the grid of (5, 5) tiles has rank 2");
}

EG_TEST(Partition, bad_tile_shapes_throw) {
  const Tensor x = zeros({17, 33});
  EXPECT_ERROR(PartitionView(x, {4, 0}), ShapeError, "[PartitionView] the lengths of a tile are positive, got (4, 0)");
  EXPECT_ERROR(PartitionView(x, {-1, 4}), ShapeError,
               "[PartitionView] the lengths of a tile are positive, got (-1, 4)");
  EXPECT_ERROR(PartitionView(x, {4}), ShapeError,
               "[PartitionView] a tile of shape (4,) has rank 1, the tensor of shape (17, 33) has rank 2");
  EXPECT_ERROR(PartitionView(Tensor(1.0F), {1}), ShapeError,
               "[PartitionView] a tile of shape (1,) has rank 1, the tensor of shape () has rank 0");
}

}  // namespace
}  // namespace eglantine::test
