#include <cmath>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/views.hpp"

/// The derivative of each kind of node: against difference quotients, forwards against backwards, and once more of the
/// derivative itself.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Rules);

struct Case {
  const char* name;
  std::vector<Dims> shapes;
  std::function<Tensor(const Tensors&)> f;
  bool twice = true;  ///< smooth, and all that it is made of has derivatives that have some
};

Tensor index_of(std::vector<int32_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::from(values, {count});
}

Tensor places(std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::from(values, {count});
}

const std::vector<Case>& cases() {
  using T = Tensors;
  static const std::vector<Case> all{
      // movements
      {"permute",
       {{2, 3, 4}},
       [](const T& x) {
         return square(x[0].permute({2, 0, 1}));
       }},
      {"reshape",
       {{2, 6}},
       [](const T& x) {
         return square(x[0].reshape({3, 4}));
       }},
      {"slice", {{5, 6}}, [](const T& x) { return square(x[0].slice(0, 1, 4).slice(1, 2, 5)); }},
      {"steps", {{7, 6}}, [](const T& x) { return square(x[0].slice(0, 6, 0, -2)); }},
      {"broadcast",
       {{3, 1}},
       [](const T& x) {
         return exp(broadcast_to(x[0], {2, 3, 4}));
       }},
      {"flip",
       {{4, 3}},
       [](const T& x) {
         return x[0].flip({0, 1}) * arange(0, 12).reshape({4, 3});
       }},
      {"windows",
       {{7, 6}},
       [](const T& x) {
         return square(windows(x[0], {0, 1}, {3, 2}, {1, 2}));
       }},
      {"diagonal", {{4, 5}}, [](const T& x) { return square(diagonal(x[0])); }},
      {"pad",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{1, 2}, {0, 1}}, 2));
       }},
      {"roll", {{3, 4}}, [](const T& x) { return square(roll(x[0], Axes{1}, Axes{1}) + x[0]); }},
      {"repeat", {{3, 2}}, [](const T& x) { return square(repeat(x[0], 3, 0)); }},
      {"concatenate",
       {{3, 2}, {1, 2}},
       [](const T& x) {
         return square(concatenate({x[0], x[1], x[0]}, 0));
       }},
      {"stack",
       {{3}, {3}},
       [](const T& x) {
         return exp(stack({x[0], x[1]}, 1));
       }},
      {"index_put", {{4, 3}, {3}}, [](const T& x) { return square(x[0].index_put({1}, x[1])); }},
      // reductions and scans
      {"sum",
       {{3, 4, 2}},
       [](const T& x) {
         return square(sum(x[0], {0, 2}));
       }},
      {"prod", {{3, 4}}, [](const T& x) { return prod(x[0] + 2, 1); }, false},
      {"max", {{3, 4}}, [](const T& x) { return square(max(x[0], 1)); }},
      {"min", {{3, 4}}, [](const T& x) { return square(min(x[0], 0, true)); }},
      {"mean", {{3, 4}}, [](const T& x) { return square(mean(x[0], 0)); }},
      {"var", {{3, 5}}, [](const T& x) { return var(x[0], 1); }},
      {"logsumexp", {{3, 5}}, [](const T& x) { return logsumexp(x[0], 1); }},
      {"softmax", {{3, 5}}, [](const T& x) { return softmax(x[0], 1); }},
      {"log_softmax", {{3, 5}}, [](const T& x) { return log_softmax(x[0], 0); }},
      {"layer_norm", {{3, 6}, {6}, {6}}, [](const T& x) { return layer_norm(x[0], 1, x[1], x[2]); }},
      {"rms_norm", {{3, 6}, {6}}, [](const T& x) { return rms_norm(x[0], 1, x[1]); }},
      {"cumsum", {{3, 4}}, [](const T& x) { return square(cumsum(x[0], 1)); }},
      {"cumprod", {{3, 4}}, [](const T& x) { return cumprod(x[0] + 2, 1); }, false},
      {"cumprod of zeros",
       {{6}},
       [](const T& x) {
         return cumprod(x[0] * places({1, 1, 0, 1, 0, 1}), 0);
       },
       false},
      {"prod of zeros",
       {{6}},
       [](const T& x) {
         return prod(x[0] * places({1, 1, 0, 1, 1, 1}));
       },
       false},
      {"cummax", {{3, 4}}, [](const T& x) { return square(cummax(x[0], 1)); }, false},
      {"cummin", {{5}}, [](const T& x) { return square(cummin(x[0], 0, false, true)); }, false},
      {"cummax, exclusive",
       {{5}},
       [](const T& x) {
         return cummax(x[0], 0, true).slice(0, 1) * places({1, 2, 3, 4});
       },
       false},
      {"tiles",
       {{5, 6}},
       [](const T& x) {
         return square(PartitionView(x[0], {2, 4}).sum());
       }},
      // order
      {"sort", {{3, 5}}, [](const T& x) { return square(sort(x[0], 1)) * arange(0, 5); }},
      {"topk", {{3, 5}}, [](const T& x) { return square(topk(x[0], 2, 1).first); }},
      {"median", {{3, 5}}, [](const T& x) { return square(median(x[0], 1)); }},
      // products
      {"matmul", {{3, 4}, {4, 2}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"matrix times vector", {{3, 4}, {4}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"batches", {{2, 1, 3, 4}, {3, 4, 2}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"einsum",
       {{3, 4, 2}, {4, 2, 5}},
       [](const T& x) {
         return einsum("ijk,jkl->li", {x[0], x[1]});
       }},
      {"conv", {{1, 2, 5, 6}, {3, 2, 3, 2}}, [](const T& x) { return conv(x[0], x[1], {.stride = 2, .padding = 1}); }},
      {"conv of groups", {{2, 4, 5}, {6, 2, 3}}, [](const T& x) { return conv(x[0], x[1], {.groups = 2}); }},
      {"avg_pool",
       {{1, 2, 6, 6}},
       [](const T& x) {
         return square(avg_pool(x[0], {2, 2}));
       }},
      {"max_pool",
       {{1, 2, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 2}, {.stride = 2, .padding = 1}));
       }},
      {"max_pool of every place",
       {{2, 5, 4}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 3}, {.stride = 1, .padding = 1}));
       }},
      {"max_pool apart",
       {{1, 2, 9}},
       [](const T& x) { return square(max_pool(x[0], {2}, {.stride = 3, .dilation = 3})); }},
      {"max_pool of many",  // by scattering
       {{1, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {5, 5}, {.stride = 1}));
       }},
      {"conv_transpose", {{1, 3, 4}, {3, 2, 3}}, [](const T& x) { return conv_transpose(x[0], x[1], {.stride = 2}); }},
      {"batch_norm of one's own",
       {{6, 3}},
       [](const T& x) {
         const auto [middle, variance] = moments(x[0], 0, true);
         return (x[0] - middle) * rsqrt(variance + 1e-3);
       }},
      // indexing
      {"take",
       {{4, 3}},
       [](const T& x) {
         return square(take(x[0], index_of({3, 0, 3, -1}), 0));
       }},
      {"take_along_axis",
       {{3, 4}},
       [](const T& x) {
         return square(take_along_axis(x[0], index_of({1, 1, 0, 2, 3, 1}).reshape({3, 2}), 1));
       }},
      {"scatter_add",
       {{4, 2}, {3, 2}},
       [](const T& x) {
         return square(scatter_add(x[0], 0, index_of({0, 2, 0, 2, 3, 2}).reshape({3, 2}), x[1]));
       }},
      {"scatter",
       {{4, 2}, {3, 2}},
       [](const T& x) {
         return square(scatter(x[0], 0, index_of({0, 2, 0, 2, 3, 2}).reshape({3, 2}), x[1]));
       }},
      {"compress", {{5}}, [](const T& x) { return square(compress(x[0], arange(0, 5) != 2)); }},
      {"cross_entropy",
       {{4, 3}},
       [](const T& x) {
         return cross_entropy(x[0], index_of({0, 2, 1, 1}));
       }},
      {"interpolate",
       {{1, 2, 3, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {5, 6}, {.mode = Interpolation::linear}));
       }},
      {"attention",
       {{2, 4, 9, 3}, {2, 2, 10, 3}, {2, 2, 10, 5}},
       [](const T& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true}); }},
      // mixed
      {"perceptron",
       {{5, 4}, {4, 6}, {6}, {6, 3}},
       [](const T& x) { return log_softmax(matmul(tanh(matmul(x[0], x[1]) + x[2]), x[3]), 1); }},
      {"powers", {{6}, {6}}, [](const T& x) { return pow(x[0] + 3, x[1]); }},
  };
  return all;
}

