#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"

/// What users write of rows by themselves is one kernel, as the verbs are; and what is no row is not.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowChains);
EG_ON_EACH_DEVICE(Graph, RowChainKernels);
EG_ON_EACH_DEVICE(Windows, WindowedRowChains);

constexpr Tolerance close{0, 1e-5, 1e-5};

/// Axes of length 1 where x is reduced.
Tensor softmax_by_hand(const Tensor& x, int axis) {
  const Tensor e = exp(x - max(x, axis, true));
  return e / sum(e, axis, true);
}
Tensor standard_by_hand(const Tensor& x, int axis) {
  return (x - mean(x, axis, true)) / sqrt(mean(square(x - mean(x, axis, true)), axis, true) + 1e-5F);
}
/// The gradient of softmax: y (g - sum(g y)).
Tensor softmax_gradient(const Tensor& y, const Tensor& g, int axis) { return y * (g - sum(g * y, axis, true)); }
/// The gradient of a layer norm with respect to its input, from the input alone.
Tensor norm_gradient(const Tensor& x, const Tensor& g, int axis) {
  const Tensor centered = x - mean(x, axis, true), scale = rsqrt(mean(square(centered), axis, true) + 1e-5F),
               y = centered * scale;
  return (g - mean(g, axis, true) - y * mean(g * y, axis, true)) * scale;
}

using Row = std::vector<double>;

/// row: the results of a row, or the only one.
struct Formula {
  const char* name;
  Tensor (*of)(const Tensor& x, const Tensor& t, int axis);
  Row (*row)(const Row& x, const Row& t);
  bool reduces = false;
  size_t shortest = 0;  ///< of shorter rows too many digits cancel
  int kernels = 1;      ///< two of a sum that is read: its own order needs its own kernel
  bool beside = false;  ///< reductions of the same elements, none of another: the CPU takes less for each by itself
};

