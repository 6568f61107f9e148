#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_remap.hpp"

/// pad by each mode, over views, against the place that NumPy's pad takes each element from.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, PadModes);

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

constexpr PadMode every_mode[] = {PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap};

void expect_padded(const Array& x, const Pairs& pairs, PadMode mode) {
  SCOPED_TRACE(text(x.shape) + " mode " + std::to_string(static_cast<int>(mode)));
  EXPECT_TRUE(matches(pad(upload(x), pairs, mode, 1), naive::pad(x, pairs, mode, 1)));
}

EG_TEST(PadModes, over_every_view) {
  const Pairs pairs = {{2, 1}, {0, 12}, {1, 0}};
  for (PadMode mode : {PadMode::constant, PadMode::reflect})
    check_over_views(
        DType::f32, {{5, 13, 3}}, [&](const Tensor& x) { return pad(x, pairs, mode); },
        [&](const Array& x) { return naive::pad(x, pairs, mode); });
}

EG_TEST(PadModes, of_every_dtype) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : every_dtype)
    for (PadMode mode : {PadMode::constant, PadMode::reflect})
      if (draw.next()) expect_padded(random_array(dtype, {4, 127}), {{1, 3}, {100, 2}}, mode);
}

/// Each number of jumps is a program.
EG_TEST(PadModes, longer_than_the_axis) {
  Draw draw = draw_programs_one_of(7);
  for (PadMode mode : every_mode)
    for (int64_t length : {1, 2, 3, 13})
      for (const auto& [before, after] : Pairs{{length, length - 1}, {40, 0}, {0, 41}, {length + 1, 27}})
        if (draw.next()) expect_padded(iota(DType::i32, {length}), {{before, after}}, mode);
}

EG_TEST(PadModes, of_scalars_and_by_nothing) {
  for (PadMode mode : every_mode) {
    expect_padded(random_array(DType::f32, {}), {}, mode);
    expect_padded(random_array(DType::f32, {3, 1025}), {{0, 0}, {0, 0}}, mode);
    expect_padded(random_array(DType::f32, {1, 1025}), {{0, 2}, {0, 0}}, mode);
  }
}

EG_TEST(PadModes, of_nothing) {
  for (PadMode mode : every_mode) {
    expect_padded(random_array(DType::f32, {0, 3}), {{0, 0}, {1, 2}}, mode);
    expect_padded(random_array(DType::f32, {2, 0, 3}), {{5, 1}, {0, 0}, {0, 1}}, mode);
  }
}

EG_TEST(PadModes, of_special_values) {
  const Tensor x = Tensor::from({-0.0F, NAN, INFINITY, -INFINITY}, {4});
  const Array array = download(x);
  for (PadMode mode : every_mode)
    EXPECT_TRUE(matches(pad(x, {{3, 3}}, mode, -0.0F), naive::pad(array, {{3, 3}}, mode, -0.0)));
  const int32_t lowest = INT32_MIN;
  EXPECT_EQ(pad(Tensor::from({1, lowest}, {2}), {{1, 1}}, PadMode::edge).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 1, lowest, lowest}));
}

EG_TEST(PadModes, of_rank_eight) {
  const Array x = random_array(DType::f32, {2, 1, 3, 1, 2, 1, 2, 2});
  const Pairs pairs = {{0, 1}, {1, 0}, {2, 2}, {0, 0}, {1, 1}, {0, 0}, {0, 1}, {1, 0}};
  for (PadMode mode : {PadMode::constant, PadMode::edge}) expect_padded(x, pairs, mode);
}

EG_TEST(PadModes, of_what_is_pending_and_read_by_others) {
  const Array x = random_array(DType::f32, {13, 127}), y = random_array(DType::f32, {17, 127}, 2);
  for (PadMode mode : every_mode) {
    const Tensor doubled = pad(upload(x) + upload(x), {{1, 3}, {0, 0}}, mode, 3);
    const Array reference = naive::pad(x, {{1, 3}, {0, 0}}, mode, 1.5);
    const Array wanted = generate(DType::f32, {17, 127}, [&](const Dims& i) {
      return static_cast<float>(static_cast<float>(2 * reference.at(i)) * static_cast<float>(y.at(i)));
    });
    EXPECT_TRUE(matches(doubled * upload(y), wanted));
  }
}

TEST(PadModes, say_what_they_are) {
  const Tensor x = Tensor::from({1, 2, 3}, {3});
  const auto values = [&](PadMode mode) { return pad(x, {{2, 4}}, mode, 9).to_vector<int32_t>(); };
  EXPECT_EQ(values(PadMode::constant), (std::vector<int32_t>{9, 9, 1, 2, 3, 9, 9, 9, 9}));
  EXPECT_EQ(values(PadMode::reflect), (std::vector<int32_t>{3, 2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(values(PadMode::edge), (std::vector<int32_t>{1, 1, 1, 2, 3, 3, 3, 3, 3}));
  EXPECT_EQ(values(PadMode::wrap), (std::vector<int32_t>{2, 3, 1, 2, 3, 1, 2, 3, 1}));
}

}  // namespace
}  // namespace eglantine::test
