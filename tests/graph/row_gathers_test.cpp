#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "eglantine/error.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/losses.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"

/// Row kernels that gather an element for each of their rows, and check the index: the logit of a label.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, RowGathers);

Array labels_of(const Dims& shape, int64_t classes) {
  Random random(7);
  return generate(DType::i32, shape, [&](const Dims&) { return static_cast<double>(random.integer(0, classes - 1)); });
}

Tensor losses(const Tensor& logits, const Tensor& labels, int axis = -1) {
  return cross_entropy(logits, labels, {.axis = axis, .reduction = LossReduction::none});
}

Tensor element_of(const Tensor& x, const Tensor& labels) {
  return take_along_axis(x, labels.unsqueeze(1), 1).squeeze(1);
}

Tensor all_labels(const Dims& shape, int32_t label) {
  return upload(generate(DType::i32, shape, [&](const Dims&) { return static_cast<double>(label); }));
}

void expect_read(const Tensor& x, bool right) {
  if (right) {
    EXPECT_NO_THROW(x.to_vector<float>());
  } else {
    EXPECT_THROW(x.to_vector<float>(), IndexError);
  }
}

/// The gradient of a mean of cross entropies.
Array softmax_less_one_hot(const Array& x, const Array& labels) {
  const auto rows = static_cast<double>(x.shape[0]);
  return generate(DType::f32, x.shape, [&](const Dims& at) {
    double total = 0;
    for (int64_t c = 0; c < x.shape[1]; ++c) total += std::exp(x.at({at[0], c}));
    return (std::exp(x.at(at)) / total - (static_cast<int64_t>(labels.at({at[0]})) == at[1] ? 1 : 0)) / rows;
  });
}

EG_TEST(RowGathers, are_one_kernel_with_the_loss) {
  for (int64_t classes : {2, 13, 127, 1025}) {
    const Tensor x = upload(random_reals({37, classes}, -2, 2)), labels = upload(labels_of({37}, classes));
    EXPECT_EQ(kernels_of(losses(x, labels)), 1) << classes << " classes";
    EXPECT_EQ(kernels_of(cross_entropy(x, labels, {.reduction = LossReduction::sum})), 2) << classes << " classes";
  }
}

EG_TEST(RowGathers, are_one_kernel_of_computed_logits_too) {
  const Tensor a = upload(random_reals({37, 20}, -1, 1)), b = upload(random_reals({20, 13}, -1, 1));
  EXPECT_EQ(kernels_of(losses(matmul(a, b), upload(labels_of({37}, 13)))), 2);
}

/// Of rows of any length and labels in any order: what other kernels read of a gather as well is stored by the one that
/// gathers, and of what is made of the labels each kernel has what it reads.
EG_TEST(RowGathers, have_the_gradients_of_their_loss) {
  Random random(11);
  for (int drawn = 0; drawn < 12; ++drawn) {
    const int64_t rows = random.integer(1, 90), classes = random.integer(2, 300);
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(classes));
    const Array x = random_reals({rows, classes}, -2, 2), of_rows = labels_of({rows}, classes);
    const Tensor logits = upload(x), given = upload(of_rows);
    const Tensor labels = drawn % 3 == 0 ? flip(flip(given, {0}) + 0, {0}) : given;
    const auto loss = [&](const Tensors& at) { return cross_entropy(at[0], labels); };
    const Array expected = softmax_less_one_hot(x, of_rows);
    EXPECT_TRUE(matches(grad(loss, {logits})[0], expected, Tolerance{0, 1e-6, 1e-5}));
    const auto [value, gradients] = value_and_grad(loss, {logits});
    eval({value, gradients[0]});
    EXPECT_TRUE(matches(gradients[0], expected, Tolerance{0, 1e-6, 1e-5}));
    EXPECT_NEAR(value.item<float>(), mean(losses(logits, labels)).item<float>(), 1e-5);
  }
}