double sum_of(const Row& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double mean_of(const Row& x) { return sum_of(x) / static_cast<double>(x.size()); }
template <class F>
Row each(const Row& x, const Row& t, F f) {
  Row y;
  for (size_t i = 0; i < x.size(); ++i) y.push_back(f(x[i], t[i]));
  return y;
}
Row times(const Row& a, const Row& b) {
  return each(a, b, [](double v, double w) { return v * w; });
}
double variance_of(const Row& x) { return mean_of(times(x, x)) - mean_of(x) * mean_of(x); }
Row standard_of(const Row& x, double eps = 1e-5) {
  const double mean = mean_of(x), root = std::sqrt(variance_of(x) + eps);
  return each(x, x, [&](double v, double) { return (v - mean) / root; });
}
Row softmax_of(const Row& x) {
  const Row e = each(x, x, [](double v, double) { return std::exp(v); });
  const double sum = sum_of(e);
  return each(e, e, [&](double v, double) { return v / sum; });
}

Row loss_of(const Row& x, const Row& t) {
  return {-sum_of(each(softmax_of(x), t, [](double v, double w) { return std::log(v) * w; }))};
}

const std::vector<Formula> formulas{
    {"softmax", [](const Tensor& x, const Tensor&, int axis) { return softmax_by_hand(x, axis); },
     [](const Row& x, const Row&) { return softmax_of(x); }},
    {"softmax of products", [](const Tensor& x, const Tensor& t, int axis) { return softmax_by_hand(x * t, axis) * t; },
     [](const Row& x, const Row& t) { return times(softmax_of(times(x, t)), t); }},
    {"standard", [](const Tensor& x, const Tensor&, int axis) { return standard_by_hand(x, axis); },
     [](const Row& x, const Row&) { return standard_of(x); }},
    {"by stddev",
     [](const Tensor& x, const Tensor& t, int axis) { return (x - mean(x, axis, true)) / stddev(x, axis, true) * t; },
     [](const Row& x, const Row& t) { return times(standard_of(x, 0), t); }},
    {"gradient of softmax", softmax_gradient,
     [](const Row& x, const Row& t) {
       const double sum = sum_of(times(x, t));
       return each(x, t, [&](double v, double g) { return v * (g - sum); });
     }},
    {"gradient of log_softmax",
     [](const Tensor& x, const Tensor& g, int axis) { return g - exp(x) * sum(g, axis, true); },
     [](const Row& x, const Row& t) {
       const double sum = sum_of(t);
       return each(x, t, [&](double v, double g) { return g - std::exp(v) * sum; });
     }},
    {"gradient of a norm", norm_gradient,
     [](const Row& x, const Row& t) {
       const Row y = standard_of(x);
       const double mean = mean_of(t), product = mean_of(times(t, y)), root = std::sqrt(variance_of(x) + 1e-5);
       return each(y, t, [&](double v, double g) { return (g - mean - v * product) / root; });
     },
     false, 5},
    {"between the least and the largest",
     [](const Tensor& x, const Tensor&, int axis) {
       return (x - min(x, axis, true)) / (max(x, axis, true) - min(x, axis, true));
     },
     [](const Row& x, const Row&) {
       const auto [low, high] = std::minmax_element(x.begin(), x.end());
       return each(x, x, [&](double v, double) { return (v - *low) / (*high - *low); });
     }},
    {"softmax beside the spread",
     [](const Tensor& x, const Tensor& t, int axis) {
       return softmax_by_hand(x, axis) * (max(x, axis, true) - min(x, axis, true)) * t;
     },
     [](const Row& x, const Row& t) {
       const auto [low, high] = std::minmax_element(x.begin(), x.end());
       return each(softmax_of(x), t, [&, spread = *high - *low](double v, double w) { return v * spread * w; });
     }},
    {"loss", [](const Tensor& x, const Tensor& t, int axis) { return -sum(log_softmax(x, axis) * t, axis); }, loss_of,
     true},
    {"deviation",
     [](const Tensor& x, const Tensor&, int axis) { return sqrt(mean(square(x - mean(x, axis, true)), axis)); },
     [](const Row& x, const Row&) { return Row{std::sqrt(variance_of(x))}; }, true},
    {"largest share", [](const Tensor& x, const Tensor&, int axis) { return max(softmax_by_hand(x, axis), axis); },
     [](const Row& x, const Row&) {
       const Row y = softmax_of(x);
       return Row{*std::max_element(y.begin(), y.end())};
     },
     true},
    {"loss in other words",
     [](const Tensor& x, const Tensor& t, int axis) { return logsumexp(x, {axis}) * sum(t, axis) - sum(x * t, axis); },
     loss_of, true},
    {"loss of a sum", [](const Tensor& x, const Tensor& t, int axis) { return sum(-log_softmax(x, axis) * t, axis); },
     loss_of, true, 0, 2},
    {"divergence",
     [](const Tensor& x, const Tensor& t, int axis) { return sum(t * (log(t) - log_softmax(x, axis)), axis); },
     [](const Row& x, const Row& t) {
       return Row{loss_of(x, t)[0] + sum_of(each(x, t, [](double, double w) { return w * std::log(w); }))};
     },
     true, 0, 2},
    {"sum of shares", [](const Tensor& x, const Tensor& t, int axis) { return sum(softmax(x, axis) * t, axis); },
     [](const Row& x, const Row& t) { return Row{sum_of(times(softmax_of(x), t))}; }, true, 0, 2},
    {"sum of shares by hand",
     [](const Tensor& x, const Tensor& t, int axis) { return sum(softmax_by_hand(x, axis) * t, axis); },
     [](const Row& x, const Row& t) { return Row{sum_of(times(softmax_of(x), t))}; }, true, 0, 2},
    {"sum of logarithms by hand",
     [](const Tensor& x, const Tensor& t, int axis) {
       const Tensor d = x - max(x, axis, true);
       return sum((log(sum(exp(d), axis, true)) - d) * t, axis);
     },
     loss_of, true, 0, 2},
    {"sum of squares",
     [](const Tensor& x, const Tensor&, int axis) { return sum(square(x - mean(x, axis, true)), axis); },
     [](const Row& x, const Row&) { return Row{variance_of(x) * static_cast<double>(x.size())}; }, true, 0, 2},
    {"mean square less the mean's",
     [](const Tensor& x, const Tensor&, int axis) { return mean(x * x, axis) - square(mean(x, axis)); },
     [](const Row& x, const Row&) { return Row{variance_of(x)}; }, true, 0, 1, true},
    {"variance and mean", [](const Tensor& x, const Tensor&, int axis) { return var(x, {axis}) + mean(x, axis); },
     [](const Row& x, const Row&) { return Row{variance_of(x) + mean_of(x)}; }, true},
    {"projection",
     [](const Tensor& x, const Tensor& t, int axis) {
       const Tensor norm = sqrt(sum(x * x, axis));
       return sum(x * t, axis) / (norm * norm);
     },
     [](const Row& x, const Row& t) { return Row{sum_of(times(x, t)) / sum_of(times(x, x))}; }, true, 0, 1, true},
    {"cosine",
     [](const Tensor& x, const Tensor& t, int axis) {
       return sum(x * t, axis) / (sqrt(sum(x * x, axis)) * sqrt(sum(t * t, axis)));
     },
     [](const Row& x, const Row& t) {
       return Row{sum_of(times(x, t)) / std::sqrt(sum_of(times(x, x)) * sum_of(times(t, t)))};
     },
     true, 0, 1, true},
};

Array expected(const Formula& formula, const Array& x, const Array& t, int axis) {
  const auto along = static_cast<size_t>(axis);
  Dims shape = x.shape;
  shape[along] = formula.reduces ? 1 : shape[along];
  std::map<Dims, Row> rows;  // by the place of their first element
  Dims firsts = x.shape;
  firsts[along] = 1;
  for_each_index(firsts, [&](const Dims& first) {
    Dims place = first;
    Row row, other;
    for (; place[along] < x.shape[along]; ++place[along]) {
      row.push_back(x.at(place));
      other.push_back(t.at(place));
    }
    rows[first] = formula.row(row, other);
  });
  Array result = generate(DType::f32, shape, [&](const Dims& at) {
    Dims first = at;
    first[along] = 0;
    return rows.at(first)[static_cast<size_t>(at[along])];
  });
  if (formula.reduces) result.shape.erase(result.shape.begin() + axis);
  return result;
}

/// What the device plans of y, whose formula this is.
void expect_few_kernels(const Formula& formula, const Tensor& y) {
  if (formula.beside && y.device().info().kind == "cpu") return;
  EXPECT_EQ(kernels_of(y), formula.kernels) << formula.name << ": " << explain(y);
}

void expect_formulas(const Dims& shape, int axis, bool few_kernels) {
  const Array x = random_reals(shape, -2, 2, 1), t = random_reals(shape, 0.1, 1, 2);
  const Tensor on_device = upload(x), other = upload(t);
  Draw draw = draw_programs_one_of(3);
  for (const Formula& formula : formulas) {
    if (!draw.next()) continue;
    if (static_cast<size_t>(shape[static_cast<size_t>(axis)]) < formula.shortest) continue;
    SCOPED_TRACE(std::string(formula.name) + " of " + text(shape) + " over axis " + std::to_string(axis));
    const Tensor y = formula.of(on_device, other, axis);
    if (few_kernels) expect_few_kernels(formula, y);
    EXPECT_TRUE(matches(y, expected(formula, x, t, axis), close));
  }
}

EG_TEST(RowChains, by_hand_of_every_size) {
  Draw draw = draw_programs_one_of(4);
  for (int64_t length : {2, 3, 5, 13, 127, 128, 1025, 4097})
    if (draw.next()) expect_formulas({length < 200 ? 13 : 3, length}, 1, false);
}

EG_TEST(RowChains, by_hand_of_columns) {
  Draw draw = draw_programs_one_of(2);
  for (const Dims& shape : {Dims{5, 130}, Dims{127, 9}, Dims{1025, 6}})
    if (draw.next()) expect_formulas(shape, 0, false);
  expect_formulas({3, 13, 4}, 1, false);
}

EG_TEST(RowChainKernels, each_is_one) {
  expect_formulas({13, 127}, 1, true);
  expect_formulas({37, 40}, 0, true);
}

EG_TEST(RowChains, of_views) {
  const Array x = random_reals({9, 37}, -2, 2, 1), t = random_reals({37}, 0.1, 1, 2);
  const Tensor turned = upload(naive::transpose(x, 0, 1)).transpose(0, 1).flip({1});
  const Array seen = naive::flip(x, {1});
  for (const Formula& formula : formulas) {
    const Array all = generate(DType::f32, x.shape, [&](const Dims& at) { return t.at({at[1]}); });
    const Tensor y = formula.of(turned, upload(t).expand({9, 37}), 1);
    expect_few_kernels(formula, y);
    EXPECT_TRUE(matches(y, expected(formula, seen, all, 1), close)) << formula.name;
  }
}

EG_TEST(RowChains, of_narrow_rows_and_into_them) {
  const Tensor x = uniform({7, 45}, 3).astype(DType::f16);
  const Tensor wide = x.astype(DType::f32).eval();
  EXPECT_TRUE(same_bits(softmax(x, 1), softmax(wide, 1).astype(DType::f16)));
  EXPECT_EQ(kernels_of(layer_norm(x, 1)), 1);
}

EG_TEST(RowChains, a_nan_shows_wherever_its_row_is_used) {
  Array x = random_reals({4, 130}, -2, 2);
  x.values[140] = std::numeric_limits<double>::quiet_NaN();
  const Tensor given = upload(x);
  for (const Tensor& y : {given - max(given, 1, true), softmax_by_hand(given, 1), given / min(given, 1, true)}) {
    const Array got = download(y);
    for (int64_t i = 0; i < 4 * 130; ++i) EXPECT_EQ(std::isnan(got.values[static_cast<size_t>(i)]), i / 130 == 1) << i;
  }
}

EG_TEST(RowChains, values_of_rows_are_results_too) {
  const Array x = random_reals({13, 127}, -2, 2);
  const Tensor given = upload(x), middle = mean(given, 1, true), y = (given - middle) * 2.0F;
  const int64_t before = statistics(device()).kernels;
  eval({y, middle});
  EXPECT_EQ(statistics(device()).kernels - before, 1);
  EXPECT_TRUE(
      matches(middle, naive::map(naive::sum(x, {1}, true), DType::f32, [](double v) { return v / 127; }), close));
}

EG_TEST(RowChains, have_the_same_bits_after_others_that_fused_them) {
  const Tensor x = uniform({13, 1000}, 5).eval();
  for (const auto& of : {softmax_by_hand, standard_by_hand}) {
    const Tensor y = of(x * 3.0F, 1), alone = of(x * 3.0F, 1), moved = roll(y, Axes{1}, Axes{0}).eval();
    EXPECT_TRUE(same_bits(y, alone));
    EXPECT_TRUE(same_bits(roll(moved, Axes{-1}, Axes{0}), alone));
  }
}

/// A softmax whose shares a sum has computed already, in its own kernel.
EG_TEST(RowChains, have_the_same_bits_after_their_sums) {
  const Tensor x = uniform({13, 1000}, 5).eval(), t = uniform({13, 1000}, 6).eval();
  const std::vector<Tensor (*)(const Tensor&, int)> verbs{softmax, log_softmax, softmax_by_hand, standard_by_hand};
  for (const auto& of : verbs) {
    const Tensor y = of(x, 1), alone = of(x, 1);
    sum(y * t, 1).eval();
    EXPECT_TRUE(same_bits(y, alone));
  }
}

EG_TEST(RowChainKernels, each_reader_folds_rows_that_it_has_at_hand) {
  const Tensor x = uniform({64, 300}, 5).eval(), middle = mean(x, 1, true);
  EXPECT_EQ(kernels_of({x - middle, max(abs(x - middle), 1)}), 2);
}

/// What lies between the last fold and a result of each row is nobody else's.
EG_TEST(RowChainKernels, store_their_results_alone) {
  const Tensor x = uniform({300, 5}, 5).eval(), rows = uniform({13, 1000}, 6).eval();
  for (const Tensor& y : {stddev(x, 0), stddev(rows, 1), logsumexp(rows, {1}) * 2.0F})
    EXPECT_EQ(explain(y).find("(stored)"), std::string::npos) << explain(y);
}

EG_TEST(RowChains, other_axes_and_other_rows_are_no_chain) {
  const Array x = random_reals({12, 12}, -2, 2);
  const Tensor given = upload(x), of_columns = max(given, 1);  // broadcast along the rows
  const Array largest = naive::max(x, {1});
  EXPECT_TRUE(matches(given - of_columns,
                      generate(DType::f32, {12, 12}, [&](const Dims& at) { return x.at(at) - largest.at({at[1]}); }),
                      close));
  const Tensor both = given - mean(given, 0, true) - mean(given, 1, true);
  const Array columns = naive::sum(x, {0}), rows = naive::sum(x, {1});
  EXPECT_TRUE(
      matches(both,
              generate(DType::f32, {12, 12},
                       [&](const Dims& at) { return x.at(at) - columns.at({at[1]}) / 12 - rows.at({at[0]}) / 12; }),
              close));
}

/// On the CPU long rows whose elements lie apart, where they are read or in the results, are no kernel of rows: such
/// kernels would use each line of the cache for one element.
EG_TEST(RowChains, of_the_cpu_are_along_memory) {
  if (device().info().kind != "cpu") return;
  const auto standardised = [](const Tensor& x, int axis) {
    const Tensor centered = x - mean(x, axis, true);
    return centered * rsqrt(mean(square(centered), axis, true) + 1e-5F);
  };
  const auto is_row = [](const Tensor& x) { return explain(x).find("row f32") != std::string::npos; };
  const Tensor x = upload(random_reals({12, 1100}, -2, 2)).eval(), y = upload(random_reals({1100, 12}, -2, 2)).eval();
  EXPECT_TRUE(is_row(standardised(x, 1)));
  EXPECT_FALSE(is_row(standardised(x.transpose(0, 1), 0)));
  EXPECT_FALSE(is_row(standardised(y, 0)));
  EXPECT_FALSE(is_row(standardised(y.transpose(0, 1), 1)));
}

/// Values of columns alone are computed in the order in which columns lie, whatever that of the results.
EG_TEST(RowChains, columns_in_another_order_are_read_as_they_lie) {
  const Array memory = random_reals({5, 9, 3, 2, 40}, -2, 2);
  const Tensor x = upload(memory).eval().transpose(3, 4), lying = upload(naive::transpose(memory, 3, 4)).eval();
  const auto of = [](const Tensor& t) {
    const auto [middle, squares] = moments(t, {1});
    return std::vector<Tensor>{var(t, {1}), logsumexp(t, {1}), sum(abs(t - max(t, 1, true)), 1), middle, squares};
  };
  const std::vector<Tensor> turned = of(x), plain = of(lying);
  for (size_t i = 0; i < turned.size(); ++i) EXPECT_TRUE(matches(turned[i], download(plain[i]), close)) << i;
  const std::string text = explain(var(x, {1}));
  EXPECT_NE(text.find("(9,) for each of (5, 3, 2, 40)"), std::string::npos) << text;
  const Tensor twice = x * 2.0F, pending = x * 2.0F;
  twice.eval();
  EXPECT_TRUE(same_bits(var(twice, {1}), var(pending, {1})));
  const Tensor narrow = upload(random_reals({5, 9, 40, 2}, -2, 2)).eval().transpose(2, 3);
  EXPECT_TRUE(matches(var(narrow.flip(2), {1}), download(var((narrow.flip(2) * 1.0F).eval(), {1})), close));
}

/// A step that several read, of rows whose result another reduction reads.
EG_TEST(RowChains, a_mean_of_rows_of_three_reductions_reads_their_result) {
  for (const Shape& shape : {Shape{300, 37}, Shape{5, 3, 127}}) {
    const int last = shape.rank() - 1;
    const Tensor x = uniform(shape, 1).eval(), chosen = (uniform(shape, 2) < 0.1F).eval();
    const auto losses = [&] {
      const Tensor own = sum(where(chosen, x, -0.0F), last, true), from = where(isfinite(own), own, 0.0F);
      return logsumexp(x - from, {last}, true) - (own - from);
    };
    EXPECT_EQ(kernels_of(losses()), 1);
    EXPECT_EQ(kernels_of(mean(losses())), 2) << explain(mean(losses()));
    EXPECT_TRUE(matches(mean(losses()), download(mean(losses().eval())), {1e-6, 1e-5, 0}));
  }
}

EG_TEST(RowChains, what_reads_them_otherwise_reads_their_result) {
  const Tensor x = upload(random_reals({13, 127}, -2, 2));
  EXPECT_EQ(kernels_of(concatenate({softmax(x, 1), softmax_by_hand(x * 2.0F, 1)}, 0)), 3);
  EXPECT_EQ(kernels_of(sum(softmax(x, 1), {0})), 2);
  EXPECT_EQ(kernels_of(cumsum(softmax(x, 1), 0)), 2);
  EXPECT_EQ(kernels_of(matmul(softmax(x, 1), ones({127, 40}))), 2);
}

EG_TEST(WindowedRowChains, by_hand) {
  expect_formulas({311, 257}, 1, false);
  expect_formulas({257, 130}, 0, false);
}

}  // namespace
}  // namespace eglantine::test
