#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive_index.hpp"

/// Few elements of what is made of a tensor and of its rows: the tensor's are read, and the rest is computed of them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, GatheredFirst);

/// What each element is made of.
using Of = Tensor (*)(const Tensor& x, const Tensor& of_row);

constexpr Of expressions[] = {
    [](const Tensor& x, const Tensor& r) { return x - r; },
    [](const Tensor& x, const Tensor& r) { return where(x > r, x * 2.0F, exp(r)) + r; },
    [](const Tensor& x, const Tensor& r) { return (x.transpose(0, 1) * r.transpose(0, 1)).transpose(0, 1) - 1.0F; },
    [](const Tensor& x, const Tensor& r) { return (x - r).astype(DType::f16) + r.astype(DType::f16); },
    [](const Tensor& x, const Tensor& r) { return (x * r).astype(DType::i32); }};

EG_TEST(GatheredFirst, have_the_bits_that_stored_elements_have) {
  const Tensor x = upload(random_reals({37, 41, 5}, -4, 4, 1)), row = upload(random_reals({37, 1, 5}, -4, 4, 2));
  const Tensor along = upload(naive::random_indices({37, 2, 5}, 41)),
               shorter = upload(naive::random_indices({9, 3, 2}, 41)), few = upload(naive::random_indices({4}, 41));
  for (const Of of : expressions) {
    const auto made = [&] { return of(x, row.expand({37, 41, 5})); };
    const Tensor stored = made().eval();
    for (const Tensor& index : {along, shorter})
      EXPECT_TRUE(same_bits(gather(made(), 1, index), gather(stored, 1, index)));
    EXPECT_TRUE(same_bits(take(made(), few, 1), take(stored, few, 1)));
    EXPECT_TRUE(same_bits(take(made(), few, 0), take(stored, few, 0)));
  }
}

EG_TEST(GatheredFirst, log_softmax_at_labels_is_not_stored) {
  const Array scores = random_reals({64, 1000}, -5, 5),
              label = generate(DType::i32, {64, 1}, [](const Dims&at) { return at[0] * 37 % 1000; });
  const Tensor x = upload(scores), labels = upload(label);
  const auto at_labels = [&] { return take_along_axis(log_softmax(x, 1), labels, 1); };
  EXPECT_EQ(kernels_of(at_labels()), 1);
  EXPECT_TRUE(matches(at_labels(), naive::gather(download(log_softmax(x, 1).eval()), 1, label), {0, 1e-6, 1e-6}));
  EXPECT_EQ(kernels_of(nll_loss(log_softmax(x, 1), labels.squeeze(1))), 3);
}

/// What is made of a transposed tensor lies in the order of its memory, and is read there.
EG_TEST(GatheredFirst, log_softmax_of_a_transposed_tensor_at_labels_is_not_stored) {
  const Tensor x = upload(random_reals({1000, 300}, -5, 5)).transpose(0, 1);
  const Tensor labels = upload(generate(DType::i32, {300, 1}, [](const Dims& at) { return at[0] * 37 % 1000; }));
  const std::string text = explain(take_along_axis(log_softmax(x, 1), labels, 1));
  EXPECT_NE(text.find("row f32 of each row"), std::string::npos) << text;
  EXPECT_TRUE(matches(take_along_axis(log_softmax(x, 1), labels, 1),
                      download(take_along_axis(log_softmax((x + 0.0F).eval(), 1).eval(), labels, 1)), {0, 1e-6, 1e-6}));
}

EG_TEST(GatheredFirst, indices_are_checked) {
  const Tensor x = upload(random_reals({64, 100}, -5, 5)), y = x - max(x, 1, true);
  const Tensor bad = upload(Array{DType::i32, {1}, {100}}), last = upload(Array{DType::i32, {1}, {-1}});
  EXPECT_THROW(take(y, bad, 1).to_vector<float>(), IndexError);
  EXPECT_TRUE(same_bits(take(y, last, 1), y.slice(1, 99, 100)));
}

EG_TEST(GatheredFirst, many_elements_are_read_of_what_is_stored) {
  const Tensor x = upload(random_reals({64, 100}, -5, 5)), y = x - max(x, 1, true);
  const Tensor index = upload(naive::random_indices({64, 50}, 100));
  EXPECT_TRUE(same_bits(gather(y, 1, index), gather((x - max(x, 1, true)).eval(), 1, index)));
}

/// Of short rows GPUs pick the elements as they read them for what all elements of a row share.
EG_TEST(GatheredFirst, elements_of_many_short_rows_are_picked) {
  for (const Shape& shape :
       {Shape{530000, 2}, Shape{350000, 3}, Shape{35000, 30}, Shape{16400, 64}, Shape{5, 210000}, Shape{500, 7, 300}}) {
    const int axis = shape.rank() == 3 ? 1 : shape[0] < shape[1] ? 0 : 1;
    const Tensor x = where(uniform(shape, 5) < 0.1F, -0.0F, normal(shape, 3)).eval();
    Shape of_index = shape;
    of_index[axis] = 1;
    const auto length = static_cast<int32_t>(shape[axis]);
    const Tensor index = randint(-length, length, of_index, 4).eval();
    const auto of = [&] { return x - max(x, axis, true); };
    const Tensor stored = take_along_axis(of().eval(), index, axis);
    EXPECT_TRUE(same_bits(take_along_axis(of(), index, axis), stored)) << to_string(shape);
    const Tensor of_loss = take_along_axis(log_softmax(x, axis), index, axis);
    const DeviceInfo& device = x.device().info();
    EXPECT_EQ(explain(of_loss).find("gather u8") != std::string::npos, device.kind != "cpu" && !device.software);
    const Tensor loss = -mean(of_loss), stored_loss = -mean(take_along_axis(log_softmax(x, axis).eval(), index, axis));
    EXPECT_NEAR(loss.item<float>(), stored_loss.item<float>(), 1e-5F);
    // A label that counts from the end is one for the verbs of indices, and an error for the loss.
    const Tensor labels = where(index < 0, index + length, index).squeeze(axis).eval();
    EXPECT_NEAR(cross_entropy(x, labels, {.axis = axis}).item<float>(), stored_loss.item<float>(), 1e-5F);
    EXPECT_THROW(cross_entropy(x, index.squeeze(axis), {.axis = axis}).item<float>(), IndexError);
    EXPECT_THROW(mean(take_along_axis(log_softmax(x, axis), index + 1, axis)).item<float>(), IndexError);
  }
}

EG_TEST(GatheredFirst, rows_that_nothing_reads_are_gathered_from) {
  const Tensor x = normal({40000, 30}, 3).eval(), bias = uniform({40000, 1}, 4).eval();
  const Tensor index = randint(0, 30, {40000, 1}, 5).eval();
  EXPECT_EQ(explain(take_along_axis(x - bias * 2.0F, index, 1)).find("gather u8"), std::string::npos);
}

EG_TEST(GatheredFirst, what_is_picked_is_no_neighbours_nan) {
  const Tensor nan_at = arange(0, 1050000, 1, DType::i32).reshape({350000, 3}) == 4;
  const Tensor x = where(nan_at, std::numeric_limits<float>::quiet_NaN(), normal({350000, 3}, 3)).eval();
  const Tensor y = x - min(isnan(x).astype(DType::f32), 1, true);  // no NaN but where x has one
  const Tensor first = take_along_axis(y, zeros({350000, 1}, DType::i32), 1);
  EXPECT_TRUE(same_bits(first, x.slice(1, 0, 1)));
}

}  // namespace
}  // namespace eglantine::test