/// A loss whose labels are wrong at drawn places: each device names the first one.
class WrongLabels {
 public:
  explicit WrongLabels(uint64_t seed) : random_(seed) {
    shape_ = {random_.integer(1, 70), random_.integer(2, 40)};
    if (random_.integer(0, 1) == 1) shape_.push_back(random_.integer(1, 9));
    const Dims places = shape_.size() == 2 ? Dims{shape_[0]} : Dims{shape_[0], shape_[2]};
    labels_ = labels_of(places, classes());
    const auto last = static_cast<int64_t>(labels_.values.size()) - 1;
    for (int64_t wrong = random_.integer(1, 3); wrong > 0; --wrong)
      labels_.values[static_cast<size_t>(random_.integer(0, last))] =
          static_cast<double>(random_.integer(0, 1) == 0 ? -random_.integer(1, 99) : classes() + random_.integer(0, 9));
  }

  void expect_error() {
    const Tensor logits = upload(random_reals(shape_, -3, 3));
    EXPECT_ERROR(losses(logits, upload(labels_), 1).to_vector<float>(), IndexError, message());
    for (double& label : labels_.values) label = 0;
    EXPECT_NO_THROW(losses(logits, upload(labels_), 1).to_vector<float>());
  }

 private:
  int64_t classes() const { return shape_[1]; }
  std::string message() const {
    size_t place = 0;
    while (labels_.values[place] >= 0 && labels_.values[place] < static_cast<double>(classes())) ++place;
    const auto number = static_cast<int64_t>(place);
    Shape at{number}, of;
    if (shape_.size() == 3) at = {number / shape_[2], number % shape_[2]};
    for (int64_t length : shape_) of.push_back(length);
    return "[cross_entropy] index " + std::to_string(static_cast<int64_t>(labels_.values[place])) + " at " +
           to_string(at) + " lies outside [0, " + std::to_string(classes()) + "): axis 1 of " + to_string(of);
  }

  Random random_;
  Dims shape_;
  Array labels_;
};

EG_TEST(RowGathers, name_the_first_label_out_of_range) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    WrongLabels(seed).expect_error();
  }
}

EG_TEST(RowGathers, that_fail_leave_other_kernels_alone) {
  const Tensor x = upload(random_reals({5, 13}, -2, 2));
  const Tensor wrong = losses(x, full({5}, 13, DType::i32)), right = losses(x, full({5}, 12, DType::i32));
  EXPECT_THROW(wrong.to_vector<float>(), IndexError);
  EXPECT_EQ(right.to_vector<float>().size(), 5U);
  EXPECT_THROW((wrong + right).to_vector<float>(), IndexError);
}

/// Of several results of one kernel those that no label is read for.
EG_TEST(RowGathers, that_fail_leave_other_results_of_their_kernel_alone) {
  const Array each = random_reals({37, 13}, -2, 2);
  for (int32_t label : {12, 13}) {
    const Tensor x = upload(each), shares = softmax(x, 1),
                 chosen = element_of(x, all_labels({37}, label)).unsqueeze(1) * shares;
    EXPECT_EQ(kernels_of({chosen, shares}), 1);
    EXPECT_TRUE(matches(shares, download(softmax(upload(each), 1).eval()), Tolerance{0, 1e-6, 1e-6}));
    expect_read(chosen, label == 12);
  }
}

EG_TEST(RowGathers, that_fail_are_reported_once) {
  const Tensor x = upload(random_reals({5, 13}, -2, 2)), wrong = losses(x, all_labels({5}, 13));
  wrong.eval();
  EXPECT_THROW(device().synchronize(), IndexError);
  EXPECT_NO_THROW(device().synchronize());
}

/// Indices that the host could read and copy rows by, of another source each time.
EG_TEST(RowGathers, of_rows_of_all_columns_are_no_copies) {
  const Array labels = labels_of({3, 1, 1}, 100);
  const Tensor given = upload(labels).expand({3, 1, 513});
  for (uint64_t seed : {1, 2}) {
    const Array each = random_reals({3, 100, 513}, -2, 2, seed);
    const Array whole = download(log_softmax(upload(each), 1).eval());
    const Array expected = generate(DType::f32, {3, 1, 513}, [&](const Dims& at) {
      return whole.at({at[0], static_cast<int64_t>(labels.at({at[0], 0, 0})), at[2]});
    });
    EXPECT_TRUE(matches(take_along_axis(log_softmax(upload(each), 1), given, 1), expected, Tolerance{0, 1e-5, 1e-5}));
  }
}

