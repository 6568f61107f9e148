#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_einsum.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> product_cases() {
  return {
      {"matmul",
       {{3, 4}, {4, 2}},
       [](const T& x) { return matmul(x[0], x[1]); },
       [](const A& x) { return naive::matmul(x[0], x[1]); },
       "a?b? bc?"},
      {"square of a matrix",
       {{4, 4}},
       [](const T& x) { return matmul(x[0], x[0]); },
       [](const A& x) { return naive::matmul(x[0], x[0]); },
       "a?a"},
      {"matrix times vector",
       {{3, 4}, {4}},
       [](const T& x) { return matmul(x[0], x[1]); },
       [](const A& x) { return naive::matmul(x[0], x[1]); },
       "a?b? b"},
      {"vector times matrices",
       {{4}, {2, 4, 3}},
       [](const T& x) { return square(matmul(x[0], x[1])); },
       [](const A& x) { return square(naive::matmul(x[0], x[1])); },
       "a? n?ab?"},
      {"batches",
       {{2, 1, 3, 4}, {3, 4, 2}},
       [](const T& x) { return matmul(x[0], x[1]); },
       [](const A& x) { return naive::matmul(x[0], x[1]); },
       "n?1a?b? m?bc?"},
      {"einsum",
       {{3, 4, 2}, {4, 2, 5}},
       [](const T& x) {
         return einsum("ijk,jkl->li", {x[0], x[1]});
       },
       [](const A& x) {
         return naive::einsum({"ijk", "jkl"}, "li", {x[0], x[1]});
       },
       "i?j?k? jkl?"},
      {"einsum of three",
       {{3, 4}, {4, 2}, {2, 3}},
       [](const T& x) {
         return einsum("ij,jk,ki->ji", {x[0], x[1], x[2]});
       },
       [](const A& x) {
         return naive::einsum({"ij", "jk", "ki"}, "ji", {x[0], x[1], x[2]});
       },
       "i?j? jk? ki"},
      {"multiply_sum",
       {{3, 4}, {4}},
       [](const T& x) { return multiply_sum(x[0], x[1], 1); },
       [](const A& x) { return naive::sum(x[0] * x[1], {1}); },
       "a?b? b"},
      {"cross and kron",
       {{2, 3}, {2, 3}},
       [](const T& x) { return kron(cross(x[0], x[1]), x[0]); },
       [](const A& x) {
         const Array crossed = generate(DType::f32, x[0].shape, [&](const Dims& at) {
           const int64_t i = at[0], j = (at[1] + 1) % 3, k = (at[1] + 2) % 3;
           return x[0].at({i, j}) * x[1].at({i, k}) - x[0].at({i, k}) * x[1].at({i, j});
         });
         return naive::reshape(naive::einsum({"ik", "jl"}, "ijkl", {crossed, x[0]}),
                               {x[0].shape[0] * x[0].shape[0], 9});
       },
       "a?3 a3"},
      {"outer, inner and dot",
       {{4}, {4}},
       [](const T& x) { return outer(x[0], x[1]) * dot(x[0], x[1]) + inner(x[0], x[1]); },
       [](const A& x) {
         const Array dot = naive::sum(x[0] * x[1], {});
         return naive::reshape(x[0], {x[0].size(), 1}) * x[1] * dot + dot;
       },
       "a? a"},
      {"tensordot",
       {{2, 3, 4}, {4, 3}},
       [](const T& x) {
         return tensordot(x[0], x[1], {1, 2}, {1, 0});
       },
       [](const A& x) {
         return naive::einsum({"ijk", "kj"}, "i", {x[0], x[1]});
       },
       "i?j?k? kj"},
      {"attention",
       {{1, 4, 5, 3}, {1, 2, 6, 3}, {1, 2, 6, 5}},
       [](const T& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true}); },
       [](const A& x) {
         return naive::attention(x[0], x[1], x[2], 1 / std::sqrt(static_cast<double>(x[0].shape[3])), {nullptr, true});
       },
       "n?4q?d n2k?d n2kv?"},
      {"attention with a mask",
       {{2, 5, 3}, {2, 4, 3}, {2, 4, 2}, {5, 4}},
       [](const T& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {.mask = x[3], .scale = 1.5}); },
       [](const A& x) { return naive::attention(x[0], x[1], x[2], 1.5, {&x[3]}); },
       "b?q?d bk?d bkv? qk"},
  };
}

}  // namespace eglantine::test
