#include <algorithm>
#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Compress);
EG_ON_EACH_DEVICE(Indices, Nonzero);
EG_ON_EACH_DEVICE(Indices, Unique);

void check_compress(const Array& x, const Array& mask) {
  EXPECT_TRUE(matches(compress(upload(x), upload(mask)), naive::compress(x, mask)))
      << text(x.shape) << " where " << text(mask.shape);
}

Array all_of(const Dims& shape, bool value) {
  return generate(DType::boolean, shape, [=](const Dims&) { return value ? 1 : 0; });
}

EG_TEST(Compress, every_view_by_masks_of_each_rank) {
  for (const Dims& shape : {Dims{5}, Dims{5, 6}, Dims{5, 6, 8}}) {
    const Array mask = random_array(DType::boolean, shape, 3);
    check_over_views(
        DType::f32, {{5, 6, 8}}, [&](const Tensor& x) { return compress(x, upload(mask)); },
        [&](const Array& x) { return naive::compress(x, mask); });
  }
}

EG_TEST(Compress, masks_held_in_views) {
  const Array x = random_array(DType::f32, {6, 8});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    const Sample mask = view(name).hold(random_array(DType::boolean, {6, 8}, 5));
    EXPECT_TRUE(matches(compress(upload(x), mask.tensor), naive::compress(x, mask.array))) << name;
  }
}

EG_TEST(Compress, lengths_and_dtypes) {
  for (int64_t length : {0, 1, 13, 127, 1025, 100003})
    check_compress(random_array(DType::f32, {length}), random_array(DType::boolean, {length}, 2));
  for (DType dtype : every_dtype) check_compress(random_array(dtype, {37}), random_array(DType::boolean, {37}, 2));
}

EG_TEST(Compress, rows_of_each_length) {
  for (int64_t length : {1, 2, 15, 16, 127, 1025, 2500})
    for (DType dtype : {DType::f32, DType::f16, DType::boolean}) {
      const Array x = random_array(dtype, {length, 13}), mask = random_array(DType::boolean, {13}, 2);
      EXPECT_TRUE(
          matches(compress(upload(x).transpose(0, 1), upload(mask)), naive::compress(naive::permute(x, {1, 0}), mask)))
          << "rows of " << length;
    }
}

/// A mask in whose runs each element is true with a share of the run's own: in some tiles all, in some none.
Array mask_in_runs(const Dims& shape, Random& random) {
  double share = 0;
  int64_t left = 0;
  return generate(DType::boolean, shape, [&](const Dims&) {
    if (left-- == 0) {
      left = random.integer(0, 4000);
      share = std::clamp(random.real(-0.5, 1.5), 0.0, 1.0);
    }
    return random.real(0, 1) < share ? 1 : 0;
  });
}

EG_TEST(Compress, drawn_masks_of_several_tiles) {
  Draw draw = draw_programs_one_of(4);
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    if (!draw.next()) continue;
    Random random(seed + draw_seed());
    const int64_t rows = random.integer(2, 60), length = random.integer(2, 400);
    const DType dtype = every_dtype[static_cast<size_t>(random.integer(0, std::ssize(every_dtype) - 1))];
    const Array x = random_array(dtype, {rows, length}, seed), mask = mask_in_runs({rows, length}, random);
    SCOPED_TRACE(text(x.shape) + " " + std::string(name_of(dtype)) + " seed " + std::to_string(seed));
    const Tensor held = upload(x), chosen = upload(mask);
    EXPECT_TRUE(matches(compress(held, chosen), naive::compress(x, mask)));
    EXPECT_TRUE(matches(nonzero(chosen), naive::nonzero(mask)));
    const Array cut = naive::crop(x, {{0, rows}, {1, length}}), part = naive::crop(mask, {{0, rows}, {1, length}});
    const Tensor cut_held = held.slice(1, 1), part_held = chosen.slice(1, 1);
    EXPECT_TRUE(matches(compress(cut_held, part_held), naive::compress(cut, part))) << "from the second column";
    EXPECT_TRUE(matches(compress(cut_held.transpose(0, 1), part_held.transpose(0, 1)),
                        naive::compress(naive::permute(cut, {1, 0}), naive::permute(part, {1, 0}))))
        << "transposed";
    EXPECT_TRUE(matches(compress(held.flip({0, 1}), chosen.flip({1})),
                        naive::compress(naive::flip(x, {0, 1}), naive::flip(mask, {1}))))
        << "flipped";
    EXPECT_TRUE(matches(nonzero(part_held.flip({0})), naive::nonzero(naive::flip(part, {0})))) << "flipped";
    const Array row = naive::crop(mask, {{0, 1}, {0, length}});
    const Array repeated = generate(DType::boolean, {rows, length},
                                    [&](const Dims& at) { return row.values[static_cast<size_t>(at[1])]; });
    EXPECT_TRUE(matches(compress(held, chosen.slice(0, 0, 1).expand({rows, length})), naive::compress(x, repeated)))
        << "broadcast";
  }
}