/// Rows that an invocation takes alone, or four at a time, behind the last of which there may be none.
EG_TEST(RowGathers, of_many_short_rows_check_each_label) {
  for (int64_t classes : {2, 5, 13, 27})
    for (int64_t rows : {36864, 36865}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(classes));
      Array labels = labels_of({rows}, classes);
      const Tensor x = upload(random_reals({rows, classes}, -2, 2));
      EXPECT_EQ(kernels_of(losses(x, upload(labels))), 1);
      EXPECT_TRUE(matches(losses(x, upload(labels)),
                          download((logsumexp(x, {1}) - element_of(x, upload(labels))).eval()),
                          Tolerance{0, 1e-5, 1e-5}));
      labels.values.back() = static_cast<double>(classes);
      EXPECT_THROW(losses(x, upload(labels)).to_vector<float>(), IndexError);
    }
}

/// Losses of each kind, by what they read of the labels.
struct LossOfLabels {
  const char* name;
  std::function<Tensor(const Tensor& x, const Tensor& labels)> of;
};

std::vector<LossOfLabels> losses_of_labels() {
  const Tensor weight = upload(random_reals({13}, 0.5, 2));
  const std::vector<std::pair<const char*, CrossEntropyOptions>> options{
      {"mean", {}},
      {"sum", {.reduction = LossReduction::sum}},
      {"each", {.reduction = LossReduction::none}},
      {"ignoring", {.ignore_index = 3}},
      {"weighted", {.weight = weight}},
      {"smoothed", {.label_smoothing = 0.1}},
      {"smoothed and weighted", {.label_smoothing = 0.1, .weight = weight}}};
  std::vector<LossOfLabels> all;
  for (const auto& [name, option] : options) {
    all.push_back({name, [option](const Tensor& x, const Tensor& y) { return sum(cross_entropy(x, y, option)); }});
    all.push_back({name, [option](const Tensor& x, const Tensor& y) { return sum(nll_loss(x, y, option)); }});
    all.push_back(
        {name, [option](const Tensor& x, const Tensor& y) { return sum(nll_loss(log_softmax(x, -1), y, option)); }});
  }
  all.push_back(
      {"by hand", [](const Tensor& x, const Tensor& y) { return sum(logsumexp(x, {1}) - element_of(x, y)); }});
  return all;
}

/// Where x is square, as many are gathered along a row as there are rows.
EG_TEST(RowGathers, along_rows_are_none_of_each_row) {
  for (const int64_t length : {5, 7, 30, 33, 130}) {
    const Tensor x = upload(random_reals({length, length}, -2, 2)), index = upload(labels_of({1, length}, length));
    const auto of = [&](const Tensor& gathered) { return logsumexp(x - gathered, {1}, true) + max(x, {1}, true); };
    const auto read = [&] { return take_along_axis(x, index, 0); };
    const std::vector<float> found = of(read()).to_vector<float>(), expected = of(read().eval()).to_vector<float>();
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << length;
  }
}

/// Whether the loss's value is read or not.
EG_TEST(RowGathers, of_wrong_labels_have_no_gradients) {
  const Tensor x = upload(random_reals({37, 13}, -2, 2));
  for (const LossOfLabels& loss : losses_of_labels())
    for (int32_t label : {0, 12, 13, -20}) {
      SCOPED_TRACE(std::string(loss.name) + " of label " + std::to_string(label));
      const Tensor labels = all_labels({37}, label);
      const auto of = [&](const Tensors& at) { return loss.of(at[0], labels); };
      const Tensor alone = grad(of, {x})[0], beside = value_and_grad(of, {x}).second[0];
      for (const Tensor& gradient : {alone, beside}) expect_read(gradient, label == 0 || label == 12);
    }
}

EG_TEST(RowGathers, of_wrong_labels_have_no_gradients_in_batches) {
  const Tensor x = upload(random_reals({3, 37, 13}, -2, 2));
  for (int32_t label : {12, 13}) {
    const Tensor labels = all_labels({3, 37}, label);
    const auto slope = [](const Tensors& at) {
      return grad([&](const Tensors& logits) { return cross_entropy(logits[0], at[1]); }, {at[0]});
    };
    const Tensor gradients = vmap(slope, {0, 0})({x, labels})[0];
    expect_read(gradients, label == 12);
  }
}

}  // namespace
}  // namespace eglantine::test
