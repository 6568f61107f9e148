// A block of a transformer that reads from left to right: attention, then a layer for each place, both beside a
// residual.

#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

constexpr int64_t features = 64, heads = 4, length = 24;

Tensor weights(int64_t in, int64_t out, uint64_t seed) {
  return (normal({in, out}, seed) / std::sqrt(static_cast<float>(in))).eval();
}

/// (batch, length, features) as (batch, heads, length, features of a head): a view.
Tensor split_heads(const Tensor& x) { return x.reshape({x.shape()[0], length, heads, -1}).permute({0, 2, 1, 3}); }

/// Vaswani and others, "Attention is all you need", 2017, with the norms in front (Radford and others, 2019).
struct Block {
  Tensor queries = weights(features, features, 1), keys = weights(features, features, 2),
         values = weights(features, features, 3), out = weights(features, features, 4);
  Tensor up = weights(features, 4 * features, 5), down = weights(4 * features, features, 6);

  Tensor attention(const Tensor& x) const {
    const Tensor y = scaled_dot_product_attention(split_heads(matmul(x, queries)), split_heads(matmul(x, keys)),
                                                  split_heads(matmul(x, values)), {.causal = true});
    return matmul(y.permute({0, 2, 1, 3}).reshape(x.shape()), out);
  }
  Tensor operator()(Tensor x) const {
    x = x + attention(layer_norm(x, {-1}));
    return x + matmul(gelu(matmul(layer_norm(x, {-1}), up)), down);
  }
};

}  // namespace

int main() {
  const Block block;
  const Tensor x = normal({2, length, features}, 7).eval();
  const Tensor y = block(x).eval();
  std::cout << "a block maps " << to_string(x.shape()) << " to " << to_string(y.shape()) << "\n";

  // The same product in the notation of einsum: the score of row i and column j in each head.
  const Tensor q = split_heads(matmul(x, block.queries)), k = split_heads(matmul(x, block.keys));
  const bool notation = allclose(einsum("bhid,bhjd->bhij", {q, k}), matmul(q, k.transpose(-1, -2)), 1e-4, 1e-4);
  std::cout << "einsum and matmul agree: " << (notation ? "yes" : "NO") << "\n";

  // What is to come changes nothing before it: the last place gets another value, and the places in front keep theirs.
  const Tensor changed = block(x.index_put({ellipsis, length - 1, Slice{}}, 1.0F));
  const bool before = allclose(changed.slice(1, 0, length - 1), y.slice(1, 0, length - 1), 1e-4, 1e-4);
  const bool last = allclose(changed(Slice{}, length - 1), y(Slice{}, length - 1), 1e-2, 1e-2);
  std::cout << "reads from left to right: " << (before && !last ? "yes" : "NO") << "\n";
  return notation && before && !last ? EXIT_SUCCESS : EXIT_FAILURE;
}
