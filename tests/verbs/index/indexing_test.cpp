#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_indexing.hpp"
#include "support/views.hpp"

/// Indexing by integers, slices, new axes, ellipsis, masks and tensors, alone and mixed: reading, putting and adding.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Indexing);

using naive::Item;
using naive::Items;

constexpr uint64_t draws = 160;

Slice random_slice(Random& random) {
  const auto bound = [&]() -> std::optional<int64_t> {
    if (random.integer(0, 2) == 0) return std::nullopt;
    return random.integer(-7, 7);
  };
  const int64_t step = random.integer(0, 2) == 0 ? random.integer(1, 3) * (random.integer(0, 1) == 0 ? 1 : -1) : 1;
  return {bound(), bound(), step};
}

/// Of one of few shapes that broadcast together.
Array random_places(Random& random, int64_t length) {
  const std::vector<Dims> shapes = {{}, {3}, {1}, {2, 1}, {2, 3}};
  const Dims shape = shapes[static_cast<size_t>(random.integer(0, 4))];
  return generate(DType::i32, shape,
                  [&](const Dims&) { return static_cast<double>(random.integer(-length, length - 1)); });
}

/// A mask with three true elements, or as many as it has, so that it broadcasts with the places.
Array random_mask(Random& random, const Dims& shape) {
  Array mask = generate(DType::boolean, shape, [](const Dims&) { return 0.0; });
  const int64_t wanted = std::min<int64_t>(3, mask.size());
  for (int64_t set = 0; set < wanted;) {
    double& element = mask.values[static_cast<size_t>(random.integer(0, mask.size() - 1))];
    set += element == 0 ? 1 : 0;
    element = 1;
  }
  return mask;
}

/// Items for the first axes of a shape without zeros, or with an ellipsis for any.
Items random_items(Random& random, const Dims& shape) {
  Items items;
  bool has_ellipsis = false, has_mask = false;
  size_t axis = 0;
  const auto last = static_cast<size_t>(random.integer(0, static_cast<int64_t>(shape.size())));
  while (axis < last && items.size() < 6) {
    const int64_t length = shape[axis];
    switch (random.integer(0, 9)) {
      case 0:
      case 1:
        items.push_back(random.integer(-length, length - 1));
        ++axis;
        break;
      case 2:
        items.push_back(newaxis);
        break;
      case 3:
        if (has_ellipsis) break;
        has_ellipsis = true;
        items.push_back(ellipsis);
        // Stands for some of the axes: those behind it are counted from the end.
        axis += static_cast<size_t>(random.integer(0, static_cast<int64_t>(last - axis)));
        break;
      case 4:
        if (has_mask || axis + 1 >= last || length * shape[axis + 1] < 3) break;
        has_mask = true;
        items.push_back(random_mask(random, {length, shape[axis + 1]}));
        axis += 2;
        break;
      case 5:
      case 6:
        items.push_back(random_places(random, length));
        ++axis;
        break;
      default:
        items.push_back(random_slice(random));
        ++axis;
    }
  }
  return items;
}

struct Drawn {
  Dims shape;
  Items items;
};

/// All axes have one length: items fit wherever the ellipsis moves them.
Drawn random_case(Random& random) {
  const Dims shape(static_cast<size_t>(random.integer(1, 4)), 4);
  return {shape, random_items(random, shape)};
}

Array element_at(const Array& x, const Array& positions) {
  return generate(x.dtype, positions.shape,
                  [&](const Dims& at) { return x.values[static_cast<size_t>(positions.at(at))]; });
}

Sample held(Random& random, const Array& x) {
  const auto& views = every_view();
  return views[static_cast<size_t>(random.integer(0, static_cast<int64_t>(views.size()) - 1))].hold(x);
}

DType random_dtype(Random& random) {
  constexpr DType dtypes[] = {DType::f32, DType::i32, DType::u32, DType::boolean};
  return dtypes[random.integer(0, 3)];
}

