#include "backend/buffer.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/views.hpp"

/// Packed booleans, four to a word, on GL: results of maps, and uploads. Errors within a word are likely, so nearly
/// every length, start and step is tried.
namespace eglantine::test {
namespace {

// With windows too: cuts within a word take another code path.
EG_ON_EACH_DEVICE(Windows, PackedBooleans);

double chosen(double condition, double a, double b) { return condition != 0 ? a : b; }
double is_more(double a, double b) { return a > b ? 1 : 0; }

/// a > b, computed, and its value.
Sample comparison(const Dims& shape, uint64_t seed = 1) {
  const Array a = random_array(DType::f32, shape, seed), b = random_array(DType::f32, shape, seed + 1);
  return {gt(upload(a), upload(b)).eval(), naive::map(a, b, DType::boolean, is_more)};
}

/// Checks a view, and a selection by it from vec4s with another alignment.
void expect_view(const Tensor& view, const Array& shown) {
  const Array a = random_array(DType::f32, shown.shape, 7), b = random_array(DType::f32, shown.shape, 8);
  EXPECT_TRUE(matches(view, shown));
  EXPECT_TRUE(matches(where(view, upload(a), upload(b)), naive::map(shown, a, b, DType::f32, chosen)));
  EXPECT_TRUE(matches(sum(view), naive::sum(shown, {})));
}

EG_TEST(PackedBooleans, take_a_quarter_of_the_memory) {
  const int64_t bytes = 1001;
  EXPECT_EQ(comparison({1001}).tensor.node()->stored().buffer->bytes(), bytes);
  EXPECT_EQ(comparison({7, 11, 13}).tensor.transpose(0, 2).node()->as<nodes::View>()->source->stored().buffer->bytes(),
            bytes);
  EXPECT_EQ(upload(random_array(DType::boolean, {1001})).node()->stored().buffer->bytes(), bytes);
}

EG_TEST(PackedBooleans, of_every_length_start_and_step) {
  for (int64_t length = 1; length <= 37; ++length) {
    SCOPED_TRACE(length);
    const auto [tensor, array] = comparison({length}, static_cast<uint64_t>(length));
    EXPECT_TRUE(matches(tensor, array));
    for (int64_t start = 0; start < std::min<int64_t>(length, 6); ++start)
      expect_view(tensor.slice(0, start), naive::slice(array, 0, start, {}, 1));
    if (length < 12) continue;
    expect_view(tensor.slice(0, 1, -2, 3), naive::slice(array, 0, 1, -2, 3));
    expect_view(tensor.slice(0, -2, 1, -1), naive::slice(array, 0, -2, 1, -1));
  }
}

EG_TEST(PackedBooleans, through_every_view) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : {Dims{311, 257}, Dims{64, 100}, Dims{5, 7, 9}}) {
    const Array x = random_array(DType::boolean, shape);
    for (const View& view : every_view()) {
      if (!draw.next()) continue;
      SCOPED_TRACE(view.name);
      const Sample sample = view.hold(x);
      expect_view(sample.tensor, sample.array);
      expect_view(logical_not(sample.tensor).eval(),
                  naive::map(sample.array, DType::boolean, [](double v) { return v == 0 ? 1.0 : 0.0; }));
    }
  }
}

/// A map with a packed result, whose operands are strided, or with odd lengths of axes.
EG_TEST(PackedBooleans, computed_strided_and_from_broadcast_operands) {
  for (const Dims& shape : {Dims{311, 257}, Dims{128, 260}, Dims{41, 3, 43}}) {
    const Array a = random_array(DType::f32, shape, 1);
    const Array b = random_array(DType::f32, Dims(shape.rbegin(), shape.rend()), 2);
    const Array row = random_array(DType::f32, {shape.back()}, 3);
    const int last = static_cast<int>(shape.size()) - 1;
    const Tensor turned = upload(b).transpose(0, last);
    EXPECT_TRUE(matches(gt(upload(a), turned), naive::map(a, naive::transpose(b, 0, last), DType::boolean, is_more)));
    EXPECT_TRUE(matches(gt(upload(a), upload(row)), naive::map(a, row, DType::boolean, is_more)));
  }
}

