#include <algorithm>
#include <string_view>
#include <utility>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

struct RowVerb {
  const char* name;
  Tensor (*of)(const Tensors&);
  int weights = 0;      ///< vectors as long as a row, after x
  bool drops = false;   ///< the axis
  bool narrow = false;  ///< takes f16 and bf16, too
};

Tensor softmax_by_hand(const Tensors& t) {
  const Tensor e = exp(t[0] - max(t[0], -1, true));
  return e / sum(e, -1, true);
}

Tensor standardised(const Tensor& x, int axis) { return (x - mean(x, axis, true)) / sqrt(var(x, axis, true) + 1e-5F); }

/// Where a row or column is constant, as by broadcasting, what a mean is off by is divided by sqrt(1e-5).
double absolute_error(std::string_view verb) { return verb.starts_with("standardise") ? 2e-4 : 2e-5; }

Tensor rescaled(const Tensor& x, int axis) {
  const Tensor low = min(x, axis, true);
  return (x - low) / (max(x, axis, true) - low + 1e-5F);
}

constexpr RowVerb row_verbs[] = {
    {"softmax", [](const Tensors& t) { return softmax(t[0], -1); }, 0, false, true},
    {"log_softmax", [](const Tensors& t) { return log_softmax(t[0], -1); }},
    {"logsumexp", [](const Tensors& t) { return logsumexp(t[0], -1); }, 0, true},
    {"layer_norm", [](const Tensors& t) { return layer_norm(t[0], -1, t[1], t[2]); }, 2, false, true},
    {"rms_norm", [](const Tensors& t) { return rms_norm(t[0], -1, t[1]); }, 1},
    {"softmax_by_hand", softmax_by_hand},
    {"standardise_by_hand", [](const Tensors& t) { return standardised(t[0], -1); }},
    {"normalise_l2", [](const Tensors& t) { return t[0] / sqrt(sum(t[0] * t[0], -1, true) + 1e-6F); }},
    {"rescale", [](const Tensors& t) { return rescaled(t[0], -1); }},
    {"layer_norm_of_sum", [](const Tensors& t) { return layer_norm(t[0] + t[1], -1, t[1], t[1]); }, 1},
};

struct ColumnVerb {
  const char* name;
  Tensors (*of)(const Tensors&);
  bool pictures = false;  ///< (n, channels, height, width) with weights of the channels
  bool drops = false;
};

Tensors batch_norm_training(const Tensors& t) {
  const auto [mean, var] = moments(t[0], {0, 2, 3});
  return {batch_norm(t[0], mean, var, t[1], t[2]), mean, var};
}

constexpr ColumnVerb column_verbs[] = {
    {"centre", [](const Tensors& t) { return Tensors{t[0] - mean(t[0], 0, true)}; }},
    {"standardise", [](const Tensors& t) { return Tensors{standardised(t[0], 0)}; }},
    {"rescale", [](const Tensors& t) { return Tensors{rescaled(t[0], 0)}; }},
    {"softmax", [](const Tensors& t) { return Tensors{softmax(t[0], 0)}; }},
    {"variance", [](const Tensors& t) { return Tensors{var(t[0], 0)}; }, false, true},
    {"batch_norm_training", batch_norm_training, true},
    {"group_norm", [](const Tensors& t) { return Tensors{group_norm(t[0], 1, t[1], t[2])}; }, true},
};

struct Statistic {
  const char* name;
  Tensor (*of)(const Tensor&);
  enum Result { scalar, columns, square, bins } result = scalar;
};

Tensor skewness(const Tensor& x) {
  const Tensor low = x - mean(x);
  return mean(low * low * low) / pow(var(x), 1.5F);
}

constexpr Statistic statistics[] = {
    {"stddev", [](const Tensor& x) { return stddev(x); }},
    {"skewness", skewness},
    {"median", [](const Tensor& x) { return median(x); }},
    {"quantile", [](const Tensor& x) { return quantile(x, 0.9); }},
    {"ptp", [](const Tensor& x) { return ptp(x); }},
    {"column_stddev", [](const Tensor& x) { return stddev(x, 0); }, Statistic::columns},
    {"column_quantile", [](const Tensor& x) { return quantile(x, 0.25, 0); }, Statistic::columns},
    {"covariance", [](const Tensor& x) { return cov(x.transpose(0, 1)); }, Statistic::square},
    {"correlation", [](const Tensor& x) { return corrcoef(x.transpose(0, 1)); }, Statistic::square},
    {"histogram", [](const Tensor& x) { return histogram(x, 64, -3, 3).first; }, Statistic::bins},
};

}  // namespace

void draw_rows(Sketch& s) {
  const RowVerb& verb = s.dice.of(row_verbs);
  const DType dtype = verb.narrow ? s.float_type() : DType::f32;
  Shape shape = s.shape(s.room((verb.drops ? 1 : 2) * static_cast<double>(size_of(dtype))), 2, 4);
  shape[shape.rank() - 1] = std::max<int64_t>(2, shape[shape.rank() - 1]);
  s.operand(shape, Fill::normal, dtype);
  const Shape row{shape[shape.rank() - 1]};
  for (int i = 0; i < verb.weights; ++i) s.stored(row, Fill::positive, dtype);
  Shape rest = shape;
  if (verb.drops) rest.erase(rest.rank() - 1);
  s.result(rest, dtype);
  s.verb(verb.name, [of = verb.of](const Tensors& x) { return Tensors{of(x)}; });
  s.within(1e-4, absolute_error(verb.name), dtype);
}

void draw_columns(Sketch& s) {
  const ColumnVerb& verb = s.dice.of(column_verbs);
  Shape shape = s.shape(s.room(verb.drops ? 4 : 8), verb.pictures ? 4 : 2, verb.pictures ? 4 : 3);
  shape[0] = std::max<int64_t>(2, shape[0]);
  s.operand(shape);
  if (verb.pictures)
    for (int i = 0; i < 2; ++i) s.stored({shape[1]}, Fill::positive);
  Shape rest = shape;
  if (verb.drops) rest.erase(0);
  s.result(rest);
  if (std::string_view(verb.name) == "batch_norm_training")
    for (int i = 0; i < 2; ++i) s.result({shape[1]});
  s.verb(verb.name, verb.of);
  s.within(1e-4, absolute_error(verb.name));
}

void draw_statistics(Sketch& s) {
  const Statistic& verb = s.dice.of(statistics);
  const bool square = verb.result == Statistic::square;
  const bool matrix = square || verb.result == Statistic::columns;
  Shape shape = s.shape(s.room(4), matrix ? 2 : 1, matrix ? 2 : 3);
  // Few variables with many observations, and at least two of these.
  if (square && shape[0] < shape[1]) std::swap(shape[0], shape[1]);
  shape[0] = std::max<int64_t>(2, shape[0]);
  s.operand(shape);
  if (verb.result == Statistic::scalar) s.result({});
  if (verb.result == Statistic::columns) s.result({shape[1]});
  if (square) s.result({shape[1], shape[1]});
  if (verb.result == Statistic::bins) s.result({64}, DType::i32);
  if (square) s.drawn.operations = 2 * static_cast<double>(shape[0] * shape[1] * shape[1]);
  s.verb(verb.name, [of = verb.of](const Tensors& x) { return Tensors{of(x[0])}; });
  s.within(2e-4, 2e-4);
}

}  // namespace eglantine::perf::drawn