/// Whole, moved and pending rows, enough of them to be taken at once.
EG_TEST(Compress, drawn_rows) {
  Draw draw = draw_programs_one_of(4);
  for (uint64_t seed = 1; seed <= 48; ++seed) {
    if (!draw.next()) continue;
    Random random(seed + draw_seed());
    const int64_t rows = random.integer(1, 90), length = random.integer(1, 40) * (seed % 2 == 0 ? 4 : 7);
    const DType dtype = every_dtype[static_cast<size_t>(random.integer(0, std::ssize(every_dtype) - 1))];
    const double kept = random.real(0, 1);
    const Array x = random_array(dtype, {rows, length + 1}, seed);
    const Array mask = generate(DType::boolean, {rows}, [&](const Dims&) { return random.real(0, 1) < kept ? 1 : 0; });
    SCOPED_TRACE(text(x.shape) + " " + std::string(name_of(dtype)) + " seed " + std::to_string(seed));
    const Tensor held = upload(x), chosen = upload(mask);
    for (const int64_t first : {0, 1}) {
      const Array whole = naive::compress(naive::crop(x, {{0, rows}, {first, first + length}}), mask);
      const Tensor part = held.slice(1, first, first + length);
      EXPECT_TRUE(matches(compress(part, chosen), whole));
      EXPECT_TRUE(matches(compress(where(chosen.unsqueeze(1), part, part.flip({1})), chosen), whole)) << "pending";
    }
  }
}

EG_TEST(Compress, all_and_none) {
  const Array x = random_array(DType::f32, {13, 4});
  for (bool value : {true, false}) {
    check_compress(x, all_of({13}, value));
    check_compress(x, all_of({13, 4}, value));
  }
}

EG_TEST(Compress, a_comparison_as_the_mask) {
  const Array x = random_array(DType::f32, {1000});
  const Array positive = naive::map(x, DType::boolean, [](double v) { return v > 0 ? 1 : 0; });
  const Tensor held = upload(x);
  EXPECT_TRUE(matches(compress(held, gt(held, 0)) * 2,
                      naive::map(naive::compress(x, positive), DType::f32, [](double v) { return 2 * v; })));
}

EG_TEST(Compress, a_scalar_mask_adds_an_axis) {
  const Array x = random_array(DType::f32, {3, 4});
  EXPECT_TRUE(matches(compress(upload(x), full({}, 1, DType::boolean)), naive::reshape(x, {1, 3, 4})));
  EXPECT_TRUE(matches(compress(upload(x), full({}, 0, DType::boolean)), Array{DType::f32, {0, 3, 4}, {}}));
}

EG_TEST(Compress, arguments_that_do_not_fit) {
  const Tensor x = zeros({2, 3});
  EXPECT_ERROR(compress(x, zeros({3}, DType::boolean)), ShapeError,
               "[compress] the mask (3,) must have the shape of the first axes of (2, 3)");
  EXPECT_ERROR(compress(x, zeros({2, 3, 1}, DType::boolean)), ShapeError,
               "[compress] the mask (2, 3, 1) must have the shape of the first axes of (2, 3)");
  EXPECT_ERROR(compress(x, zeros({2})), DTypeError, "[compress] takes boolean, got f32; convert with astype");
}

/// Whether what is chosen is put together by tiles: everywhere but on software drivers.
bool by_tiles(const Device& device) {
  const DeviceInfo info = device.info();
  return info.kind == "cpu" || !info.software;
}