Tensors arguments_of(const Case& one, const View& held) {
  Tensors x;
  for (size_t i = 0; i < one.shapes.size(); ++i)
    x.push_back(held.hold(random_reals(one.shapes[i], -1, 1, i + 11)).tensor);
  return x;
}

Function function_of(const Case& one) {
  return [&one](const Tensors& x) { return Tensors{one.f(x)}; };
}

double dot_of(const Tensor& a, const Tensor& b) { return sum(a * b).item<float>(); }

Tensors drawn_like(const Tensors& x, uint64_t seed) {
  Tensors drawn;
  for (const Tensor& each : x) drawn.push_back(uniform(each.shape(), seed++) - 0.5);
  return drawn;
}

EG_TEST(Rules, are_difference_quotients) {
  Draw draw = draw_programs_one_of(4);
  for (const Case& one : cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    EXPECT_NO_THROW(check_gradients(function_of(one), arguments_of(one, view("contiguous")), 1e-2, 2e-2));
  }
}

EG_TEST(Rules, hold_in_every_view) {
  Draw draw = draw_programs_one_of(11);
  for (const Case& one : cases())
    for (const char* name : {"permuted", "stepped", "broadcast", "pending", "flipped"}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(one.name) + " " + name);
      const Tensors x = arguments_of(one, view(name));
      const auto value = [&](const Tensors& at) { return sum(one.f(at)); };
      Tensors copies;
      for (const Tensor& each : x) copies.push_back(Tensor::from(each.to_vector<float>(), each.shape()));
      const Tensors found = grad(value, x), wanted = grad(value, copies);
      for (size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(matches(found[i], download(wanted[i]), {0, 1e-5, 1e-5}));
    }
}

