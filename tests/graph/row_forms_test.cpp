#include <gtest/gtest.h>

#include <functional>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"

/// Losses, softmax and norms in all words that users have for them: one kernel reads the rows once, also for the
/// gradient, and stores nothing of their size but the result.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, RowForms);

struct Form {
  const char* name;
  std::function<Tensor(const Tensor& x)> of;
  int kernels = 1;  ///< two of a sum that is read, which keeps the order of its additions
};

Tensor numbers(const Shape& shape, uint64_t seed) { return uniform(shape, seed).eval(); }
Tensor centered(const Tensor& x, int axis) { return x - mean(x, axis, true); }
Tensor standard(const Tensor& x, int axis) {
  const Tensor c = centered(x, axis);
  return c * rsqrt(mean(c * c, axis, true) + 1e-5F);
}

std::vector<Form> losses_of_rows() {
  const Tensor t = numbers({64, 300}, 6), labels = upload(generate(DType::i32, {64}, [](const Dims&at) {
                                            return static_cast<double>(at[0] * 37 % 300);
                                          }));
  const auto chosen = [=](const Tensor& x) { return take_along_axis(x, labels.unsqueeze(1), 1).squeeze(1); };
  const CrossEntropyOptions each{.reduction = LossReduction::none};
  return {{"cross_entropy", [=](const Tensor& x) { return cross_entropy(x, labels, each); }},
          {"nll_loss", [=](const Tensor& x) { return nll_loss(log_softmax(x, 1), labels, each); }},
          {"log_softmax at labels", [=](const Tensor& x) { return -chosen(log_softmax(x, 1)); }},
          {"logsumexp less logits", [=](const Tensor& x) { return logsumexp(x, {1}) - chosen(x); }},
          {"of shares", [=](const Tensor& x) { return -sum(log_softmax(x, 1) * t, 1); }},
          {"logsumexp less a sum", [=](const Tensor& x) { return logsumexp(x, {1}) - sum(x * t, 1); }},
          {"sum of shares", [=](const Tensor& x) { return sum(softmax(x, 1) * t, 1); }, 2}};
}

std::vector<Form> forms_of_elements() {
  const Tensor w = numbers({300}, 7), b = numbers({300}, 8);
  return {{"softmax", [](const Tensor& x) { return softmax(x, 1); }},
          {"softmax by hand",
           [](const Tensor& x) {
             const Tensor e = exp(x - max(x, 1, true));
             return e / sum(e, 1, true);
           }},
          {"layer_norm", [=](const Tensor& x) { return layer_norm(x, {1}, w, b); }},
          {"layer_norm by hand", [=](const Tensor& x) { return standard(x, 1) * w + b; }},
          {"rms_norm", [=](const Tensor& x) { return rms_norm(x, {1}, w); }},
          {"rms_norm by hand", [=](const Tensor& x) { return x * rsqrt(mean(x * x, 1, true) + 1e-5F) * w; }}};
}

std::vector<Form> forms_without_weights() {
  return {{"log_softmax", [](const Tensor& x) { return log_softmax(x, 1); }},
          {"standardised", [](const Tensor& x) { return centered(x, 1) / stddev(x, 1, true); }}};
}

std::vector<Form> values_of_rows() {
  return {{"logsumexp", [](const Tensor& x) { return logsumexp(x, {1}, true); }},
          {"var", [](const Tensor& x) { return var(x, 1, true); }},
          {"stddev", [](const Tensor& x) { return stddev(x, 1, true); }}};
}

/// Groups of channels, whose weights are behind a reshape.
std::vector<Form> forms_of_pictures() {
  const Tensor w = numbers({12}, 9), b = numbers({12}, 10), wide = w.reshape({1, 12, 1, 1}),
               offset = b.reshape({1, 12, 1, 1});
  return {{"group_norm", [=](const Tensor& x) { return group_norm(x, 3, w, b); }},
          {"group_norm by hand", [=](const Tensor& x) {
             return standard(x.reshape({8, 3, 400}), 2).reshape({8, 12, 10, 10}) * wide + offset;
           }}};
}

void expect_kernels(const Form& form, const Tensor& x, const std::function<Tensor(const Tensor&)>& to_number) {
  SCOPED_TRACE(form.name);
  EXPECT_EQ(kernels_of(form.of(x)), form.kernels) << explain(form.of(x));
  const Tensor slope = grad([&](const Tensors& at) { return to_number(form.of(at[0])); }, {x})[0];
  EXPECT_EQ(kernels_of(slope), 1);
}

EG_TEST(RowForms, of_losses_are_one_kernel) {
  const Tensor x = numbers({64, 300}, 5);
  if (binds_few_buffers()) return;
  for (const Form& form : losses_of_rows()) expect_kernels(form, x, [](const Tensor& y) { return sum(y); });
}

EG_TEST(RowForms, of_elements_are_one_kernel) {
  const Tensor x = numbers({64, 300}, 5), given = numbers({64, 300}, 6), pictures = numbers({8, 12, 10, 10}, 11),
               given_pictures = numbers({8, 12, 10, 10}, 12);
  if (binds_few_buffers()) return;
  const auto weighted = [&](const Tensor& y) { return sum(y * given); };
  for (const Form& form : forms_of_elements()) expect_kernels(form, x, weighted);
  for (const Form& form : forms_without_weights()) expect_kernels(form, x, weighted);
  const Tensor of_rows = numbers({64, 1}, 13);
  for (const Form& form : values_of_rows()) expect_kernels(form, x, [&](const Tensor& y) { return sum(y * of_rows); });
  for (const Form& form : forms_of_pictures())
    expect_kernels(form, pictures, [&](const Tensor& y) { return sum(y * given_pictures); });
}

/// Whatever the words, a loss and its gradient are the same.
EG_TEST(RowForms, of_a_loss_agree) {
  const Tensor x = numbers({64, 300}, 5);
  const std::vector<Form> forms = losses_of_rows();
  const auto slope = [&](const Form& form) {
    return grad([&](const Tensors& at) { return sum(form.of(at[0])); }, {x})[0];
  };
  for (size_t i = 1; i < 4; ++i) {
    SCOPED_TRACE(forms[i].name);
    EXPECT_TRUE(matches(forms[i].of(x), download(forms[0].of(x).eval()), {0, 2e-6, 2e-6}));
    EXPECT_TRUE(matches(slope(forms[i]), download(slope(forms[0]).eval()), {0, 2e-6, 2e-6}));
  }
}

}  // namespace
}  // namespace eglantine::test