EG_TEST(Nonzero, a_pending_mask_is_computed_once) {
  const Array x = random_array(DType::f32, {40, 50});
  const Tensor cut = upload(x).slice(1, 1);
  const int64_t before = statistics(device()).kernels;
  const Tensor places = nonzero(cut > 0).eval();
  // The mask and, where the host lists the places, their coordinates; by tiles its counts, and both in one.
  EXPECT_EQ(statistics(device()).kernels - before, by_tiles(device()) ? 3 : 2);
  const Array cut_array = naive::crop(x, {{0, 40}, {1, 50}});
  const Array mask = naive::map(cut_array, DType::boolean, [](double v) { return v > 0 ? 1 : 0; });
  EXPECT_TRUE(matches(places, naive::nonzero(mask)));
}

/// A tile's counts are added by the kernel that takes what is chosen, and it divides, too. On software devices the host
/// lists the places.
EG_TEST(Nonzero, counts_and_selections_are_two_kernels) {
  const int64_t counts = by_tiles(device()) ? 1 : 0;
  const Tensor mask = upload(random_array(DType::boolean, {90, 101})).eval(), rows = mask.reshape({9090});
  const Tensor x = upload(random_array(DType::f32, {9090})).eval();
  const auto kernels = [this](auto&& select) {
    const int64_t before = statistics(device()).kernels;
    select().eval();
    return statistics(device()).kernels - before;
  };
  EXPECT_EQ(kernels([&] { return nonzero(mask); }), counts + 1);
  EXPECT_EQ(kernels([&] { return compress(x, rows); }), counts + 1);
  EXPECT_EQ(kernels([&] { return compress(x.reshape({9090, 1}), rows); }), counts + 1);
}

EG_TEST(Nonzero, masks_of_each_rank) {
  for (const Dims& shape : {Dims{1}, Dims{127}, Dims{1025}, Dims{13, 7}, Dims{3, 5, 7}, Dims{0}, Dims{3, 0}}) {
    const Array mask = random_array(DType::boolean, shape, 4);
    EXPECT_TRUE(matches(nonzero(upload(mask)), naive::nonzero(mask))) << text(shape);
  }
  EXPECT_TRUE(matches(nonzero(upload(all_of({5, 3}, false))), Array{DType::i32, {0, 2}, {}}));
  EXPECT_TRUE(matches(nonzero(upload(all_of({5, 3}, true)).transpose(0, 1)), naive::nonzero(all_of({3, 5}, true))));
}

EG_TEST(Nonzero, scalars_have_no_coordinates) {
  EXPECT_TRUE(matches(nonzero(full({}, 1, DType::boolean)), Array{DType::i32, {1, 0}, {}}));
  EXPECT_TRUE(matches(nonzero(full({}, 0, DType::boolean)), Array{DType::i32, {0, 0}, {}}));
}

EG_TEST(Nonzero, takes_boolean) {
  EXPECT_ERROR(nonzero(zeros({2})), DTypeError, "[nonzero] takes boolean, got f32; convert with astype");
}

EG_TEST(Unique, each_value_once) {
  for (DType dtype : every_dtype)
    for (int64_t length : {0, 1, 2, 13, 127, 1025}) {
      Array x = random_array(dtype, {length});
      for (double& value : x.values) value = std::trunc(value / (dtype == DType::f32 ? 0.5 : 20));
      if (dtype == DType::boolean)
        for (size_t i = 0; i < x.values.size(); ++i) x.values[i] = i > 4 ? 1 : 0;
      std::sort(x.values.begin(), x.values.end());
      EXPECT_TRUE(matches(unique(upload(x)), naive::unique(x))) << name_of(dtype) << length;
    }
}

EG_TEST(Unique, nan_equals_nan_and_the_first_zero_stays) {
  const Array x{DType::f32, {8}, {-1, -0.0, 0.0, 2, 2, nan, nan, nan}};
  EXPECT_TRUE(matches(unique(upload(x)), Array{DType::f32, {4}, {-1, -0.0, 2, nan}}, bitwise));
}

EG_TEST(Unique, all_equal_all_different_and_a_pending_one) {
  EXPECT_TRUE(matches(unique(full({1000}, 3)), Array{DType::f32, {1}, {3}}));
  EXPECT_TRUE(matches(unique(arange(0, 1000) * 2),
                      naive::map(iota(DType::f32, {1000}), DType::f32, [](double v) { return 2 * v; })));
}

EG_TEST(Unique, wants_one_axis) {
  EXPECT_ERROR(unique(zeros({2, 2})), ShapeError, "[unique] wants a tensor of rank 1, the shape is (2, 2)");
}

}  // namespace
}  // namespace eglantine::test
