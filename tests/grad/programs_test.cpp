#include "eglantine/ops.hpp"
#include "grad/products.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_programs.hpp"

/// Derivatives of random programs of floats: forwards against backwards, and against central differences of their
/// references in double.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Programs);

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

}  // namespace
}  // namespace eglantine::test
