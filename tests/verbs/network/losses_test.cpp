#include "eglantine/verbs/losses.hpp"

#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/naive.hpp"

/// Losses of two operands against their formulas in double.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Losses, PairLosses);
EG_ON_EACH_DEVICE(Losses, CosineSimilarity);

constexpr Tolerance allowed_of_losses{0, 2e-6, 2e-6};
const float infinite_loss = std::numeric_limits<float>::infinity();

struct Loss {
  std::string name;
  std::function<Tensor(const Operand&, const Operand&, LossReduction)> call;
  double (*of)(double x, double y);
  double low = -3, high = 3, low_y = -3, high_y = 3;
};

double bce(double x, double y) { return std::max(x, 0.0) - x * y + std::log1p(std::exp(-std::abs(x))); }

const std::vector<Loss>& losses() {
  static const std::vector<Loss> all{
      {"mse_loss", mse_loss, [](double x, double y) { return (x - y) * (x - y); }},
      {"l1_loss", l1_loss, [](double x, double y) { return std::abs(x - y); }},
      {"huber_loss", [](const Operand& x, const Operand& y, LossReduction r) { return huber_loss(x, y, 0.75, r); },
       [](double x, double y) {
         const double d = std::abs(x - y);
         return d <= 0.75 ? d * d / 2 : 0.75 * (d - 0.375);
       }},
      {"binary_cross_entropy_with_logits", binary_cross_entropy_with_logits, bce, -30, 30, 0, 1},
      {"kl_div", kl_div, [](double x, double y) { return y == 0 ? 0 : y * (std::log(y) - x); }, -5, 0, 0, 1}};
  return all;
}

double total(const Array& x) {
  double result = 0;
  for (double v : x.values) result += v;
  return result;
}

Array number(double value) { return {DType::f32, {}, {value}}; }

EG_TEST(PairLosses, every_reduction_and_shape) {
  Draw draw = draw_programs_one_of(4);
  for (const Loss& loss : losses())
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{13}, Dims{3, 127}, Dims{1025}, Dims{0, 3}}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(loss.name + " of " + text(shape));
      const Array x = random_reals(shape, loss.low, loss.high, 1), y = random_reals(shape, loss.low_y, loss.high_y, 2);
      const Array expected = naive::map(x, y, DType::f32, loss.of);
      const Tensor a = upload(x), b = upload(y);
      EXPECT_TRUE(matches(loss.call(a, b, LossReduction::none), expected, allowed_of_losses));
      EXPECT_TRUE(matches(loss.call(a, b, LossReduction::sum), number(total(expected)), {0, 4e-6, 4e-6}));
      EXPECT_TRUE(matches(loss.call(a, b, LossReduction::mean),
                          number(total(expected) / static_cast<double>(count(shape))), {0, 4e-6, 4e-6}));
    }
}

EG_TEST(PairLosses, every_view) {
  const Array y = random_reals({13, 7}, 0, 1, 2);
  const Loss& loss = losses().back();
  check_over_views(
      DType::f32, {{5, 13, 7}}, [&](const Tensor& x) { return loss.call(x, upload(y), LossReduction::none); },
      [&](const Array& x) { return naive::map(x, y, DType::f32, loss.of); }, allowed_of_losses);
}

EG_TEST(PairLosses, of_numbers_mixed_types_and_broadcasting) {
  Draw draw = draw_programs_one_of(3);
  for (const Loss& loss : losses()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(loss.name);
    const Array x = random_array(DType::i32, {5, 1}), y = random_reals({3}, 0, 1),
                b = random_array(DType::boolean, {3});
    EXPECT_TRUE(matches(loss.call(upload(x), upload(y), LossReduction::none), naive::map(x, y, DType::f32, loss.of),
                        allowed_of_losses));
    EXPECT_TRUE(matches(loss.call(upload(b), upload(b), LossReduction::none), naive::map(b, b, DType::f32, loss.of),
                        allowed_of_losses));
    EXPECT_TRUE(matches(loss.call(upload(x), 1, LossReduction::none), naive::map(x, number(1), DType::f32, loss.of),
                        allowed_of_losses));
  }
}

EG_TEST(PairLosses, default_to_the_mean_and_to_a_delta_of_1) {
  const Tensor x = Tensor::from({1.0F, 4.0F}, {2}), y = Tensor::from({1.5F, 1.0F}, {2});
  EXPECT_EQ(mse_loss(x, y).item<float>(), 4.625F);
  EXPECT_EQ(l1_loss(x, y).item<float>(), 1.75F);
  EXPECT_EQ(huber_loss(x, y).item<float>(), 1.3125F);
}

