#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> row_cases() {
  return {
      {"logsumexp",
       {{3, 5}},
       [](const T& x) { return logsumexp(x[0], 1); },
       [](const A& x) { return naive::logsumexp(x[0], {1}); },
       "a?b..."},
      {"logsumexp of columns",
       {{3, 5, 2}},
       [](const T& x) {
         return square(logsumexp(4 * x[0], {0, 1}));
       },
       [](const A& x) {
         return square(naive::logsumexp(4 * x[0], {0, 1}));
       },
       "abc..."},
      {"softmax",
       {{3, 5}},
       [](const T& x) { return softmax(x[0], 1); },
       [](const A& x) { return softmax_reference(x[0], 1); },
       "a?b?..."},
      {"softmax of columns",
       {{3, 5}},
       [](const T& x) { return square(softmax(3 * x[0], 0)); },
       [](const A& x) { return square(softmax_reference(3 * x[0], 0)); },
       "ab?..."},
      {"log_softmax",
       {{3, 5}},
       [](const T& x) { return log_softmax(x[0], 0); },
       [](const A& x) { return log_softmax_reference(x[0], 0); },
       "ab?..."},
      {"layer_norm",
       {{3, 6}, {6}, {6}},
       [](const T& x) { return layer_norm(x[0], 1, x[1], x[2]); },
       [](const A& x) { return standardized(x[0], {1}) * x[1] + x[2]; },
       "a?b>2 b b"},
      {"layer_norm of two axes",
       {{2, 3, 4}},
       [](const T& x) {
         return square(layer_norm(x[0], {1, 2}, {}, {}, 0.25F));
       },
       [](const A& x) {
         return square(standardized(x[0], {1, 2}, 0.25));
       },
       "a?b>1c>1"},
      {"rms_norm",
       {{3, 6}, {6}},
       [](const T& x) { return rms_norm(x[0], 1, x[1]); },
       [](const A& x) { return over_rms(x[0], {1}) * x[1]; },
       "a?b>1 b"},
      {"group_norm",
       {{2, 4, 3}, {4}, {4}},
       [](const T& x) { return group_norm(x[0], 2, x[1], x[2], 1e-2F); },
       [](const A& x) {
         const Array groups = standardized(naive::reshape(x[0], {x[0].shape[0], 2, 2 * x[0].shape[2]}), {2}, 1e-2F);
         return naive::reshape(groups, x[0].shape) * naive::reshape(x[1], {4, 1}) + naive::reshape(x[2], {4, 1});
       },
       "n?4a>1 4 4"},
      {"batch_norm",
       {{2, 3, 2}, {3}, {3}, {3}},
       [](const T& x) { return batch_norm(x[0], x[1], square(x[2]) + 1, x[3]); },
       [](const A& x) {
         const auto column = [](const Array& of) { return naive::reshape(of, {of.size(), 1}); };
         const Array roots = each(square(column(x[2])) + (1 + 1e-5), std::sqrt);
         return (x[0] - column(x[1])) / roots * column(x[3]);
       },
       "n?ca? c c c"},
      {"batch_norm of one's own",
       {{6, 3}},
       [](const T& x) {
         const auto [middle, variance] = moments(x[0], 0, true);
         return (x[0] - middle) * rsqrt(variance + 1e-3);
       },
       [](const A& x) { return standardized(x[0], {0}, 1e-3); },
       "a>2b?"},
      {"local_response_norm",
       {{2, 4, 3}},
       [](const T& x) { return local_response_norm(x[0], 3, 0.5F); },
       [](const A& x) {
         return generate(DType::f32, x[0].shape, [&](const Dims& at) {
           double squares = 0;
           for (int64_t c = std::max<int64_t>(at[1] - 1, 0); c <= std::min(at[1] + 1, x[0].shape[1] - 1); ++c)
             squares += std::pow(x[0].at({at[0], c, at[2]}), 2);
           return x[0].at(at) / std::pow(1 + 0.5 / 3 * squares, 0.75);
         });
       },
       "n?ca?"},
      {"batch_norm with a bias",
       {{2, 3, 2}, {3}, {3}, {3}, {3}},
       [](const T& x) { return square(batch_norm(x[0], x[1], square(x[2]) + 1, x[3], x[4])); },
       [](const A& x) {
         const auto column = [](const Array& of) { return naive::reshape(of, {of.size(), 1}); };
         const Array roots = each(square(column(x[2])) + (1 + 1e-5), std::sqrt);
         return square((x[0] - column(x[1])) / roots * column(x[3]) + column(x[4]));
       },
       "n?ca? c c c c"},
  };
}

}  // namespace eglantine::test
