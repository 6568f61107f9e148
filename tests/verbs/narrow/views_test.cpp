#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/tree_simulation.hpp"
#include "support/views.hpp"

/// Narrow tensors seen through views: kernels read of them what they read of the same numbers in 32 bits.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowViews);

constexpr DType types_of_views[] = {DType::f16, DType::bf16, DType::i8, DType::u8};

DType computed(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : DType::i32; }

/// The same numbers, stored in 32 bits.
Array wide(const Array& x) { return {computed(x.dtype), x.shape, x.values}; }

/// Integers from 0 to 4, less 2 where the dtype has a sign: products of them are exact in any order.
Array small_integers(DType dtype, const Dims& shape, uint64_t seed) {
  Random random(seed);
  const double least = dtype == DType::u8 ? 0 : -2;
  return generate(dtype, shape, [&](const Dims&) { return least + static_cast<double>(random.integer(0, 4)); });
}

EG_TEST(NarrowViews, are_copied_as_they_are) {
  for (const DType dtype : types_of_views)
    for (const View& view : every_view())
      for (const Dims& shape : {Dims{3, 4, 33}, {300, 260}}) {
        const Sample sample = view.hold(random_array(dtype, shape));
        ASSERT_TRUE(matches(sample.tensor, sample.array)) << name_of(dtype) << " " << view.name << " " << text(shape);
      }
}

/// Numbers of all magnitudes between 2^-12 and 2^12: another order changes the last bits of sums.
Array of_all_magnitudes(DType dtype, const Dims& shape) {
  Random random(1);
  return generate(dtype, shape, [&](const Dims&) {
    const double magnitude = std::exp2(random.real(-12, 12));
    return as_element(dtype, random.integer(0, 1) == 0 ? magnitude : -magnitude);
  });
}

std::vector<Tensor> sums(const Array& x, const View& view) {
  const Tensor t = view.hold(x).tensor.astype(DType::f32);
  std::vector<Tensor> all{sum(t)};
  for (int axis = 0; axis < t.rank(); ++axis) all.push_back(sum(t, {axis}));
  return all;
}

void expect_sums(DType dtype, const View& view, const Dims& shape, const std::string& spec) {
  const Array x = of_all_magnitudes(dtype, shape);
  const std::vector<Tensor> narrow = sums(x, view), here = sums(wide(x), view);
  Device::set_current(Device::open("cpu"));
  const std::vector<Tensor> reference = sums(wide(x), view);
  Device::set_current(open_device(spec));
  for (size_t i = 0; i < narrow.size(); ++i) {
    ASSERT_TRUE(same_bits(narrow[i], here[i])) << view.name << " " << text(shape) << " " << i;
    ASSERT_TRUE(same_bits(narrow[i], reference[i])) << view.name << " " << text(shape) << " " << i;
  }
}

EG_TEST(NarrowViews, sums_have_the_bits_of_those_in_f32) {
  for (const View& view : every_view()) expect_sums(DType::f16, view, {300, 70}, spec());
  for (const char* name : {"contiguous", "permuted"}) expect_sums(DType::bf16, view(name), {40, 64, 5}, spec());
}

/// Also where the sum is of elements as they are stored, rounded once to their dtype.
EG_TEST(NarrowViews, sums_add_up_in_the_order_of_the_tree) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Array x = of_all_magnitudes(dtype, {1025, 37});
    const Tensor t = upload(x);
    const auto expect = [&](const Tensor& in_f32, const Tensor& rounded, const Array& expected) {
      EXPECT_TRUE(matches(in_f32, expected, bitwise)) << name_of(dtype);
      EXPECT_TRUE(matches(rounded, naive::cast(expected, dtype), bitwise)) << name_of(dtype);
    };
    expect(sum(t.astype(DType::f32), {0}), sum(t, {0}), simulate_sum(wide(x), {0}, column_tree_sum));
    expect(sum(t.astype(DType::f32), {1}), sum(t, {1}), simulate_sum(wide(x), {1}, row_tree_sum));
    expect(sum(t.astype(DType::f32)), sum(t), simulate_sum(wide(x), {0, 1}, row_tree_sum));
  }
}

/// Both computed where numbers are wide, of narrow operands and of the same in 32 bits.
void expect_product(DType dtype, const View& view, const Dims& a, const Dims& b) {
  const Array x = small_integers(dtype, a, 1), y = small_integers(dtype, b, 2);
  const Tensor narrow =
      matmul(view.hold(x).tensor.astype(computed(dtype)), view.hold(y).tensor.astype(computed(dtype)));
  const Array expected = download(matmul(view.hold(wide(x)).tensor, view.hold(wide(y)).tensor));
  ASSERT_TRUE(matches(narrow, expected)) << name_of(dtype) << " " << view.name << " " << text(a) << text(b);
}

EG_TEST(NarrowViews, are_multiplied) {
  Draw draw = draw_programs_one_of(4);
  for (const View& view : every_view())
    if (draw.next()) expect_product(DType::f16, view, {2, 1, 9, 33}, {3, 33, 18});
  for (const DType dtype : types_of_views) expect_product(dtype, view("permuted"), {19, 300}, {300, 21});
  for (const char* name : {"contiguous", "cropped"}) {
    expect_product(DType::i8, view(name), {1, 130}, {130, 40});
    expect_product(DType::f16, view(name), {130, 40}, {40, 1});
  }
}

/// In several steps along the inner axis, on devices that widen operands by parts.
EG_TEST(NarrowViews, are_multiplied_when_they_are_long) {
  for (const DType dtype : {DType::f16, DType::i8})
    for (const char* name : {"contiguous", "permuted"}) {
      expect_product(dtype, view(name), {1100, 600}, {600, 3});
      expect_product(dtype, view(name), {3, 600}, {600, 1100});
    }
}

EG_TEST(NarrowViews, are_selected_from) {
  const Tensor index = Tensor::from<int32_t>({2, 0, -1, 2, 1}, {5});
  for (const DType dtype : {DType::f16, DType::u8})
    for (const View& view : every_view())
      for (int axis = 0; axis < 2; ++axis) {
        const Sample sample = view.hold(random_array(dtype, {3, 40}));
        const Array expected = download(take(view.hold(wide(sample.array)).tensor, index, axis));
        ASSERT_TRUE(matches(take(sample.tensor, index, axis), {dtype, expected.shape, expected.values}))
            << name_of(dtype) << " " << view.name << " " << axis;
      }
}

}  // namespace
}  // namespace eglantine::test