EG_TEST(PairLosses, special_values) {
  const Tensor zero = zeros({3}), x = Tensor::from({-infinite_loss, infinite_loss, std::nanf("")}, {3});
  EXPECT_EQ(kl_div(x, zero, LossReduction::none).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(huber_loss(x, zero, 1, LossReduction::none).to_vector<float>()[1], infinite_loss);
  EXPECT_TRUE(std::isnan(huber_loss(x, zero, 1, LossReduction::none).to_vector<float>()[2]));
  const Tensor large = Tensor::from({-3e38F, 3e38F}, {2}), ends = Tensor::from({0.0F, 1.0F}, {2});
  EXPECT_EQ(binary_cross_entropy_with_logits(large, ends, LossReduction::none).to_vector<float>(),
            (std::vector<float>{0, 0}));
  for (const Loss& loss : losses())
    EXPECT_TRUE(std::isnan(loss.call(zeros({0}), zeros({0}), LossReduction::mean).item<float>())) << loss.name;
}

EG_TEST(PairLosses, are_one_kernel) {
  const Tensor x = upload(random_reals({37, 127}, -2, -1)), y = upload(random_reals({37, 127}, 0, 1));
  for (const Loss& loss : losses()) {
    const Tensor mean = loss.call(x, y, LossReduction::mean);
    const int64_t before = statistics(device()).kernels;
    mean.eval();
    EXPECT_EQ(statistics(device()).kernels - before, 1) << loss.name;
  }
}

Array cosine(const Array& a, const Array& b, int64_t axis, double eps = 1e-8) {
  const Dims shape = naive::broadcast(a.shape, b.shape);
  const Array x = naive::expand(a, shape), y = naive::expand(b, shape);
  const auto times = [](double v, double w) { return v * w; };
  const auto length = [&](const Array& v) {
    return naive::map(naive::sum(naive::map(v, v, DType::f32, times), {axis}), DType::f32,
                      [&](double s) { return std::max(std::sqrt(s), eps); });
  };
  return naive::map(naive::sum(naive::map(x, y, DType::f32, times), {axis}),
                    naive::map(length(x), length(y), DType::f32, times), DType::f32,
                    [](double dot, double lengths) { return dot / lengths; });
}

EG_TEST(CosineSimilarity, along_every_axis) {
  const Array a = random_reals({5, 13, 7}, -2, 2, 1), b = random_reals({5, 13, 7}, -2, 2, 2);
  for (int64_t axis : {0, 1, 2, -1})
    EXPECT_TRUE(matches(cosine_similarity(upload(a), upload(b), static_cast<int>(axis)),
                        cosine(a, b, axis < 0 ? axis + 3 : axis), allowed_of_losses));
}

EG_TEST(CosineSimilarity, of_what_broadcasts) {
  for (const auto& [x, y] : std::vector<std::pair<Dims, Dims>>{
           {{5, 1, 7}, {13, 7}}, {{7}, {3, 7}}, {{3, 1}, {3, 7}}, {{}, {7}}, {{0, 7}, {7}}, {{3, 0}, {3, 0}}}) {
    const Array a = random_reals(x, -2, 2, 1), b = random_reals(y, -2, 2, 2);
    const auto last = static_cast<int64_t>(std::max(x.size(), y.size())) - 1;
    EXPECT_TRUE(matches(cosine_similarity(upload(a), upload(b)), cosine(a, b, last), allowed_of_losses))
        << text(x) << text(y);
  }
}

/// On a GPU one kernel reads rows for their lengths and products; a derivative keeps the quotient of sums.
EG_TEST(CosineSimilarity, of_rows_is_of_one_reading) {
  const Array a = random_reals({9, 300}, -2, 2, 1), b = random_reals({9, 300}, -2, 2, 2);
  const Tensor x = upload(a), y = upload(b), found = cosine_similarity(x, y);
  EXPECT_EQ(kernels_of(cosine_similarity(x, y)), device().info().kind == "cpu" ? 3 : 1);
  EXPECT_TRUE(matches(found, cosine(a, b, 1), allowed_of_losses));
  EXPECT_EQ(cosine_similarity(zeros({3, 7}), ones({3, 7})).to_vector<float>(), std::vector<float>(3, 0.0F));
  EXPECT_TRUE(std::isnan(cosine_similarity(full({5}, INFINITY), ones({5})).item<float>()));
}

EG_TEST(CosineSimilarity, eps_and_integers) {
  const Array a = random_array(DType::i32, {3, 7}, 1), b = random_reals({3, 7}, -1e-3, 1e-3, 2);
  EXPECT_TRUE(matches(cosine_similarity(upload(a), upload(b), 1, 0.5), cosine(a, b, 1, 0.5), allowed_of_losses));
  EXPECT_EQ(cosine_similarity(zeros({3}), ones({3})).item<float>(), 0);
}

EG_TEST(CosineSimilarity, every_view) {
  const Array b = random_reals({13, 7}, -2, 2, 2);
  check_over_views(
      DType::f32, {{5, 13, 7}}, [&](const Tensor& x) { return cosine_similarity(x, upload(b), 1); },
      [&](const Array& x) { return cosine(x, b, 1); }, allowed_of_losses);
}

}  // namespace
}  // namespace eglantine::test