EG_TEST(PackedBooleans, are_read_by_every_family) {
  const auto [mask, array] = comparison({131, 67});
  EXPECT_TRUE(matches(any(mask, {1}), naive::max(array, {1})));
  EXPECT_TRUE(matches(all(mask, {0}), naive::min(array, {0})));
  EXPECT_TRUE(matches(argmax(mask, 1), naive::argmax(array, 1)));
  EXPECT_TRUE(matches(cumsum(mask, 1), naive::cumsum(array, 1)));
  EXPECT_TRUE(matches(cummax(mask, 0), naive::cummax(array, 0)));
  EXPECT_TRUE(matches(sort(mask, 1), naive::sort(array, 1).keys));
  EXPECT_TRUE(matches(argsort(mask, 0), naive::sort(array, 0).places));
  EXPECT_TRUE(matches(concatenate({mask, mask.slice(1, 0, 5)}, 1),
                      naive::concatenate({array, naive::slice(array, 1, 0, 5, 1)}, 1)));
  EXPECT_TRUE(matches(pad(mask, {{1, 2}, {3, 0}}, true), naive::pad(array, {{1, 2}, {3, 0}}, 1)));
  EXPECT_TRUE(matches(take(mask, Tensor::from(std::vector<int32_t>{66, 0, 5, 5, 64}, {5}), 1),
                      naive::concatenate({naive::slice(array, 1, 66, {}, 1), naive::slice(array, 1, 0, 1, 1),
                                          naive::slice(array, 1, 5, 6, 1), naive::slice(array, 1, 5, 6, 1),
                                          naive::slice(array, 1, 64, 65, 1)},
                                         1)));
  EXPECT_TRUE(matches(take(mask, Tensor::from(std::vector<int32_t>{130, -131}, {2}), 0),
                      naive::concatenate({naive::slice(array, 0, 130, {}, 1), naive::slice(array, 0, 0, 1, 1)}, 0)));
}

/// Long rows, which a software device's driver copies: packed and unpacked, from any offset within a word.
EG_TEST(PackedBooleans, in_long_rows) {
  const auto [mask, array] = comparison({7, 1201});
  EXPECT_TRUE(matches(mask.slice(1, 1, 1150), naive::slice(array, 1, 1, 1150, 1)));
  EXPECT_TRUE(matches(concatenate({mask.slice(1, 3), mask}, 1),
                      naive::concatenate({naive::slice(array, 1, 3, {}, 1), array}, 1)));
  const Array two = naive::concatenate({naive::slice(array, 0, 6, {}, 1), naive::slice(array, 0, 2, 3, 1)}, 0);
  EXPECT_TRUE(matches(take(mask, Tensor::from(std::vector<int32_t>{6, 2}, {2}), 0), two));
}

EG_TEST(PackedBooleans, beside_other_results_of_one_kernel) {
  const Array x = random_array(DType::f32, {77, 53});
  const Tensor a = upload(x), doubled = a * 2.0F, positive = gt(doubled, 0.5F),
               chosen_ones = where(positive, a, doubled);
  eval({doubled, positive, chosen_ones});
  const auto is_positive = [](double v) { return 2 * v > 0.5 ? 1.0 : 0.0; };
  EXPECT_TRUE(matches(positive, naive::map(x, DType::boolean, is_positive)));
  EXPECT_TRUE(matches(chosen_ones, naive::map(x, DType::f32, [](double v) { return 2 * v > 0.5 ? v : 2 * v; })));
  EXPECT_TRUE(
      matches(logical_not(positive), naive::map(x, DType::boolean, [&](double v) { return 1 - is_positive(v); })));
}

EG_TEST(PackedBooleans, go_to_other_devices_and_come_back) {
  const auto [mask, array] = comparison({3, 335});
  for (const std::string& spec : device_specs()) {
    const Tensor there = mask.to(open_device(spec));
    EXPECT_TRUE(matches(there, array)) << spec;
    EXPECT_TRUE(matches(there.slice(1, 2, 200).to(device()), naive::slice(array, 1, 2, 200, 1))) << spec;
  }
}

}  // namespace
}  // namespace eglantine::test
