#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"

/// Tensors that are made of nothing, and of random words.
namespace eglantine::test {
namespace {

uint64_t seed(const Tensors& o) { return static_cast<uint64_t>(o.q) / 16; }

/// Of each distribution; only floats, since there is no naive generator here.
Tensor noise(const Tensors& o) {
  const Shape shape{o.n, o.n};
  const Device device = o.a.device();
  switch (variant(o, 8)) {
    case 0:
      return uniform(shape, seed(o), DType::f32, device);
    case 1:
      return normal(shape, seed(o), DType::f32, device);
    case 2:
      return randint(-3, 90, shape, seed(o), DType::i32, device).astype(DType::f32);
    case 3:
      return bernoulli(0.3, shape, seed(o), device).astype(DType::f32);
    case 4:
      return exponential(shape, seed(o), DType::f32, device);
    case 5:
      return gumbel(shape, seed(o), DType::f32, device);
    case 6:
      return laplace(shape, seed(o), DType::f32, device);
    default:
      return truncated_normal(-1, 2, shape, seed(o), DType::f32, device);
  }
}

/// Of each number that is spaced evenly, or evenly in its logarithm.
Tensor spaced(const Tensors& o) {
  const Device device = o.a.device();
  const Tensor x =
      o.q % 2 == 0 ? linspace(-1, 1, o.n, DType::f32, device) : logspace(-1, 1, o.n, 10, DType::f32, device);
  return x.unsqueeze(axis(o));
}

/// -1 above the diagonal, else 2.
Tensor stairs(const Tensors& o) {
  const DType dtype = o.a.dtype();
  return tri(o.n, -1, o.p, dtype, o.a.device()) * full({o.n, 1}, 3, dtype, o.a.device()) -
         ones({1, o.n}, dtype, o.a.device()) + zeros({1, 1}, dtype, o.a.device());
}

const GraphVerb lines_of_creation[] = {
    {"noise", 3, [](const Tensors& o) { return o.a + noise(o); }, nullptr},
    {"coins", 1,
     [](const Tensors& o) {
       return where(bernoulli(o.b, {o.n, o.n}, seed(o)), o.a, 0);
     },
     nullptr},
    {"permuted", 1,
     [](const Tensors& o) { return take(full(o.a, o.n), permutation(o.n, seed(o), o.a.device()), axis(o)); }, nullptr},
    {"shuffle", 1, [](const Tensors& o) { return shuffle(full(o.a, o.n), seed(o), axis(o)); }, nullptr},
    {"categorical", 1,
     [](const Tensors& o) {
       return categorical(full(o.a, o.n), seed(o), axis(o)).astype(DType::f32).unsqueeze(axis(o));
     },
     nullptr},
    {"spaced", 2, [](const Tensors& o) { return o.a * spaced(o); }, nullptr},
    {"eye", 2, [](const Tensors& o) { return o.a - eye(o.n, -1, o.a.dtype(), o.a.device()); },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) { return x.at(at) - (at[0] == at[1] ? 1 : 0); });
     }},
    {"stairs", 2, [](const Tensors& o) { return maximum(o.a, stairs(o)); },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) {
         return std::max(x.at(at), as_element(x.dtype, at[1] - at[0] <= o.p ? 2 : -1));
       });
     }},
    {"likenesses", 1, [](const Tensors& o) { return full_like(o.a, 3) - ones_like(o.b) * o.b + zeros_like(o.a); },
     [](const Arrays& o) { return naive::map(o.a, o.b, DType::i32, [](double, double y) { return 3 - y; }); }},
};

}  // namespace

std::span<const GraphVerb> creation_graph_verbs() { return lines_of_creation; }

}  // namespace eglantine::test
