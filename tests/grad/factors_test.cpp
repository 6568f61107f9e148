#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// Derivatives of products and roots where they cannot divide, since something is zero.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Factors);

constexpr int64_t factors_each = 4;

/// The sum of weighted products of some of a few factors.
struct ProductsOfFactors {
  std::string name;
  std::function<Tensor(const Tensor& x)> of;  ///< the products of these factors
  std::vector<std::vector<int64_t>> factors;  ///< of each product
};

const std::vector<ProductsOfFactors>& every_product() {
  static const std::vector<ProductsOfFactors> all{
      {"prod", [](const Tensor& x) { return prod(x, {}, true); }, {{0, 1, 2, 3}}},
      {"prod of rows",
       [](const Tensor& x) {
         return prod(x.reshape({2, 2}), 1);
       },
       {{0, 1}, {2, 3}}},
      {"cumprod", [](const Tensor& x) { return cumprod(x, 0); }, {{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}}},
      {"cumprod in reverse",
       [](const Tensor& x) { return cumprod(x, 0, false, true); },
       {{0, 1, 2, 3}, {1, 2, 3}, {2, 3}, {3}}},
      {"exclusive cumprod", [](const Tensor& x) { return cumprod(x, 0, true); }, {{}, {0}, {0, 1}, {0, 1, 2}}},
      {"exclusive cumprod in reverse",
       [](const Tensor& x) { return cumprod(x, 0, true, true); },
       {{1, 2, 3}, {2, 3}, {3}, {}}},
      {"scatter_mul",
       [](const Tensor& x) {
         return scatter_mul(x.slice(0, 0, 1), 0, zeros({3}, DType::i32, x.device()), x.slice(0, 1));
       },
       {{0, 1, 2, 3}}},
      {"scatter_mul to two places",
       [](const Tensor& x) {
         return scatter_mul(x.slice(0, 0, 2), 0, Tensor::from({1, 1}, {2}, x.device()), x.slice(0, 2));
       },
       {{0}, {1, 2, 3}}},
  };
  return all;
}

float weight_of(size_t product) { return 1 + 0.5F * static_cast<float>(product); }

/// Of the products with all of `by` among their factors, without these; each of `by` is another.
double derivative_of(const ProductsOfFactors& products, const std::vector<float>& x, const std::vector<int64_t>& by) {
  double total = 0;
  for (size_t product = 0; product < products.factors.size(); ++product) {
    double term = weight_of(product);
    std::vector<int64_t> left = products.factors[product];
    for (const int64_t i : by) {
      const auto found = std::find(left.begin(), left.end(), i);
      found == left.end() ? void(term = 0) : void(left.erase(found));
    }
    for (const int64_t i : left) term *= x[static_cast<size_t>(i)];
    total += term;
  }
  return total;
}

/// All derivatives of so many orders, row-major.
Array derivatives_of(const ProductsOfFactors& products, const std::vector<float>& x, int order) {
  Array found{DType::f32, Dims(static_cast<size_t>(order), factors_each), {}};
  int64_t count = 1;
  for (int i = 0; i < order; ++i) count *= factors_each;
  for (int64_t place = 0; place < count; ++place) {
    std::vector<int64_t> by;
    for (int64_t rest = place, i = 0; i < order; ++i, rest /= factors_each) by.push_back(rest % factors_each);
    found.values.push_back(derivative_of(products, x, by));
  }
  return found;
}

/// Each choice of factors that are zero.
std::vector<std::vector<float>> every_choice() {
  std::vector<std::vector<float>> choices;
  for (int zeros = 0; zeros < 1 << factors_each; ++zeros) {
    std::vector<float> x{1.5F, -2, 3, 0.5F};
    for (size_t i = 0; i < factors_each; ++i)
      if ((zeros >> i & 1) != 0) x[i] = 0;
    choices.push_back(x);
  }
  return choices;
}

ScalarFunction weighted(const ProductsOfFactors& products) {
  return [&products](const Tensors& x) {
    const Tensor each = products.of(x[0]);
    return sum(each * (arange(0, static_cast<double>(each.size())) * 0.5F + 1));
  };
}

