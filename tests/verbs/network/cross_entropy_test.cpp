#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "eglantine/verbs/losses.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

/// Losses of labels against PyTorch's formulas, as loops in double.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Losses, CrossEntropy);
EG_ON_EACH_DEVICE(Losses, NllLoss);
EG_ON_EACH_DEVICE(Losses, LabelErrors);
EG_ON_EACH_DEVICE(Graph, CrossEntropyKernels);

constexpr Tolerance allowed_of_entropy{0, 2e-6, 2e-6};

struct EntropyCase {
  Array x, labels;
  int64_t axis = -1;
  double smoothing = 0;
  int32_t ignored = -100;
  Array weight = {};  ///< none where it has no shape
  bool logits = true;

  double weight_of(int64_t c) const { return weight.shape.empty() ? 1 : weight.values[static_cast<size_t>(c)]; }
  CrossEntropyOptions options(LossReduction reduction) const {
    CrossEntropyOptions result{static_cast<int>(axis), smoothing, ignored, {}, reduction};
    if (!weight.shape.empty()) result.weight = upload(weight);
    return result;
  }
  Tensor loss(LossReduction reduction) const {
    return (logits ? cross_entropy : nll_loss)(upload(x), upload(labels), options(reduction));
  }
};

/// The loss of each label; adds the weights that the mean divides by.
Array losses_of(const EntropyCase& c, double& weights) {
  const int64_t axis = c.axis < 0 ? c.axis + c.x.rank() : c.axis, classes = c.x.shape[static_cast<size_t>(axis)];
  weights = 0;
  return generate(DType::f32, c.labels.shape, [&](const Dims& index) {
    const auto label = static_cast<int64_t>(c.labels.at(index));
    if (label == c.ignored) return 0.0;
    std::vector<double> row;
    double high = -infinity, sum = 0, all = 0;
    for (int64_t i = 0; i < classes; ++i) {
      Dims at = index;
      at.insert(at.begin() + axis, i);
      row.push_back(c.x.at(at));
      high = std::max(high, row.back());
    }
    for (double v : row) sum += std::exp(v - high);
    // Of one -log p at a time, so that large logits take no digits.
    const auto less_log = [&](double v) { return c.logits ? std::log(sum) + (high - v) : -v; };
    for (int64_t i = 0; i < classes; ++i) all += c.weight_of(i) * less_log(row[static_cast<size_t>(i)]);
    weights += c.weight_of(label);
    const double own = c.weight_of(label) * less_log(row[static_cast<size_t>(label)]);
    return c.smoothing == 0 ? own : (1 - c.smoothing) * own + c.smoothing / static_cast<double>(classes) * all;
  });
}

void expect_losses(const EntropyCase& c) {
  SCOPED_TRACE(text(c.x.shape) + " along " + std::to_string(c.axis));
  double weights = 0;
  EXPECT_TRUE(matches(c.loss(LossReduction::none), losses_of(c, weights), allowed_of_entropy));
}

/// Sum and mean add up what expect_losses checks, by programs of their own: once for each set of options.
void expect_totals(const EntropyCase& c) {
  SCOPED_TRACE(text(c.x.shape) + " along " + std::to_string(c.axis));
  double weights = 0, total = 0;
  for (double v : losses_of(c, weights).values) total += v;
  EXPECT_TRUE(matches(c.loss(LossReduction::sum), {DType::f32, {}, {total}}, {0, 2e-6, 2e-5}));
  EXPECT_TRUE(matches(c.loss(LossReduction::mean), {DType::f32, {}, {total / weights}}, {0, 4e-6, 4e-6}));
}

/// Labels of `classes`, some of them ignored.
Array labels_of(const Dims& shape, int64_t classes, int32_t ignored = -100) {
  Random random(3);
  return generate(DType::i32, shape, [&](const Dims&) {
    return static_cast<double>(random.integer(0, 6) == 0 ? ignored : random.integer(0, classes - 1));
  });
}

EntropyCase some_case(const Dims& shape, int64_t axis, double low = -5, double high = 5) {
  Dims without = shape;
  without.erase(without.begin() + (axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis));
  const int64_t classes = shape[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis)];
  return {random_reals(shape, low, high), labels_of(without, classes), axis};
}