EG_TEST(Indexing, reads_what_numpy_reads) {
  Draw draw = draw_programs_one_of(8);
  for (uint64_t seed = 0; seed < draws; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    const Drawn drawn = random_case(random);
    const std::optional<Array> positions = naive::positions(drawn.shape, drawn.items);
    ASSERT_TRUE(positions) << seed;
    if (positions->shape.size() > max_rank) continue;
    const Sample x = held(random, random_array(random_dtype(random), drawn.shape, seed));
    EXPECT_TRUE(matches(x.tensor.index(naive::to_indices(drawn.items)), element_at(x.array, *positions))) << seed;
  }
}

EG_TEST(Indexing, puts_and_adds_what_numpy_does) {
  Draw draw = draw_programs_one_of(8);
  for (uint64_t seed = 1000; seed < 1000 + draws; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    const Drawn drawn = random_case(random);
    const std::optional<Array> positions = naive::positions(drawn.shape, drawn.items);
    ASSERT_TRUE(positions) << seed;
    if (positions->shape.size() > max_rank) continue;
    const bool add = random.integer(0, 1) == 1;
    const Sample x = held(random, random_array(add ? DType::i32 : random_dtype(random), drawn.shape, seed));
    Dims of_value = positions->shape;
    if (!of_value.empty() && random.integer(0, 2) == 0) of_value.erase(of_value.begin());
    const Sample value = held(random, random_array(x.array.dtype, of_value, seed + 1));
    Array expected = x.array;
    for_each_index(positions->shape, [&](const Dims& at) {
      const Dims own(at.end() - static_cast<std::ptrdiff_t>(of_value.size()), at.end());
      double& element = expected.values[static_cast<size_t>(positions->at(at))];
      element = add ? element + value.array.at(own) : value.array.at(own);
    });
    const std::vector<Index> indices = naive::to_indices(drawn.items);
    EXPECT_TRUE(matches(add ? x.tensor.index_put_add(indices, value.tensor) : x.tensor.index_put(indices, value.tensor),
                        expected))
        << seed;
  }
}

