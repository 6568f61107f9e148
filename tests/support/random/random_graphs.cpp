#include "support/random/random_graphs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_remap.hpp"

namespace eglantine::test {
namespace {

constexpr size_t leaves = 4;

template <class T>
struct Operands {
  const T &a, &b;
  int64_t p, n;
};
using Tensors = Operands<Tensor>;
using Arrays = Operands<Array>;

/// a, or b, expanded to full length.
Tensor full(const Tensor& x, int64_t n) { return x.expand({n, n}); }
Array full(const Array& x, int64_t n) { return naive::expand(x, {n, n}); }

Array each(const Array& x, double (*f)(double)) { return naive::map(x, DType::i32, f); }
Array each(const Array& a, const Array& b, double (*f)(double, double)) { return naive::map(a, b, DType::i32, f); }

/// Beyond 2^53 a double would lose low bits.
double wrapped(double x, double y) {
  return static_cast<int32_t>(static_cast<uint64_t>(static_cast<int64_t>(x)) *
                              static_cast<uint64_t>(static_cast<int64_t>(y)));
}

/// The indices of a gather or scatter of row or column i: reversed pairs.
Tensor places(const Tensors& o) {
  const Tensor line = arange(0, o.n, 1, DType::i32, o.a.device());
  const Tensor there = (static_cast<int32_t>(o.n - 1) - line) / 2;
  return (o.p == 0 ? there.unsqueeze(1) : there.unsqueeze(0)).expand({o.n, o.n});
}
Array places(const Arrays& o) {
  return generate(DType::i32, {o.n, o.n},
                  [&](const Dims& at) { return static_cast<double>((o.n - 1 - at[static_cast<size_t>(o.p)]) / 2); });
}

struct Verb {
  const char* name;
  int weight;
  Tensor (*apply)(const Tensors&);
  Array (*reference)(const Arrays&);  ///< null: f32 alone
};

const Verb verbs[] = {
    {"add", 9, [](const Tensors& o) { return o.a + o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x + y; }); }},
    {"sub", 5, [](const Tensors& o) { return o.a - o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x - y; }); }},
    {"mul", 7, [](const Tensors& o) { return o.a * o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return wrapped(x, y); }); }},
    {"maximum", 3, [](const Tensors& o) { return maximum(o.a, o.b); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return std::max(x, y); }); }},
    {"where", 2, [](const Tensors& o) { return where(lt(o.a, o.b), o.a, 3); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x < y ? x : 3; }); }},
    {"neg", 4, [](const Tensors& o) { return neg(o.a); },
     [](const Arrays& o) { return each(o.a, [](double x) { return 0 - x; }); }},
    {"scaled", 6, [](const Tensors& o) { return o.a * 3 + 1; },
     [](const Arrays& o) { return each(o.a, [](double x) { return x * 3 + 1; }); }},
    {"decayed", 6, [](const Tensors& o) { return o.a * 0.9F; }, nullptr},
    {"exp", 5, [](const Tensors& o) { return exp(neg(abs(o.a))); }, nullptr},
    {"tanh", 3, [](const Tensors& o) { return tanh(o.a) * o.b; }, nullptr},
    {"flip", 9, [](const Tensors& o) { return o.a.flip({o.p}); },
     [](const Arrays& o) { return naive::flip(o.a, {o.p}); }},
    {"transpose", 9, [](const Tensors& o) { return o.a.transpose(0, 1); },
     [](const Arrays& o) { return naive::transpose(o.a, 0, 1); }},
    {"reshape", 3,
     [](const Tensors& o) {
       return full(o.a, o.n).reshape({-1}).flip({0}).reshape({o.n, o.n});
     },
     [](const Arrays& o) {
       return naive::reshape(naive::flip(naive::reshape(full(o.a, o.n), {o.n * o.n}), {0}), {o.n, o.n});
     }},
    {"slice", 3, [](const Tensors& o) { return o.a.slice(static_cast<int>(o.p), 0, 1); },
     [](const Arrays& o) { return naive::slice(o.a, o.p, 0, 1, 1); }},
    {"expand", 2, [](const Tensors& o) { return full(o.a, o.n); }, [](const Arrays& o) { return full(o.a, o.n); }},
    {"roll", 5, [](const Tensors& o) { return roll(o.a, 2, o.p); },
     [](const Arrays& o) {
       return naive::roll(o.a, o.p == 0 ? Dims{2, 0} : Dims{0, 2});
     }},
    {"roll_both", 3,
     [](const Tensors& o) {
       return roll(full(o.a, o.n), {1, -1}, {0, 1});
     },
     [](const Arrays& o) {
       return naive::roll(full(o.a, o.n), {1, -1});
     }},
    {"pad", 4,
     [](const Tensors& o) {
       return pad(full(o.a, o.n), {{1, 1}, {0, 2}}, 3).crop({{0, o.n}, {1, o.n + 1}});
     },
     [](const Arrays& o) {
       const Array padded = naive::pad(full(o.a, o.n), {{1, 1}, {0, 2}}, PadMode::constant, 3);
       return naive::crop(padded, {{0, o.n}, {1, o.n + 1}});
     }},
    {"edge", 3,
     [](const Tensors& o) {
       return pad(full(o.a, o.n), {{1, 0}, {0, 1}}, PadMode::edge).crop({{0, o.n}, {1, o.n + 1}});
     },
     [](const Arrays& o) {
       const Array padded = naive::pad(full(o.a, o.n), {{1, 0}, {0, 1}}, PadMode::edge);
       return naive::crop(padded, {{0, o.n}, {1, o.n + 1}});
     }},
    {"window_sum", 2,
     [](const Tensors& o) {
       const Tensor wrapped = pad(full(o.a, o.n), {{1, 1}, {0, 0}}, PadMode::wrap);
       return sum(windows(wrapped, 0, {3}), 2);
     },
     [](const Arrays& o) {
       const Array wrapped = naive::pad(full(o.a, o.n), {{1, 1}, {0, 0}}, PadMode::wrap);
       return naive::sum(naive::windows(wrapped, {0}, {3}, {1}, {1}), {2});
     }},
    {"sum", 9, [](const Tensors& o) { return sum(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::sum(o.a, {o.p}, true); }},
    {"sum_all", 3, [](const Tensors& o) { return sum(o.a, {}, true); },
     [](const Arrays& o) { return naive::sum(o.a, {}, true); }},
    {"max", 4, [](const Tensors& o) { return max(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::max(o.a, {o.p}, true); }},
    {"matmul", 8, [](const Tensors& o) { return matmul(full(o.a, o.n), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::matmul(full(o.a, o.n), full(o.b, o.n)); }},
    {"softmax", 3, [](const Tensors& o) { return softmax(o.a, static_cast<int>(o.p)); }, nullptr},
    {"logsumexp", 2, [](const Tensors& o) { return logsumexp(o.a, {o.p}, true); }, nullptr},
    {"var", 2, [](const Tensors& o) { return var(o.a, {o.p}, true); }, nullptr},
    {"cumsum", 3, [](const Tensors& o) { return cumsum(o.a, static_cast<int>(o.p)); },
     [](const Arrays& o) { return naive::cumsum(o.a, o.p); }},
    {"sort", 2, [](const Tensors& o) { return sort(o.a, static_cast<int>(o.p)); },
     [](const Arrays& o) { return naive::sort(o.a, o.p).keys; }},
    {"gather", 2, [](const Tensors& o) { return gather(full(o.a, o.n), static_cast<int>(o.p), places(o)); },
     [](const Arrays& o) { return naive::gather(full(o.a, o.n), o.p, places(o)); }},
    {"scatter_add", 2,
     [](const Tensors& o) { return scatter_add(full(o.a, o.n), static_cast<int>(o.p), places(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_add(full(o.a, o.n), o.p, places(o), full(o.b, o.n)); }},
    {"concatenate", 2,
     [](const Tensors& o) {
       return concatenate({full(o.a, o.n), full(o.b, o.n)}, static_cast<int>(o.p))
           .slice(static_cast<int>(o.p), 1, o.n + 1);
     },
     [](const Arrays& o) {
       return naive::slice(naive::concatenate({full(o.a, o.n), full(o.b, o.n)}, o.p), o.p, 1, o.n + 1, 1);
     }},
};

size_t drawn_verb(const RandomGraph::Draw& draw, DType dtype) {
  int all = 0;
  const auto weight = [&](const Verb& verb) {
    return dtype == DType::i32 && verb.reference == nullptr ? 0 : verb.weight;
  };
  for (const Verb& verb : verbs) all += weight(verb);
  int64_t left = draw(0, all - 1);
  size_t chosen = 0;
  while ((left -= weight(verbs[chosen])) >= 0) ++chosen;
  return chosen;
}

std::vector<Array> leaf_arrays(DType dtype, int64_t n, uint64_t seed) {
  std::vector<Array> arrays;
  for (const Dims& shape : {Dims{n, n}, Dims{n, n}, Dims{n, 1}, Dims{1, n}})
    arrays.push_back(dtype == DType::i32 ? random_array(dtype, shape, seed + arrays.size())
                                         : random_reals(shape, -1, 1, seed + arrays.size()));
  return arrays;
}

}  // namespace

RandomGraph::RandomGraph(const Draw& draw, DType dtype, int64_t n, uint64_t data) : dtype_(dtype), n_(n), data_(data) {
  // Mostly the latest values, so that graphs are deep as well as wide.
  const auto value = [&](size_t count) {
    const auto all = static_cast<int64_t>(count);
    return static_cast<size_t>(draw(draw(0, 1) == 0 ? 0 : std::max<int64_t>(0, all - 4), all - 1));
  };
  const auto count = static_cast<size_t>(draw(3, 14));
  for (size_t i = 0; i < count; ++i) {
    const size_t verb = drawn_verb(draw, dtype), a = value(leaves + i), b = value(leaves + i);
    steps_.push_back({verb, a, b, draw(0, 1)});
  }
  for (size_t i = 0; i < count; ++i)
    if (i + 1 == count || draw(0, 3) == 0) wanted_.push_back(leaves + i);
}

std::vector<Tensor> RandomGraph::build(const Watch& after) const {
  std::vector<Tensor> values;
  for (const Array& leaf : leaf_arrays(dtype_, n_, data_)) values.push_back(upload(leaf));
  for (const Step& step : steps_) {
    values.push_back(verbs[step.verb].apply({values[step.a], values[step.b], step.p, n_}));
    if (after) after(values);
  }
  return values;
}

std::vector<Array> RandomGraph::reference() const {
  std::vector<Array> values = leaf_arrays(dtype_, n_, data_);
  for (const Step& step : steps_) {
    Array value = verbs[step.verb].reference({values[step.a], values[step.b], step.p, n_});
    for (double& x : value.values) x = as_element(dtype_, x);
    values.push_back(std::move(value));
  }
  return values;
}

std::string RandomGraph::text() const {
  std::string text = std::string(name_of(dtype_)) + ", n = " + std::to_string(n_) + ", wanted";
  for (const size_t i : wanted_) text += " " + std::to_string(i);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    text += "\n" + std::to_string(leaves + i) + " = " + verbs[step.verb].name + "(" + std::to_string(step.a) + ", " +
            std::to_string(step.b) + "; " + std::to_string(step.p) + ")";
  }
  return text;
}

}  // namespace eglantine::test