EG_TEST(CrossEntropy, rows_of_every_size_class) {
  Draw draw = draw_programs_one_of(3);
  for (int64_t classes : {1, 2, 13, 127, 1025, 16385}) {
    if (draw.next()) expect_losses(some_case({7, classes}, -1));
  }
}

EG_TEST(CrossEntropy, of_every_axis_and_rank) {
  Draw draw = draw_programs_one_of(2);
  for (int64_t axis : {0, 1, 2, -2}) {
    if (draw.next()) expect_losses(some_case({5, 13, 7}, axis));
  }
  for (const Dims& shape : {Dims{5, 13, 7}, Dims{2, 1025}}) expect_totals(some_case(shape, 1));
  expect_losses({random_reals({13}, -2, 2), {DType::i32, {}, {4}}, 0});
  expect_losses(some_case({2, 5, 3, 2, 1, 2, 1, 2}, 1));
}

EG_TEST(CrossEntropy, weights_smoothing_and_ignored_labels) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : {Dims{37, 13}, Dims{3, 5, 11}}) {
    const auto expect = [&](const EntropyCase& c) {
      if (!draw.next()) return;
      expect_losses(c);
      if (shape.size() == 2) expect_totals(c);
    };
    EntropyCase c = some_case(shape, 1);
    c.smoothing = 0.25;
    expect(c);
    c.weight = random_reals({shape[1]}, 0, 2, 5);
    expect(c);
    c.smoothing = 0;
    expect(c);
    c.ignored = 3;
    c.labels = labels_of(c.labels.shape, shape[1], 3);
    expect(c);
    c.smoothing = 1;
    expect(c);
  }
}

EG_TEST(CrossEntropy, of_large_logits) {
  for (double center : {1e4, -1e5})
    for (double smoothing : {0.0, 0.5}) {
      EntropyCase c = some_case({5, 127}, 1, center - 8, center + 8);
      c.smoothing = smoothing;
      expect_losses(c);
    }
  const EntropyCase c = some_case({5, 13}, 1, -1e30, 1e30);
  expect_losses(c);
  expect_totals(c);
}

EG_TEST(CrossEntropy, of_infinite_logits) {
  const float inf = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from({0.0F, -inf, 0.0F, 0.0F, -inf, 0.0F, 0.0F, inf, 0.0F, none, 0.0F, 0.0F}, {4, 3});
  const auto of = [&](std::initializer_list<int32_t> labels) {
    return cross_entropy(x, Tensor::from(labels, {4}), {.reduction = LossReduction::none}).to_vector<float>();
  };
  const std::vector<float> y = of({0, 1, 0, 0});
  EXPECT_NEAR(y[0], std::log(2.0), 1e-6);
  EXPECT_EQ(y[1], inf);
  EXPECT_EQ(y[2], inf);
  EXPECT_TRUE(std::isnan(y[3]));
  const std::vector<float> z = of({-100, 0, 1, -100});
  EXPECT_EQ(z[0], 0);
  EXPECT_TRUE(std::isnan(z[2]));
  EXPECT_EQ(z[3], 0);
}

EG_TEST(CrossEntropy, where_no_label_counts) {
  const Tensor x = upload(random_reals({3, 5}, -2, 2)), ignored = full({3}, -100, DType::i32);
  for (const Tensor& weight : {Tensor(), ones({5})}) {
    EXPECT_TRUE(std::isnan(cross_entropy(x, ignored, {.weight = weight}).item<float>()));
    EXPECT_EQ(cross_entropy(x, ignored, {.weight = weight, .reduction = LossReduction::sum}).item<float>(), 0);
  }
  const Tensor none = zeros({0, 5}), no_labels = zeros({0}, DType::i32);
  EXPECT_TRUE(std::isnan(cross_entropy(none, no_labels).item<float>()));
  EXPECT_EQ(nll_loss(none, no_labels, {.reduction = LossReduction::sum}).item<float>(), 0);
  EXPECT_EQ(cross_entropy(none, no_labels, {.reduction = LossReduction::none}).shape(), (Shape{0}));
}