EG_TEST(Indexing, reads_as_its_operators_do) {
  const Tensor x = arange(0, 24, 1, DType::i32).reshape({2, 3, 4});
  const std::vector<int32_t> all = x.to_vector<int32_t>();
  EXPECT_EQ(x[1].shape(), (Shape{3, 4}));
  EXPECT_EQ(x[1][2][3].item<int32_t>(), 23);
  EXPECT_EQ(x(1, -1, 0).item<int32_t>(), 20);
  EXPECT_EQ(x[all.size() - 23](0, 0).item<int32_t>(), 12);
  EXPECT_EQ(x(0, Slice{{}, {}, -1}, newaxis, ellipsis).shape(), (Shape{3, 1, 4}));
  EXPECT_EQ(x(ellipsis, 1).to_vector<int32_t>(), (std::vector<int32_t>{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(x[x > 21].to_vector<int32_t>(), (std::vector<int32_t>{22, 23}));
  EXPECT_EQ(x().shape(), x.shape());
  EXPECT_EQ((x[Slice{5, 100}].shape()), (Shape{0, 3, 4}));
}

EG_TEST(Indexing, integers_and_slices_are_views) {
  const Tensor x = arange(0, 24, 1, DType::i32).reshape({4, 6}).eval();
  const Layout column = x(Slice{1, 3}, 2).layout();
  EXPECT_EQ(column.offset, 8);
  EXPECT_EQ(column.strides, (std::vector<int64_t>{6}));
  EXPECT_EQ(explain(x(Slice{1, 3}, newaxis, Slice{{}, {}, -2})), "nothing to run: the value is there already\n");
}

EG_TEST(Indexing, puts_beside_a_slice_that_reverses_a_whole_axis) {
  const Tensor x = zeros({2, 3}, DType::i32), row = Tensor::from({1}, {1});
  const Tensor put = x.index_put({row, Slice{{}, {}, -1}}, Tensor::from({7, 8, 9}, {3}));
  EXPECT_EQ(put.to_vector<int32_t>(), (std::vector<int32_t>{0, 0, 0, 9, 8, 7}));
}

EG_TEST(Indexing, of_zero_sized_tensors_and_scalars) {
  const Tensor empty = zeros({0, 3}), scalar(2.0F);
  EXPECT_EQ(empty[Slice{}].shape(), (Shape{0, 3}));
  EXPECT_EQ(empty(ellipsis, Tensor::from({0, 2}, {2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(scalar(newaxis, ellipsis).shape(), (Shape{1}));
  EXPECT_EQ(scalar[full({}, true, DType::boolean)].to_vector<float>(), (std::vector<float>{2}));
  EXPECT_EQ(scalar[full({}, false, DType::boolean)].shape(), (Shape{0}));
  EXPECT_EQ(scalar.index_put({ellipsis}, 3).item<float>(), 3);
  EXPECT_EQ(empty.index_put({ellipsis}, 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(zeros({3})[zeros({0}, DType::i32)].shape(), (Shape{0}));
  EXPECT_EQ(zeros({3}).index_put({zeros({0}, DType::i32)}, 1).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

EG_TEST(Indexing, of_several_writes_to_one_element_the_last_wins_and_every_one_adds) {
  const Tensor x = zeros({4}), places = Tensor::from({1, 3, 1, 1}, {4}),
               value = Tensor::from({1.F, 2.F, 3.F, 4.F}, {4});
  EXPECT_EQ(x.index_put({places}, value).to_vector<float>(), (std::vector<float>{0, 4, 0, 2}));
  EXPECT_EQ(x.index_put_add({places}, value).to_vector<float>(), (std::vector<float>{0, 8, 0, 2}));
  EXPECT_EQ(x.index_put_add({places}, 1).to_vector<float>(), (std::vector<float>{0, 3, 0, 1}));
}

EG_TEST(Indexing, a_mask_puts_without_waiting) {
  const Tensor x = Tensor::from({-1.F, 2.F, -3.F}, {3});
  EXPECT_EQ(x.index_put({x < 0}, 0).to_vector<float>(), (std::vector<float>{0, 2, 0}));
  EXPECT_EQ(x.index_put_add({x < 0}, 10).to_vector<float>(), (std::vector<float>{9, 2, 7}));
  EXPECT_EQ(x.index_put({x < 0}, Tensor::from({5.F, 6.F}, {2})).to_vector<float>(), (std::vector<float>{5, 2, 6}));
  const Tensor rows = ones({3, 2}).index_put({x < 0}, Tensor::from({7.F, 8.F}, {2}));
  EXPECT_EQ(rows.to_vector<float>(), (std::vector<float>{7, 8, 1, 1, 7, 8}));
}

EG_TEST(Indexing, a_value_takes_the_dtype_where_it_converts) {
  EXPECT_EQ(zeros({2}).index_put({0}, full({}, true, DType::boolean)).to_vector<float>(), (std::vector<float>{1, 0}));
  EXPECT_EQ(zeros({2}, DType::i32).index_put({1}, true).to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(zeros({2}).index_put_add({1}, 2).to_vector<float>(), (std::vector<float>{0, 2}));
}

EG_TEST(Indexing, an_index_out_of_range_names_its_axis) {
  const Tensor x = zeros({3, 4, 5}), good = Tensor::from({0, 1}, {2}), bad = Tensor::from({0, 4}, {2});
  EXPECT_ERROR(x[bad].to_vector<float>(), IndexError,
               "[index] index 4 at (1,) lies outside [-3, 3): axis 0 of (3, 4, 5)");
  EXPECT_ERROR(x(good, bad).to_vector<float>(), IndexError,
               "[index] the index at (1,) lies outside [-4, 4): axis 1 of (3, 4, 5)");
  EXPECT_ERROR(x(bad, Slice{}, good).to_vector<float>(), IndexError,
               "[index] the index at (1,) lies outside [-3, 3): axis 0 of (3, 4, 5)");
  EXPECT_ERROR(x.index_put({good, bad}, 1).to_vector<float>(), IndexError,
               "[index_put] the index at (1,) lies outside [-4, 4): axis 1 of (3, 4, 5)");
  EXPECT_ERROR(zeros({0, 4, 5})(good, bad).to_vector<float>(), IndexError,
               "[index] the index at (0,) lies outside [0, 0): axis 0 of (0, 4, 5)");
}

/// Maps in explain's text.
size_t kernels_of(const Tensor& x) {
  size_t count = 0;
  const std::string text = "\n" + explain(x);
  for (size_t at = text.find("\nmap f32"); at != std::string::npos; at = text.find("\nmap f32", at + 1)) ++count;
  return count;
}

/// Kernels that run when x is computed.
int64_t ran_for(const Tensor& x) {
  const int64_t before = statistics(x.device()).kernels;
  x.eval();
  return statistics(x.device()).kernels - before;
}

EG_TEST(Indexing, puts_beside_slices_without_moving_the_tensor) {
  const Tensor x = ones({7, 5, 6}).eval(), rows = Tensor::from({6, 0, -3}, {3}), few = Tensor::from({1, 4, 2}, {3});
  const std::vector<std::pair<std::vector<Index>, Shape>> cases = {
      {{rows, Slice{}, few}, {3, 5}}, {{Slice{}, few, Slice{1, 3}}, {7, 3, 2}}, {{rows, Slice{{}, {}, -2}}, {3, 3, 6}}};
  for (const auto& [indices, shape] : cases) {
    const Tensor value = arange(0, static_cast<double>(shape.elements())).reshape(shape).eval();
    EXPECT_EQ(ran_for(x.index_put(indices, value)), ran_for(x.index_put({rows}, zeros({3, 5, 6}).eval())));
    EXPECT_EQ(ran_for(x.index_put_add(indices, value)), ran_for(x.index_put_add({rows}, zeros({3, 5, 6}).eval())));
    EXPECT_TRUE(array_equal(x.index_put(indices, value).index(indices), value));
  }
}

EG_TEST(Indexing, a_place_outside_beside_slices_is_named) {
  const Tensor x = ones({2, 3, 4}).eval(), places = Tensor::from({0, 1, 3}, {3});
  EXPECT_ERROR(x.index_put({Slice{1, 2}, places}, 1).to_vector<float>(), IndexError,
               "[index_put] the index at (2,) lies outside [-3, 3): axis 1 of (2, 3, 4)");
}

EG_TEST(Indexing, a_slice_put_in_a_loop_is_written_in_place) {
  Tensor x = Tensor::from(std::vector<float>(10, 1), {10});
  const Tensor y = arange(0, 8).eval();
  for (int i = 0; i < 3; ++i) {
    x = x.index_put({Slice{1, -1}}, y * i);
    x.eval();
  }
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 0, 2, 4, 6, 8, 10, 12, 14, 1}));
}

EG_TEST(Indexing, in_place_takes_one_kernel_and_no_memory) {
  Tensor x = Tensor::from(std::vector<float>(1 << 16, 1), {1 << 16}).eval();
  const Tensor y = arange(0, 100).eval();
  const Tensor held = x.index_put({Slice{0, 100}}, y);
  const size_t copying = kernels_of(held);
  x = x.index_put({Slice{0, 100}}, y + 1);
  EXPECT_EQ(kernels_of(x), copying) << "something else holds what it was made of: " << explain(x);
  x.eval();
  held.eval();
  x = x.index_put({Slice{0, 100}}, y + 2);
  EXPECT_EQ(copying, 2U);
  EXPECT_EQ(kernels_of(x), 1U) << explain(x);
  const int64_t before = x.device().memory().live;
  x.eval();
  EXPECT_EQ(x.device().memory().live, before);
  EXPECT_EQ(x[99].item<float>(), 101);
  EXPECT_EQ(held[99].item<float>(), 99);
  EXPECT_EQ(x[100].item<float>(), 1);
}

EG_TEST(Indexing, elements_put_or_added_in_a_loop_are_written_in_place) {
  const Tensor i = Tensor::from({5, 0, 7}, {3}), j = Tensor::from({63, 1, -2}, {3});
  const std::vector<std::vector<Index>> places = {{i}, {i, j}, {ellipsis, j}};
  for (const std::vector<Index>& at : places)
    for (const bool add : {false, true}) {
      Tensor x = Tensor::from(std::vector<float>(64 * 64, 1), {64, 64}).eval();
      const Tensor held = x;
      const auto put = [&](float value) { x = add ? x.index_put_add(at, value) : x.index_put(at, value); };
      put(2);
      EXPECT_EQ(kernels_of(x), 1U) << "something else holds what it was made of: " << explain(x);
      x.eval();
      put(3);
      EXPECT_EQ(kernels_of(x), 0U) << explain(x);
      const int64_t before = x.device().memory().live;
      x.eval();
      EXPECT_LT(x.device().memory().live, before + 64 * 64 * 4);
      EXPECT_EQ(x(5, 63).item<float>(), add ? 6 : 3);
      EXPECT_TRUE(all(eq(held, 1)).item<bool>());
    }
}

EG_TEST(Indexing, pending_elements_are_put_where_those_before_them_were) {
  const Tensor i = Tensor::from({2, 0}, {2});
  Tensor x = (arange(0, 4, 1, DType::i32) + 0).eval();
  const Tensor old = x;
  x = x.index_put({i}, 9).index_put_add({i}, x[i]).index_put({1}, 7).index_put_add({i}, 1);
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{10, 7, 12, 3}));
  EXPECT_EQ(old.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3}));
  // Updates and indices that read what they overwrite see it as it was.
  x = x.index_put({i}, x[i.flip({0})]);
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{12, 7, 10, 3}));
  x = x.index_put({remainder(x, 4)}, x);
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{12, 7, 10, 3}));
}

EG_TEST(Indexing, what_is_read_elsewhere_is_not_overwritten) {
  Tensor x = Tensor::from({1.F, 2.F, 3.F, 4.F}, {4}).eval();
  const Tensor view = x[Slice{1, 3}];
  Tensor z = x.index_put({0}, 9);
  x = z;
  z = Tensor();
  x.eval();
  EXPECT_EQ(view.to_vector<float>(), (std::vector<float>{2, 3}));
  // A value that reads what it overwrites sees it as it was.
  x = x.index_put({Slice{1, {}}}, x[Slice{{}, -1}]);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{9, 9, 2, 3}));
  const Tensor old = x;
  x = x.index_put({0}, 0).index_put({1}, 1).index_put({2}, 2);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(old.to_vector<float>(), (std::vector<float>{9, 9, 2, 3}));
}

