#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_convolution.hpp"

/// Convolutions of n x n pictures, as large as they were.
namespace eglantine::test {
namespace {

/// Two pictures as channels, and kernels of 2 x 3 places from another one's start, of one or two results.
Tensor channels(const Tensors& o) { return stack({full(o.a, o.n), full(o.b, o.n)}, 0).unsqueeze(0); }
Tensor kernels(const Tensors& o) { return full(o.b, o.n)(0, 0).expand({2, 2, 2, 3}); }

Tensor convolved(const Tensors& o) {
  const bool apart = o.p == 1;
  const Tensor w = apart ? kernels(o).slice(1, 0, 1) : kernels(o);
  return conv(channels(o), w, {.padding = {{1, 0}, {1, 1}}, .groups = apart ? 2 : 1})
      .squeeze(0)(static_cast<int>(o.q % 2));
}

Array convolved_reference(const Arrays& o) {
  const Array a = full(o.a, o.n), b = full(o.b, o.n);
  const bool apart = o.p == 1;
  const naive::ConvRule rule{{1, 1}, {1, 1}, {{1, 0}, {1, 1}}, apart ? 2 : 1};
  const Array x = naive::reshape(naive::stack({a, b}, 0), {1, 2, o.n, o.n});
  const Array w = generate(a.dtype, {2, apart ? 1 : 2, 2, 3}, [&](const Dims&) { return b.at({0, 0}); });
  const Array y = naive::conv(x, w, rule);
  return generate(y.dtype, {o.n, o.n}, [&](const Dims& at) { return y.at({0, o.q % 2, at[0], at[1]}); });
}

/// Every other row and column of the pictures, spread over their size.
Tensor spread(const Tensors& o) {
  const Tensor x = channels(o).slice(2, 0, {}, 2).slice(3, 0, {}, 2);
  const bool apart = o.p == 1;
  const Tensor w = apart ? kernels(o).slice(1, 0, 1) : kernels(o);
  const ConvTransposeOptions options{.stride = 2, .padding = {{0, o.n % 2}, {1, o.n % 2}}, .groups = apart ? 2 : 1};
  return conv_transpose(x, w, options).squeeze(0)(static_cast<int>(o.q % 2));
}

Array spread_reference(const Arrays& o) {
  const Array a = full(o.a, o.n), b = full(o.b, o.n);
  const bool apart = o.p == 1;
  const naive::ConvRule rule{{2, 2}, {1, 1}, {{0, 0}, {1, 0}}, apart ? 2 : 1};
  const Array pictures = naive::reshape(naive::stack({a, b}, 0), {1, 2, o.n, o.n});
  const int64_t half = (o.n + 1) / 2;
  const Array x = generate(a.dtype, {1, 2, half, half}, [&](const Dims& at) {
    return pictures.at({0, at[1], 2 * at[2], 2 * at[3]});
  });
  const Array w = generate(a.dtype, {2, apart ? 1 : 2, 2, 3}, [&](const Dims&) { return b.at({0, 0}); });
  const Array y = naive::conv_transpose(x, w, rule, {o.n, o.n});
  return generate(y.dtype, {o.n, o.n}, [&](const Dims& at) { return y.at({0, o.q % 2, at[0], at[1]}); });
}

const GraphVerb lines_of_convolution[] = {{"conv", 3, convolved, convolved_reference},
                                          {"conv_transpose", 3, spread, spread_reference}};

}  // namespace

std::span<const GraphVerb> convolution_graph_verbs() { return lines_of_convolution; }

}  // namespace eglantine::test
