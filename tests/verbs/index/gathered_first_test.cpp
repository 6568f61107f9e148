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
  EXPECT_EQ(kernels_of(at_labels()), 2);
  EXPECT_TRUE(matches(at_labels(), naive::gather(download(log_softmax(x, 1).eval()), 1, label), {0, 1e-6, 1e-6}));
  EXPECT_EQ(kernels_of(nll_loss(log_softmax(x, 1), labels.squeeze(1))), 4);
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

}  // namespace
}  // namespace eglantine::test