EG_TEST(CrossEntropy, every_view) {
  const Array labels = labels_of({5, 7}, 13);
  for (double smoothing : {0.0, 0.1})
    check_over_views(
        DType::f32, {{5, 13, 7}},
        [&](const Tensor& x) {
          return cross_entropy(x, upload(labels), {1, smoothing, -100, {}, LossReduction::none});
        },
        [&](const Array& x) {
          double weights = 0;
          return losses_of({x, labels, 1, smoothing}, weights);
        },
        allowed_of_entropy);
}

EG_TEST(CrossEntropy, labels_in_every_view) {
  const Array x = random_reals({5, 7, 13}, -3, 3);
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(view.name);
    const Sample labels = view.hold(labels_of({5, 7}, 13));
    double weights = 0;
    EXPECT_TRUE(matches(cross_entropy(upload(x), labels.tensor, {.reduction = LossReduction::none}),
                        losses_of({x, labels.array}, weights), allowed_of_entropy));
  }
}

EG_TEST(CrossEntropy, of_integers) {
  const Array x = random_array(DType::i32, {5, 13}), labels = labels_of({5}, 13);
  double weights = 0;
  EXPECT_TRUE(matches(cross_entropy(upload(x), upload(labels), {.reduction = LossReduction::none}),
                      losses_of({x, labels}, weights), allowed_of_entropy));
}

EG_TEST(NllLoss, weights_smoothing_and_axes) {
  Draw draw = draw_programs_one_of(3);
  for (int64_t axis : {0, 1, -1}) {
    const auto expect = [&](const EntropyCase& c) {
      if (!draw.next()) return;
      expect_losses(c);
      if (axis == 1) expect_totals(c);
    };
    EntropyCase c = some_case({5, 13, 7}, axis, -9, 0);
    c.logits = false;
    expect(c);
    c.weight = random_reals({c.x.shape[static_cast<size_t>(axis < 0 ? 2 : axis)]}, 0, 2, 5);
    expect(c);
    c.smoothing = 0.25;
    expect(c);
  }
}

EG_TEST(LabelErrors, name_the_label_and_its_place) {
  const Tensor x = upload(random_reals({2, 5, 3}, -2, 2)), weight = ones({5});
  for (int32_t label : {5, -1, -5, -99, 2147483647}) {
    const Tensor labels = Tensor::from({0, 1, 2, -100, label, 3}, {2, 3});
    const std::string at = "index " + std::to_string(label) + " at (1, 1) lies outside [0, 5): axis 1 of (2, 5, 3)";
    EXPECT_ERROR(cross_entropy(x, labels, {.axis = 1}).item<float>(), IndexError, "[cross_entropy] " + at);
    EXPECT_ERROR(nll_loss(x, labels, {.axis = 1, .weight = weight}).item<float>(), IndexError, "[nll_loss] " + at);
  }
  EXPECT_ERROR(cross_entropy(x, full({2, 3}, INT32_MIN, DType::i32), {.axis = 1}).item<float>(), IndexError,
               "[cross_entropy] index at most -2147483643 at (0, 0) lies outside [0, 5): axis 1 of (2, 5, 3)");
}

EG_TEST(CrossEntropyKernels, one_pass_over_the_logits) {
  const Tensor x = upload(random_reals({37, 127}, -2, 2)), labels = upload(labels_of({37}, 127));
  const auto passes_of = [](const Tensor& loss) {
    const std::string text = explain(loss);
    EXPECT_EQ(text.find("(37, 127)"), std::string::npos) << "stores what has the logits' size:\n" << text;
    int passes = 0;
    for (size_t at = text.find("(127,) for each"); at != std::string::npos; at = text.find("(127,) for each", at + 1))
      ++passes;
    return passes;
  };
  EXPECT_EQ(passes_of(cross_entropy(x, labels)), 1);
  EXPECT_EQ(passes_of(cross_entropy(x, labels, {.label_smoothing = 0.1})), 1);
  EXPECT_EQ(passes_of(nll_loss(x, labels)), 0);
  EXPECT_EQ(passes_of(nll_loss(x, labels, {.label_smoothing = 0.1})), 1);
}

}  // namespace
}  // namespace eglantine::test
