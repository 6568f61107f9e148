#include <algorithm>
#include <cmath>

#include "perf/drawn/families.hpp"
#include "perf/drawn/lengths.hpp"

/// Derivatives, as a user asks for them.
namespace eglantine::perf::drawn {

namespace {

/// Derivatives by the first `count` operands of f, given the result's cotangent, the last operand.
Verb derivatives(const Verb& f, size_t count) {
  return [=](const Tensors& all) {
    const Tensors fixed(all.begin() + static_cast<std::ptrdiff_t>(count), all.end() - 1);
    const auto of_some = [&](const Tensors& x) {
      Tensors operands = x;
      operands.insert(operands.end(), fixed.begin(), fixed.end());
      return f(operands);
    };
    return vjp(of_some, Tensors(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)), {all.back()}).second;
  };
}

Tensor standardised_columns(const Tensors& t) {
  return (t[0] - mean(t[0], 0, true)) / sqrt(var(t[0], 0, true) + 1e-5F);
}

Tensor gelu_of_sum(const Tensors& t) { return gelu(t[0] + t[1]); }

struct RowGradient {
  const char* name;
  Tensor (*of)(const Tensors&);
  int weights = 0;
};

constexpr RowGradient row_gradients[] = {
    {"softmax", [](const Tensors& t) { return softmax(t[0], -1); }},
    {"log_softmax", [](const Tensors& t) { return log_softmax(t[0], -1); }},
    {"layer_norm", [](const Tensors& t) { return layer_norm(t[0], -1, t[1], t[2]); }, 2},
    {"rms_norm", [](const Tensors& t) { return rms_norm(t[0], -1, t[1]); }, 1},
    {"bias_gelu", gelu_of_sum, 1},
    {"standardise", standardised_columns},
    {"cumsum", [](const Tensors& t) { return cumsum(t[0], -1); }},
};

void row_gradient(Sketch& s) {
  const RowGradient& verb = s.dice.of(row_gradients);
  Shape shape = s.shape(s.room(12), 2, 3);
  shape[0] = std::max<int64_t>(2, shape[0]);
  shape[shape.rank() - 1] = std::max<int64_t>(2, shape[shape.rank() - 1]);
  const Shape row{shape[shape.rank() - 1]};
  s.operand(shape);
  for (int i = 0; i < verb.weights; ++i) s.stored(row, Fill::positive);
  s.operand(shape);
  s.result(shape);
  for (int i = 0; i < verb.weights; ++i) s.result(row);
  const Verb f = [of = verb.of](const Tensors& t) { return Tensors{of(t)}; };
  s.verb(verb.name, derivatives(f, 1 + static_cast<size_t>(verb.weights)));
  s.within(1e-3, 1e-4 * (std::sqrt(static_cast<double>(shape.elements() / row[0])) + 10));
}

/// Of the mean cross-entropy, by the logits.
void cross_entropy_gradient(Sketch& s) {
  Shape shape = s.shape(s.room(8), 2, 2);
  shape[1] = std::max<int64_t>(2, shape[1]);
  s.operand(shape);
  s.places({shape[0]}, shape[1]);
  s.result(shape);
  s.verb("cross_entropy",
         [](const Tensors& t) { return grad([&](const Tensors& x) { return cross_entropy(x[0], t[1]); }, {t[0]}); });
  s.within(1e-4, 1e-6);
}

/// Of rows that are taken, by the table: it adds.
void embedding_gradient(Sketch& s) {
  const Shape rows = s.shape(s.room(8), 2, 2), table{s.dice.log_between(2, std::max<int64_t>(2, rows[0])), rows[1]};
  s.operand(table);
  s.places({rows[0]}, table[0]);
  s.operand(rows);
  s.result(table);
  s.verb("embedding", derivatives([](const Tensors& t) { return Tensors{take(t[0], t[1], 0)}; }, 1));
  s.within(1e-4, 1e-5 * (10 + std::sqrt(static_cast<double>(rows[0]))));
}

/// By both operands.
void product_gradient(Sketch& s) {
  const Shape shape = s.shape(s.room(16), 2, 2);
  const int64_t m = shape[0], k = shape[1], n = styled(s.dice, s.dice.log_between(1, std::min<int64_t>(k + 1, 512)));
  s.operand({m, k}, Fill::signed_uniform);
  s.stored({k, n}, Fill::signed_uniform);
  s.operand({m, n}, Fill::signed_uniform);
  s.result({m, k});
  s.result({k, n});
  s.drawn.operations = 4 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  s.verb("matmul", derivatives([](const Tensors& t) { return Tensors{matmul(t[0], t[1])}; }, 2));
  s.within(1e-4, 2e-5 * (std::sqrt(static_cast<double>(std::max(m, n))) + 1));
}

void picture_gradient(Sketch& s) {
  const int64_t channels = styled(s.dice, s.dice.log_between(1, 64)), out = styled(s.dice, s.dice.log_between(4, 64));
  const int64_t size = s.dice.between(8, 56);
  const int64_t n = std::max<int64_t>(1, s.room(8.0 * static_cast<double>((channels + out) * size * size)));
  const bool pools = s.dice.one_in(2);
  const Shape x{n, channels, size, size}, w{out, channels, 3, 3};
  s.operand(x, Fill::signed_uniform);
  if (!pools) s.stored(w, Fill::signed_uniform);
  s.stored(pools ? Shape{n, channels, size / 2, size / 2} : Shape{n, out, size, size}, Fill::signed_uniform);
  s.result(x);
  if (!pools) s.result(w);
  const auto pixels = static_cast<double>(n * size * size);
  if (!pools) s.drawn.operations = 4 * pixels * static_cast<double>(9 * channels * out);
  const Verb f = [=](const Tensors& t) {
    return Tensors{pools ? max_pool(t[0], 2) : conv(t[0], t[1], {.padding = 1})};
  };
  s.verb(pools ? "max_pool" : "convolution", derivatives(f, pools ? 1 : 2));
  s.within(1e-4, 2e-5 * (std::sqrt(pixels + static_cast<double>(9 * out)) + 1));
}

}  // namespace

void draw_gradients(Sketch& s) {
  constexpr void (*draws[])(Sketch&) = {row_gradient,       row_gradient,     row_gradient,    cross_entropy_gradient,
                                        embedding_gradient, product_gradient, picture_gradient};
  s.dice.of(draws)(s);
}

}  // namespace eglantine::perf::drawn
