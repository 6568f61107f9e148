#include <algorithm>

#include "perf/drawn/families.hpp"
#include "perf/drawn/lengths.hpp"

/// Programs over all pairs of points. Their bytes are those of the matrix of pairs, which a program that does not fuse
/// writes; what a call must read and write is far less.
namespace eglantine::perf::drawn {

namespace {

/// |a - b|^2 of each pair, (m, n), as |a|^2 + |b|^2 - 2 a b.
Tensor squares_by_product(const Tensors& t) {
  const Tensor a = sum(t[0] * t[0], 1, true), b = sum(t[1] * t[1], 1);
  return a + b - 2.0F * matmul(t[0], t[1].transpose(0, 1));
}

Tensor differences(const Tensors& t) { return t[0].unsqueeze(1) - t[1].unsqueeze(0); }

Tensor squares(const Tensors& t) {
  const Tensor d = differences(t);
  return sum(d * d, 2);
}

Tensor cosines(const Tensors& t) {
  const auto unit = [](const Tensor& x) { return x / sqrt(sum(x * x, 1, true)); };
  return matmul(unit(t[0]), unit(t[1]).transpose(0, 1));
}

struct PairVerb {
  const char* name;
  Tensor (*of)(const Tensors&);
  bool by_product = false;
  bool nearest = false;
};

constexpr PairVerb pair_verbs[] = {
    {"squares_by_product", squares_by_product, true},
    {"distances", [](const Tensors& t) { return sqrt(squares(t)); }},
    {"manhattan", [](const Tensors& t) { return sum(abs(differences(t)), 2); }},
    {"cosines", cosines, true},
    {"gaussians", [](const Tensors& t) { return exp(-0.5F * squares(t)); }},
    {"nearest", [](const Tensors& t) { return argmin(squares(t), 1); }, false, true},
    {"nearest_by_product", [](const Tensors& t) { return argmin(squares_by_product(t), 1); }, true, true},
    {"nearest_distance", [](const Tensors& t) { return sqrt(min(squares(t), 1)); }},
};

/// The squared distances to the points that were found nearest.
Tensors found_squares(const Tensors& t, const Tensors& results) {
  const Tensor d = t[0] - take(t[1], results[0], 0);
  return {sum(d * d, 1)};
}

struct Bodies {
  Tensor apart, inverse;  ///< of each pair: the vector from the first to the second; 1 / distance
};

Bodies bodies_of(const Tensor& x) {
  const Tensor apart = x.unsqueeze(0) - x.unsqueeze(1);
  return {apart, rsqrt(sum(apart * apart, 2) + 0.01F)};
}

Tensor acceleration(const Tensors& t) {
  const Bodies b = bodies_of(t[0]);
  const Tensor weight = t[1] * b.inverse * b.inverse * b.inverse;
  return sum(b.apart * weight.unsqueeze(2), 1);
}

Tensors energy(const Tensors& t) { return {sum(t[1] * bodies_of(t[0]).inverse, 1) * t[1] * -0.5F}; }

Tensors leapfrog(const Tensors& t) {
  const Tensor velocity = t[2] + 0.01F * acceleration(t);
  return {t[0] + 0.01F * velocity, velocity};
}

Tensors gaussian_sum(const Tensors& t) { return {matmul(exp(-0.5F * squares({t[0], t[0]})), t[1])}; }

struct BodyVerb {
  const char* name;
  Tensors (*of)(const Tensors&);
  int vectors;  ///< results of (n, 3), after which come those of (n)
};

constexpr BodyVerb body_verbs[] = {{"acceleration", [](const Tensors& t) { return Tensors{acceleration(t)}; }, 1},
                                   {"energy", energy, 0},
                                   {"leapfrog", leapfrog, 2},
                                   {"gaussian_sum", gaussian_sum, 0}};

}  // namespace

void draw_distances(Sketch& s) {
  const PairVerb& verb = s.dice.of(pair_verbs);
  const Shape pairs = s.shape(s.room(4), 2, 2);
  const int64_t features = verb.by_product ? styled(s.dice, s.dice.log_between(2, 128)) : s.dice.between(2, 4);
  s.operand({pairs[0], features});
  s.operand({pairs[1], features});
  const bool keeps_pairs = !verb.nearest && std::string_view(verb.name) != "nearest_distance";
  s.result(keeps_pairs ? pairs : Shape{pairs[0]}, verb.nearest ? DType::i32 : DType::f32);
  s.drawn.operations = (verb.by_product ? 2 : 3) * static_cast<double>(pairs.elements() * features);
  s.verb(verb.name, [of = verb.of](const Tensors& t) { return Tensors{of(t)}; });
  if (verb.nearest) s.drawn.observed = found_squares;
  s.within(1e-4, 2e-4);
}

void draw_n_body(Sketch& s) {
  const BodyVerb& verb = s.dice.of(body_verbs);
  const int64_t least = root_of(s.room(4)), n = styled(s.dice, s.dice.between(least, least + least / 2));
  s.operand({n, 3});
  s.stored({n}, Fill::positive);
  if (verb.vectors == 2) s.stored({n, 3});
  for (int i = 0; i < verb.vectors; ++i) s.result({n, 3});
  if (verb.vectors == 0) s.result({n});
  s.drawn.operations = 20 * static_cast<double>(n) * static_cast<double>(n);
  s.verb(verb.name, verb.of);
  s.within(1e-3, 1e-3);
}

}  // namespace eglantine::perf::drawn
