#include <cmath>
#include <functional>
#include <optional>

#include "eglantine/ops.hpp"
#include "grad/products.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_graphs.hpp"

/// Derivatives of random programs of all verbs: forwards against backwards, and against differences of their values.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, VerbPrograms);

constexpr uint64_t programs = 120;

/// A program of all verbs, of its leaves.
struct AllVerbs {
  RandomGraph graph;
  Function f;
};

AllVerbs program_of_all_verbs(uint64_t seed) {
  Random random(seed + 1000);
  const RandomGraph graph([&](int64_t low, int64_t high) { return random.integer(low, high); }, {DType::f32}, 5, seed);
  return {graph, [graph](const Tensors& x) {
            const Tensors values = graph.build(x);
            Tensors wanted;
            for (const size_t i : graph.wanted()) wanted.push_back(values[i]);
            return wanted;
          }};
}

/// The products of a program at its leaves; none where a verb has no derivative, or a number overflows.
std::optional<Products> products_of_finite(const AllVerbs& program, uint64_t seed) {
  try {
    const Products found = products_of(program.f, program.graph.leaves(), seed);
    if (std::isfinite(found.forward.size + found.backward.size)) return found;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no derivative"), std::string::npos) << error.what();
  }
  return std::nullopt;
}

EG_TEST(VerbPrograms, agree_forwards_and_backwards) {
  Draw drawn = draw_programs_one_of(programs);
  int compared = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    if (!drawn.next()) continue;
    const AllVerbs program = program_of_all_verbs(seed);
    SCOPED_TRACE(::testing::Message() << "program " << seed << "\n" << program.graph.text());
    const std::optional<Products> found = products_of_finite(program, seed);
    if (!found) continue;
    expect_agreement(*found);
    ++compared;
  }
  EXPECT_GE(compared, on_gl() ? 0 : static_cast<int>(programs) / 2);
}

/// Of each wanted value, weighted: its slope in direction u by the rules, and by differences of the values in f32. The
/// doubt is about what rounding and curvature make of these; of a value that is not smooth it is large.
struct Slope {
  Dot rule;
  double quotient, doubt;
};

/// Of a step in both directions: the central difference, how far the slopes of its sides are apart, and what rounding
/// makes of it.
struct StepQuotients {
  double central, sides, rounding;
};

StepQuotients step_quotients(const Dot& above, const Dot& here, const Dot& below, double h) {
  return {(above.value - below.value) / (2 * h), (above.value - 2 * here.value + below.value) / h,
          0x1p-24 * (above.size + below.size) / (2 * h)};
}

/// By how much the quotients over three steps differ, and by what the slopes on both sides do that does not shrink with
/// the step, as at a kink.
double doubt_of(const StepQuotients& coarse, const StepQuotients& middle, const StepQuotients& fine) {
  return std::max({std::abs(coarse.central - middle.central), std::abs(middle.central - fine.central),
                   std::abs(2 * fine.sides - middle.sides)}) +
         fine.rounding;
}

std::vector<Slope> slopes_of_values(const Function& f, const Tensors& x, uint64_t seed) {
  const std::vector<Array> u = arrays_like(x, seed);
  const auto [values, pushed] = jvp(f, x, uploaded(u));
  const std::vector<Array> v = arrays_like(values, seed + 100), slopes = downloaded(pushed);
  const auto values_at = [&](double t) {
    Tensors moved;
    for (size_t i = 0; i < x.size(); ++i) moved.push_back((x[i] + upload(u[i]) * t).eval());
    return downloaded(f(moved));
  };
  const std::vector<Array> here = downloaded(values);
  std::vector<std::vector<StepQuotients>> over(v.size());
  for (const double h : {0x1p-6, 0x1p-7, 0x1p-8}) {
    const std::vector<Array> above = values_at(h), below = values_at(-h);
    for (size_t i = 0; i < v.size(); ++i)
      over[i].push_back(
          step_quotients(dot_of({above[i]}, {v[i]}), dot_of({here[i]}, {v[i]}), dot_of({below[i]}, {v[i]}), h));
  }
  std::vector<Slope> found;
  for (size_t i = 0; i < v.size(); ++i)
    found.push_back({dot_of({slopes[i]}, {v[i]}), over[i][2].central, doubt_of(over[i][0], over[i][1], over[i][2])});
  return found;
}

bool is_smooth_value(const Slope& of) { return of.doubt <= 1e-2 * of.rule.size; }

bool agrees(const Slope& of) {
  return std::abs(of.rule.value - of.quotient) <= 2 * of.doubt + 1e-3 * std::max(1.0, of.rule.size);
}

/// How many wanted values of programs follow from their leaves, have a slope there, and have the one of the rules.
struct Counts {
  int all = 0, smooth = 0, right = 0;
};

Counts compare_values(const AllVerbs& program, const Function& f, uint64_t seed) {
  Counts counts;
  for (const Slope& of : slopes_of_values(f, program.graph.leaves(), seed)) {
    if (of.rule.size == 0 && of.quotient == 0) continue;
    const bool smooth = is_smooth_value(of);
    counts.all += 1;
    counts.smooth += smooth ? 1 : 0;
    counts.right += smooth && agrees(of) ? 1 : 0;
  }
  return counts;
}

/// The sums of all programs, f of each as `changed` makes it.
template <class Changed>
Counts compare_programs(Changed changed, const std::function<void(const AllVerbs&, const Counts&)>& each) {
  Draw drawn = draw_programs_one_of(programs);
  Counts total;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    if (!drawn.next()) continue;
    const AllVerbs program = program_of_all_verbs(seed);
    SCOPED_TRACE(::testing::Message() << "program " << seed);
    if (!products_of_finite(program, seed)) continue;
    const Counts counts = compare_values(program, changed(program.f), seed);
    each(program, counts);
    total = {total.all + counts.all, total.smooth + counts.smooth, total.right + counts.right};
  }
  return total;
}

EG_TEST(VerbPrograms, have_the_slopes_of_their_values) {
  const auto expect_right = [](const AllVerbs& program, const Counts& counts) {
    EXPECT_EQ(counts.right, counts.smooth) << program.graph.text();
  };
  const Counts counts = compare_programs([](const Function& f) { return f; }, expect_right);
  EXPECT_GE(counts.smooth, on_gl() ? 0 : counts.all * 3 / 4);
}

/// The derivative by each leaf is off by a twentieth.
EG_TEST(VerbPrograms, with_a_wrong_rule_are_found) {
  const Function wrong = custom_vjp([](const Tensors& x) { return x; },
                                    [](const Tensors&, const Tensors&, const Tensors& g) {
                                      Tensors scaled;
                                      for (const Tensor& each : g) scaled.push_back(each * 1.05F);
                                      return scaled;
                                    });
  const auto with_wrong = [&](const Function& f) { return [&, f](const Tensors& x) { return f(wrong(x)); }; };
  const Counts counts = compare_programs(with_wrong, [](const AllVerbs&, const Counts&) {});
  EXPECT_LE(counts.right, on_gl() ? counts.smooth : counts.smooth / 4) << "of " << counts.smooth;
}

}  // namespace
}  // namespace eglantine::test
