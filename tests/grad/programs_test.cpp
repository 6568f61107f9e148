#include <cmath>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/random/random_graphs.hpp"
#include "support/random/random_programs.hpp"

/// Derivatives of random programs: forwards against backwards, and against central differences of their references in
/// double.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Programs);

/// The sum of products, and of their sizes, to which rounding is in proportion.
struct Dot {
  double value = 0, size = 0;
};

Dot dot_of(const std::vector<Array>& a, const std::vector<Array>& b) {
  Dot dot;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].values.size(); ++k) {
      dot.value += a[i].values[k] * b[i].values[k];
      dot.size += std::abs(a[i].values[k] * b[i].values[k]);
    }
  return dot;
}

std::vector<Array> arrays_like(const Tensors& x, uint64_t seed) {
  std::vector<Array> drawn;
  for (const Tensor& each : x) drawn.push_back(random_reals(dims(each.shape()), -1, 1, seed++));
  return drawn;
}

Tensors uploaded(const std::vector<Array>& x) {
  Tensors tensors;
  for (const Array& each : x) tensors.push_back(upload(each));
  return tensors;
}

std::vector<Array> downloaded(const Tensors& x) {
  std::vector<Array> arrays;
  for (const Tensor& each : x) arrays.push_back(download(each));
  return arrays;
}

/// <v, J u> and <J' v, u> of directions u and cotangents v.
struct Products {
  std::vector<Array> u, v;
  Dot forward, backward;
};

Products products_of(const Function& f, const Tensors& x, uint64_t seed) {
  Products found{arrays_like(x, seed), {}, {}, {}};
  const auto [results, pushed] = jvp(f, x, uploaded(found.u));
  found.v = arrays_like(results, seed + 100);
  found.forward = dot_of(downloaded(pushed), found.v);
  found.backward = dot_of(downloaded(vjp(f, x, uploaded(found.v)).second), found.u);
  return found;
}

void expect_agreement(const Products& found) {
  EXPECT_NEAR(found.forward.value, found.backward.value,
              1e-4 * std::max({1e-2, found.forward.size, found.backward.size}));
}

/// (S(h) - S(-h)) / (2 h), S(t) the weighted sum of the program's reference at its leaves + t u.
double quotient_of(const std::vector<Value>& leaves, const Products& of, uint64_t structure, uint64_t draw) {
  const auto weighted = [&](double t) {
    std::vector<Value> moved = leaves;
    for (size_t i = 0; i < moved.size(); ++i)
      for (size_t k = 0; k < moved[i].array.values.size(); ++k) moved[i].array.values[k] += t * of.u[i].values[k];
    return dot_of({float_program_of(moved, structure, draw).array}, of.v).value;
  };
  constexpr double h = 1e-6;
  return (weighted(h) - weighted(-h)) / (2 * h);
}

EG_TEST(Programs, of_floats_have_the_slopes_of_their_references) {
  Draw drawn = draw_programs_one_of(40);
  for (uint64_t structure = 0; structure < 40; ++structure) {
    if (!drawn.next()) continue;
    const uint64_t draw = 31 * structure + 5;
    SCOPED_TRACE(::testing::Message() << "structure " << structure << ", draw " << draw);
    const std::vector<Value> leaves = leaves_of_float_program(structure, draw);
    const Function f = [&](const Tensors& x) {
      std::vector<Value> given = leaves;
      for (size_t i = 0; i < x.size(); ++i) given[i].tensor = x[i];
      return Tensors{float_program_of(given, structure, draw).tensor};
    };
    Tensors x;
    for (const Value& leaf : leaves) x.push_back(leaf.tensor);
    const Products found = products_of(f, x, structure);
    expect_agreement(found);
    EXPECT_NEAR(found.backward.value, quotient_of(leaves, found, structure, draw),
                1e-4 * std::max(1e-3, found.backward.size));
  }
}

/// Programs of all verbs. Those with a verb that has no derivative are left out, as are those that overflow.
EG_TEST(Programs, of_all_verbs_agree_forwards_and_backwards) {
  Draw drawn = draw_programs_one_of(60);
  int compared = 0, without = 0;
  const uint64_t programs = 120;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    if (!drawn.next()) continue;
    Random random(seed + 1000);
    const RandomGraph graph([&](int64_t low, int64_t high) { return random.integer(low, high); }, {DType::f32}, 5,
                            seed);
    SCOPED_TRACE(::testing::Message() << "program " << seed << "\n" << graph.text());
    const Function f = [&](const Tensors& x) {
      const Tensors values = graph.build(x);
      Tensors wanted;
      for (const size_t i : graph.wanted()) wanted.push_back(values[i]);
      return wanted;
    };
    try {
      const Products found = products_of(f, graph.leaves(), seed);
      if (!std::isfinite(found.forward.size + found.backward.size)) continue;
      expect_agreement(found);
      ++compared;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("has no derivative"), std::string::npos) << error.what();
      ++without;
    }
  }
  const int wanted = on_gl() ? 0 : static_cast<int>(programs) / 2;
  EXPECT_GE(compared, wanted) << without << " have a verb without a derivative";
}

}  // namespace
}  // namespace eglantine::test