EG_TEST(Indexing, drawn_assignments_in_a_loop) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Tensor x = arange(0, 12, 1, DType::i32);
    std::vector<int32_t> expected = x.to_vector<int32_t>();
    std::vector<std::pair<Tensor, std::vector<int32_t>>> kept;
    for (int step = 0; step < 12; ++step) {
      const int64_t start = random.integer(0, 8), length = random.integer(1, 4), from = random.integer(0, 8);
      const bool own = random.integer(0, 1) == 1;
      const Tensor value =
          own ? x[Slice{from, from + length}] + 1 : arange(0, static_cast<double>(length), 1, DType::i32);
      std::vector<int32_t> after = expected;
      for (int64_t i = 0; i < length; ++i)
        after[static_cast<size_t>(start + i)] =
            own ? expected[static_cast<size_t>(from + i)] + 1 : static_cast<int32_t>(i);
      x = x.index_put({Slice{start, start + length}}, value);
      expected = after;
      if (random.integer(0, 2) == 0) x.eval();
      if (random.integer(0, 3) == 0) kept.emplace_back(x, expected);
    }
    EXPECT_EQ(x.to_vector<int32_t>(), expected) << seed;
    for (const auto& [tensor, values] : kept) EXPECT_EQ(tensor.to_vector<int32_t>(), values) << seed;
  }
}

}  // namespace
}  // namespace eglantine::test
