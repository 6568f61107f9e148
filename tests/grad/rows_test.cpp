#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
#include "graph/op/op_info.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/op_rows.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// The derivative of every element-wise row, against difference quotients of its double-precision reference.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, RowDerivatives);

/// Rows of floats whose result is one, but those that have no derivative, and roundings, which are steps to a quotient.
bool has_derivative(const OpRow& row) {
  if (row.result != "same" || (row.types != "real" && row.types != "numeric")) return false;
  const std::set<std::string> without{"order_key", "normal_quantile", "round_f16", "round_bf16"};
  return without.count(row.name) == 0;
}

Tensor apply(Op op, const Tensors& x) {
  std::array<NodePtr, 3> args{};
  for (size_t i = 0; i < x.size(); ++i) args[i] = x[i].node();
  return pend(make_elementwise(op, DType::f32, args));
}

/// Arguments within the row's domain and of a size at which a difference quotient has digits.
std::vector<Array> arguments_of(const OpRow& row, int64_t count) {
  std::vector<Array> arguments;
  for (int i = 0; i < row.arity; ++i)
    arguments.push_back(
        random_reals({count}, std::max(row.low, -3.0), std::min(row.high, 3.0), static_cast<uint64_t>(i) + 7));
  return arguments;
}

/// By argument `which` of the case `at`; NaN where the row has a kink there, or changes too quickly.
double quotient_at(const OpRow& row, const std::vector<Array>& x, int which, size_t at) {
  const auto slope = [&](double h) {
    std::vector<double> low, high;
    for (const Array& argument : x) low.push_back(argument.values[at]);
    high = low;
    low[static_cast<size_t>(which)] -= h;
    high[static_cast<size_t>(which)] += h;
    return (reference_of(row, DType::f32, high) - reference_of(row, DType::f32, low)) / (2 * h);
  };
  const double fine = slope(1e-5), coarse = slope(1e-4);
  return std::abs(fine - coarse) <= 1e-4 * std::max(1.0, std::abs(fine)) ? fine : std::nan("");
}

void check_row(const OpRow& row, Op op) {
  constexpr int64_t count = 400;
  const std::vector<Array> x = arguments_of(row, count);
  Tensors tensors;
  for (const Array& each : x) tensors.push_back(upload(each));
  const Tensors found = vjp([&](const Tensors& at) { return Tensors{apply(op, at)}; }, tensors, {ones({count})}).second;
  for (int which = 0; which < row.arity; ++which) {
    const std::vector<float> given = found[static_cast<size_t>(which)].to_vector<float>();
    int compared = 0;
    for (size_t at = 0; at < given.size(); ++at) {
      const double wanted = quotient_at(row, x, which, at);
      if (!std::isfinite(wanted)) continue;
      ++compared;
      EXPECT_NEAR(given[at], wanted, 5e-4 * std::max(1.0, std::abs(wanted)))
          << row.name << " by argument " << which << " at " << x[0].values[at]
          << (row.arity > 1 ? ", " + std::to_string(x[1].values[at]) : "");
    }
    EXPECT_GT(compared, count / 4) << row.name;
  }
}

/// By arguments `first` and `second`, which may be the same, as quotient_at.
double curvature_at(const OpRow& row, const std::vector<Array>& x, size_t first, size_t second, size_t at) {
  const auto value = [&](double by_first, double by_second) {
    std::vector<double> moved;
    for (const Array& argument : x) moved.push_back(argument.values[at]);
    moved[first] += by_first;
    moved[second] += by_second;
    return reference_of(row, DType::f32, moved);
  };
  const auto curvature = [&](double h) {
    if (first == second) return (value(h, 0) - 2 * value(0, 0) + value(-h, 0)) / (h * h);
    return (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4 * h * h);
  };
  const double fine = curvature(3e-4), coarse = curvature(1e-3);
  return std::abs(fine - coarse) <= 1e-4 * std::max(1.0, std::abs(fine)) ? fine : std::nan("");
}