EG_TEST(Rules, forwards_and_backwards_agree) {
  Draw draw = draw_programs_one_of(5);
  for (const Case& one : cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    const Tensors x = arguments_of(one, view("contiguous")), u = drawn_like(x, 5);
    const auto [results, pushed] = jvp(function_of(one), x, u);
    const Tensors v = drawn_like(results, 50), pulled = vjp(function_of(one), x, v).second;
    double forward = dot_of(v[0], pushed[0]), backward = 0;
    for (size_t i = 0; i < x.size(); ++i) backward += dot_of(pulled[i], u[i]);
    EXPECT_NEAR(forward, backward, 1e-4 * std::max(1.0, std::abs(forward)));
  }
}

EG_TEST(Rules, have_derivatives_themselves) {
  Draw draw = draw_programs_one_of(8);
  for (const Case& one : cases()) {
    if (!one.twice || !draw.next()) continue;
    SCOPED_TRACE(one.name);
    const Tensors x = arguments_of(one, view("contiguous"));
    const auto first = [&](const Tensors& at) {
      return grad([&](const Tensors& y) { return sum(square(one.f(y))); }, at);
    };
    EXPECT_NO_THROW(check_gradients(first, x, 1e-2, 6e-2));
  }
}

}  // namespace
}  // namespace eglantine::test
