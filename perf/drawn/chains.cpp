#include "perf/drawn/families.hpp"

/// Programs of several maps, which fuse.
namespace eglantine::perf::drawn {

namespace {

/// What a chain's operands look like beside its first.
enum class Beside { same, row, column };

struct Chain {
  const char* name;
  std::vector<Beside> operands;  ///< after the first
  int results;
  Verb of;
};

Tensors gelu_by_hand(const Tensors& t) {
  const Tensor x = t[0] + t[1];
  return {0.5F * x * (1.0F + tanh(0.7978846F * (x + 0.044715F * x * x * x)))};
}

Tensors adam(const Tensors& t) {
  const Tensor g = t[3], m = t[1] * 0.9F + g * 0.1F, v = abs(t[2]) * 0.999F + g * g * 0.001F;
  return {t[0] - 0.001F * m / (sqrt(v) + 1e-8F), m, v};
}

Tensors polynomial(const Tensors& t) {
  const Tensor& x = t[0];
  return {(((x * 0.1F + 0.2F) * x + 0.3F) * x + 0.4F) * x + 0.5F};
}

Tensors kernel_weight(const Tensors& t) { return {exp(-0.5F * square(t[0] - t[1]) / (0.1F + square(t[2])))}; }

Tensors rotation(const Tensors& t) {
  const Tensor c = cos(t[2]), s = sin(t[2]);
  return {t[0] * c - t[1] * s, t[0] * s + t[1] * c};
}

const std::vector<Chain>& chains() {
  static const std::vector<Chain> all{
      {"axpby", {Beside::same}, 1, [](const Tensors& t) { return Tensors{t[0] * 2.5F + t[1] * 0.5F}; }},
      {"polynomial", {}, 1, polynomial},
      {"bias_gelu", {Beside::row}, 1, gelu_by_hand},
      {"swish_gate", {Beside::same}, 1, [](const Tensors& t) { return Tensors{t[0] / (1.0F + exp(-t[0])) * t[1]}; }},
      {"adam", {Beside::same, Beside::same, Beside::same}, 3, adam},
      {"kernel_weight", {Beside::same, Beside::row}, 1, kernel_weight},
      {"rotation", {Beside::same, Beside::column}, 2, rotation},
      {"blend",
       {Beside::same, Beside::row},
       1,
       [](const Tensors& t) { return Tensors{where(gt(t[0], t[1]), t[0] * t[2], t[1] - t[2])}; }},
      {"affine", {Beside::row, Beside::row}, 1, [](const Tensors& t) { return Tensors{t[0] * t[1] + t[2]}; }},
      {"standardise",
       {Beside::column, Beside::column},
       1,
       [](const Tensors& t) { return Tensors{(t[0] - t[1]) / (abs(t[2]) + 0.5F)}; }},
      {"residual",
       {Beside::same, Beside::row},
       1,
       [](const Tensors& t) { return Tensors{t[0] + tanh(t[1] * 0.5F + t[2])}; }},
  };
  return all;
}

Shape beside(Beside which, const Shape& shape) {
  if (which == Beside::row) return {shape[shape.rank() - 1]};
  Shape other = shape;
  if (which == Beside::column) other[shape.rank() - 1] = 1;
  return other;
}

double tensors_of(const Chain& chain) {
  double count = 1 + chain.results;
  for (const Beside each : chain.operands) count += each == Beside::same ? 1 : 0;
  return count;
}

}  // namespace

void draw_chain(Sketch& s) {
  const Chain& chain = chains()[static_cast<size_t>(s.dice.below(static_cast<int64_t>(chains().size())))];
  const Shape shape = s.shape(s.room(4 * tensors_of(chain)), 1, 4);
  s.operand(shape);
  for (const Beside each : chain.operands) s.operand(beside(each, shape));
  for (int i = 0; i < chain.results; ++i) s.result(shape);
  s.verb(chain.name, chain.of);
  s.within(2e-5, 5e-6);
}

}  // namespace eglantine::perf::drawn