void compare_curvatures(const OpRow& row, const std::vector<Array>& x, size_t first, size_t second,
                        const std::vector<float>& given) {
  size_t compared = 0;
  for (size_t at = 0; at < given.size(); ++at) {
    const double wanted = curvature_at(row, x, first, second, at);
    if (!std::isfinite(wanted)) continue;
    ++compared;
    EXPECT_NEAR(given[at], wanted, 2e-3 * std::max(1.0, std::abs(wanted)))
        << row.name << " by arguments " << first << " and " << second << " at " << x[0].values[at]
        << (row.arity > 1 ? ", " + std::to_string(x[1].values[at]) : "");
  }
  EXPECT_GT(compared, given.size() / 8) << row.name << " by arguments " << first << " and " << second;
}

/// The slope by each argument, by each argument again.
void check_row_twice(const OpRow& row, Op op) {
  constexpr int64_t count = 200;
  const std::vector<Array> x = arguments_of(row, count);
  Tensors tensors;
  for (const Array& each : x) tensors.push_back(upload(each));
  for (size_t first = 0; first < x.size(); ++first) {
    const auto slope = [&](const Tensors& at) {
      return vjp([&](const Tensors& y) { return Tensors{apply(op, y)}; }, at, {ones({count})}).second[first];
    };
    const Tensors found = grad([&](const Tensors& at) { return sum(slope(at)); }, tensors);
    for (size_t second = 0; second < x.size(); ++second)
      compare_curvatures(row, x, first, second, found[second].to_vector<float>());
  }
}

EG_TEST(RowDerivatives, have_slopes_themselves) {
  Draw draw = draw_programs_one_of(8);
  const std::vector<OpRow>& rows = elementwise_rows();
  for (size_t i = 0; i < rows.size(); ++i)
    if (has_derivative(rows[i]) && draw.next()) check_row_twice(rows[i], static_cast<Op>(i));
}

EG_TEST(RowDerivatives, are_the_slopes) {
  const std::vector<OpRow>& rows = elementwise_rows();
  int checked = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!has_derivative(rows[i])) continue;
    check_row(rows[i], static_cast<Op>(i));
    ++checked;
  }
  EXPECT_GT(checked, 70);
}

/// Of the series, shifted further than the library's: the sum of 1 / (x + k)^2 over all k.
double trigamma_of(double x) {
  if (x < 0.5)
    return std::pow(std::numbers::pi / std::sin(std::numbers::pi * (x - std::round(x))), 2) - trigamma_of(1 - x);
  double sum = 0;
  for (; x < 30; x += 1) sum += 1 / (x * x);
  const double v = 1 / (x * x);
  return sum + 1 / x + v / 2 + v / x * (1.0 / 6 - v * (1.0 / 30 - v / 42));
}

/// Within 2e-6 relative; below 1/2, where it is a difference, to its larger term.
EG_TEST(RowDerivatives, of_digamma_is_trigamma) {
  std::vector<float> x;
  for (float at = -40.03F; at < 40; at += 0.07F) x.push_back(at);
  for (float at = 1e-15F; at < 1e15F; at *= 3) x.push_back(at);
  const auto count = static_cast<int64_t>(x.size());
  const Tensor at = Tensor::from(x, {count});
  const auto slope = [](const Tensors& y) { return grad([](const Tensors& z) { return sum(digamma(z[0])); }, y); };
  const std::vector<float> found = slope({at})[0].to_vector<float>(),
                           curves = grad([&](const Tensors&y) { return sum(slope(y)[0]); }, {at})[0].to_vector<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    const double z = x[i], wanted = trigamma_of(z), size = z < 0.5 ? wanted + trigamma_of(1 - z) : wanted;
    EXPECT_NEAR(found[i], wanted, 2e-6 * size) << "at " << z;
    if (std::abs(z) < 1e-3 || z < -3) continue;
    const double h = 1e-6 * std::abs(z), curve = (trigamma_of(z + h) - trigamma_of(z - h)) / (2 * h);
    EXPECT_NEAR(curves[i], curve, 1e-4 * std::max(std::abs(curve), 1e-30)) << "at " << z;
  }
  const Tensor ends = Tensor::from({0.0F, -1.0F, -7.0F, INFINITY, NAN}, {5});
  const std::vector<float> at_ends = slope({ends})[0].to_vector<float>();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(at_ends[i], INFINITY);
  EXPECT_EQ(at_ends[3], 0);
  EXPECT_TRUE(std::isnan(at_ends[4]));
}