EG_TEST(Factors, have_second_derivatives_also_of_zeros) {
  Draw draw = draw_programs_one_of(4);
  for (const ProductsOfFactors& products : every_product()) {
    if (!draw.next()) continue;
    for (const std::vector<float>& x : every_choice()) {
      const Tensor at = Tensor::from(x, {factors_each});
      SCOPED_TRACE(products.name + " of " + ::testing::PrintToString(x));
      EXPECT_TRUE(matches(hessian(weighted(products), at), derivatives_of(products, x, 2), {0, 1e-5, 1e-5}));
    }
  }
}

EG_TEST(Factors, have_third_derivatives_also_of_zeros) {
  Draw draw = draw_programs_one_of(4);
  for (const ProductsOfFactors& products : every_product()) {
    if (!draw.next()) continue;
    for (const std::vector<float>& x : every_choice()) {
      const Tensor at = Tensor::from(x, {factors_each});
      SCOPED_TRACE(products.name + " of " + ::testing::PrintToString(x));
      const auto second = [&](const Tensors& v) {
        return sum(hessian(weighted(products), v[0]).reshape({factors_each * factors_each}) *
                   (arange(0, factors_each * factors_each) + 1));
      };
      const Array third = derivatives_of(products, x, 3);
      Array expected{DType::f32, {factors_each}, std::vector<double>(factors_each, 0.0)};
      for (size_t i = 0; i < third.values.size(); ++i)  // symmetric: any axis may be the last
        expected.values[i % factors_each] += third.values[i] * static_cast<double>(i / factors_each + 1);
      EXPECT_TRUE(matches(grad(second, {at})[0], expected, {0, 1e-4, 1e-4}));
    }
  }
}

/// A root whose square is zero, and what its derivative is there.
/// The other factors of a zero may overflow: its own derivative is infinite then, those of the others stay zero.
EG_TEST(Factors, beside_a_zero_overflow_alike_inside_of_a_derivative) {
  const Tensor x = Tensor::from(std::vector<float>{2, 0, 1e30F, 1e30F, 1}, {5});
  const std::vector<std::function<Tensor(const Tensor&)>> all{
      [](const Tensor& at) { return prod(at); },
      [](const Tensor& at) { return sum(cumprod(at, 0)); },
      [](const Tensor& at) { return sum(scatter_mul(ones({1}), 0, zeros({5}, DType::i32), at)); },
  };
  for (const auto& product : all) {
    const Function slope = [&](const Tensors& at) {
      return grad([&](const Tensors& inner) { return product(inner[0]); }, at);
    };
    const Tensor nested = vjp(slope, {x}, {zeros({5})}).first[0], plain = slope({x})[0];
    EXPECT_TRUE(matches(nested, download(plain)));
  }
}

struct Rooted {
  std::string name;
  std::function<Tensor(const Tensor& x)> of;
};

EG_TEST(Factors, leave_roots_of_zero_without_nan) {
  const Tensor one = ones({3}), nothing = zeros({3});
  const std::vector<Rooted> all{
      {"norm", [](const Tensor& x) { return norm(x); }},
      {"stddev", [](const Tensor& x) { return stddev(x); }},
      {"stddev, divided by n - 1", [](const Tensor& x) { return stddev(x, {}, false, 1); }},
      {"a standardized row", [](const Tensor& x) { return sum((x - mean(x)) / (stddev(x) + 1e-3F)); }},
      {"lp_pool of squares",
       [](const Tensor& x) {
         return sum(lp_pool(x.reshape({1, 1, 3}), 2, 3));
       }},
      {"lp_pool of cubes",
       [](const Tensor& x) {
         return sum(lp_pool(x.reshape({1, 1, 3}), 3, 3));
       }},
      {"cosine_similarity to itself", [](const Tensor& x) { return cosine_similarity(x, x); }},
  };
  for (const Rooted& each : all) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(allclose(grad([&](const Tensors& x) { return each.of(x[0]); }, {nothing})[0], nothing, 0, 1e-3));
  }
  for (const auto& to : {+[](const Tensor& x) { return cosine_similarity(x, ones({3})); },
                         +[](const Tensor& x) { return cosine_similarity(ones({3}), x); }}) {
    const Tensor slope = grad([&](const Tensors& x) { return to(x[0]); }, {nothing})[0];
    EXPECT_TRUE(allclose(slope, one * 1e8F / sqrt(sum(one)), 1e-5));
  }
}

}  // namespace
}  // namespace eglantine::test