/// Also forwards, where the derivative by the cotangent is what is asked for.
EG_TEST(RowDerivatives, are_zero_where_a_factor_is) {
  const Tensor zero = zeros({1}), one = ones({1});
  const auto expect_zero = [&](auto verb, const Tensor& x, const Tensor& y, size_t by) {
    const Function f = [&](const Tensors& at) { return Tensors{by == 0 ? verb(at[0], y) : verb(x, at[0])}; };
    const Tensors at{by == 0 ? x : y};
    EXPECT_EQ(vjp(f, at, {one}).second[0].to_vector<float>(), std::vector<float>{0});
    EXPECT_EQ(jvp(f, at, {one}).second[0].to_vector<float>(), std::vector<float>{0});
  };
  const auto power = [](const Tensor& x, const Tensor& y) { return pow(x, y); };
  const auto distance = [](const Tensor& x, const Tensor& y) { return hypot(x, y); };
  const auto entropy = [](const Tensor& x, const Tensor& y) { return xlogy(x, y); };
  expect_zero(power, zero, zero, 0);
  expect_zero(power, zero, one, 1);
  expect_zero(power, zero, -one, 1);
  for (const size_t by : {size_t{0}, size_t{1}}) {
    expect_zero(distance, zero, zero, by);
    expect_zero(entropy, zero, zero, by);
  }
  expect_zero(entropy, zero, -one, 0);
}

EG_TEST(RowDerivatives, of_norms_are_zero_where_the_norm_is) {
  const Tensor x = Tensor::from({0.0F, 0.0F, 3.0F, 4.0F}, {2, 2});
  for (const double ord : {2.0, 3.0}) {
    const Function length = [=](const Tensors& at) { return Tensors{norm(at[0], 1, false, ord)}; };
    const std::vector<float> slopes = vjp(length, {x}, {ones({2})}).second[0].to_vector<float>();
    EXPECT_EQ((std::vector<float>{slopes[0], slopes[1]}), (std::vector<float>{0, 0}));
    EXPECT_NEAR(slopes[2], ord == 2 ? 0.6 : std::pow(91, -2.0 / 3) * 9, 1e-5);
    EXPECT_EQ(jvp(length, {x}, {ones({2, 2})}).second[0].to_vector<float>()[0], 0);
  }
}

/// A new row of floats wants a derivative, or `none`.
TEST(RowDerivativeTable, names_every_row_of_floats) {
  for (size_t i = 0; i < elementwise_rows().size(); ++i) {
    const OpRow& row = elementwise_rows()[i];
    if (row.result != "same" || (row.types != "real" && row.types != "numeric")) continue;
    EXPECT_NO_THROW(derivatives::partials_of("grad", static_cast<Op>(i))) << row.name;
  }
}

EG_TEST(RowDerivatives, share_ties_and_send_nothing_to_what_where_leaves) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F}, {3}), y = full({3}, 2.0F);
  const auto by_both = [&](auto f) { return grad([&](const Tensors& at) { return sum(f(at[0], at[1])); }, {x, y}); };
  const auto is = [](const Tensor& found, const std::vector<float>& wanted) {
    EXPECT_EQ(found.to_vector<float>(), wanted);
  };
  is(by_both([](const Tensor& a, const Tensor& b) { return maximum(a, b); })[0], {0, 0.5F, 1});
  is(by_both([](const Tensor& a, const Tensor& b) { return maximum(a, b); })[1], {1, 0.5F, 0});
  const Tensor zero = zeros({3});
  const auto safe = [](const Tensors& at) { return sum(where(at[0] > 0, at[0], 0) + where(at[0] > 0, log(at[0]), 0)); };
  EXPECT_EQ(grad([](const Tensors& at) { return sum(relu(at[0]) + abs(at[0]) + sign(at[0])); }, {zero})[0]
                .to_vector<float>()[0],
            0);
  EXPECT_TRUE(std::isnan(grad(safe, {zero})[0].to_vector<float>()[0]));  // 0 / 0, log's own
  EXPECT_EQ(grad([](const Tensors& at) { return sum(clip(at[0], 0, 1)); }, {zero})[0].to_vector<float>()[1], 1);
}

}  // namespace
}  // namespace eglantine::test
