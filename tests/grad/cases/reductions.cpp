#include <algorithm>
#include <vector>

#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> reduction_cases() {
  return {
      {"sum",
       {{3, 4, 2}},
       [](const T& x) {
         return square(sum(x[0], {0, 2}));
       },
       [](const A& x) {
         return square(naive::sum(x[0], {0, 2}));
       },
       "a?b?c?..."},
      {"prod",
       {{3, 4}},
       [](const T& x) { return prod(x[0] + 2, 1); },
       [](const A& x) { return naive::prod(x[0] + 2, {1}); },
       "a?b..."},
      {"prod of zeros",
       {{6}},
       [](const T& x) {
         return prod(x[0] * Tensor::from({1, 1, 0, 1, 1, 1}, {6}));
       },
       [](const A& x) {
         return naive::prod(x[0] * Array{DType::f32, {6}, {1, 1, 0, 1, 1, 1}}, {});
       }},
      {"max",
       {{3, 4}},
       [](const T& x) { return square(max(x[0], 1)); },
       [](const A& x) { return square(naive::max(x[0], {1})); },
       "a?b..."},
      {"min",
       {{3, 4}},
       [](const T& x) { return square(min(x[0], 0, true)); },
       [](const A& x) { return square(naive::min(x[0], {0}, true)); },
       "ab?..."},
      {"mean",
       {{3, 4}},
       [](const T& x) { return square(mean(x[0], 0)); },
       [](const A& x) { return square(naive::mean(x[0], {0})); },
       "ab?..."},
      {"var",
       {{3, 5}},
       [](const T& x) { return var(x[0], 1); },
       [](const A& x) { return naive::var(x[0], {1}); },
       "a?b..."},
      {"corrected var of all",
       {{3, 2, 4}},
       [](const T& x) {
         return square(var(x[0], {0, 2}, true, 1)) * x[0];
       },
       [](const A& x) {
         const double n = static_cast<double>(x[0].shape[0] * x[0].shape[2]);
         return square(naive::var(x[0], {0, 2}, true) * (n / (n - 1))) * x[0];
       },
       "a>1b?c"},
      {"moments",
       {{3, 5}},
       [](const T& x) {
         const auto [middle, variance] = moments(x[0], 1);
         return middle * variance;
       },
       [](const A& x) { return naive::mean(x[0], {1}) * naive::var(x[0], {1}); },
       "a?b..."},
      {"stddev",
       {{3, 5}},
       [](const T& x) { return stddev(x[0], 1); },
       [](const A& x) { return each(naive::var(x[0], {1}), std::sqrt); },
       "a?b>2..."},
      {"norm",
       {{3, 5}},
       [](const T& x) { return norm(x[0], 1) + norm(x[0], 1, false, 3); },
       [](const A& x) { return norm_of(x[0], {1}, false, 2) + norm_of(x[0], {1}, false, 3); },
       "a?b>1..."},
      {"other norms",
       {{3, 5}},
       [](const T& x) {
         return norm(x[0], 1, false, 1) + norm(x[0], 1, false, 2.5) + square(norm(x[0], 1, false, INFINITY));
       },
       [](const A& x) {
         return norm_of(x[0], {1}, false, 1) + norm_of(x[0], {1}, false, 2.5) +
                square(norm_of(x[0], {1}, false, INFINITY));
       },
       "a?b>1..."},
      {"nanmean and nansum",
       {{3, 5}},
       [](const T& x) { return nanmean(square(x[0]), 1) * nansum(x[0], 1); },
       [](const A& x) { return naive::mean(square(x[0]), {1}) * naive::sum(x[0], {1}); },
       "a?b..."},
      {"nanmax and nanmin",
       {{3, 5}},
       [](const T& x) { return square(nanmax(x[0], 1)) + nanmin(x[0], 1); },
       [](const A& x) { return square(naive::max(x[0], {1})) + naive::min(x[0], {1}); },
       "a?b..."},
      {"ptp and average",
       {{3, 5}},
       [](const T& x) { return square(ptp(x[0], 1)) * average(x[0], x[0] + 3, 1); },
       [](const A& x) {
         const Array weights = x[0] + 3, average = naive::sum(x[0] * weights, {1}) / naive::sum(weights, {1});
         return square(naive::max(x[0], {1}) - naive::min(x[0], {1})) * average;
       },
       "a?b..."},
      {"trace, cov and corrcoef",
       {{3, 4}},
       [](const T& x) { return trace(x[0]) * cov(x[0]) + corrcoef(x[0]); },
       [](const A& x) { return trace_of(x[0]) * cov_of(x[0], 1) + corrcoef_of(x[0]); },
       "ab>3"},
      {"tiles",
       {{5, 6}},
       [](const T& x) {
         return square(PartitionView(x[0], {2, 4}).sum());
       },
       [](const A& x) {
         return square(naive::reduce_tiles(x[0], {2, 4}, DType::f32, [](const std::vector<double>& tile) {
           double total = 0;
           for (const double v : tile) total += v;
           return total;
         }));
       },
       "a?b?"},
      {"largest and smallest of tiles",
       {{5, 6}},
       [](const T& x) {
         const PartitionView tiles(x[0], {2, 4});
         return square(tiles.max()) + 3 * tiles.min();
       },
       [](const A& x) {
         const auto largest = [](const std::vector<double>& tile) {
           return *std::max_element(tile.begin(), tile.end());
         };
         const auto least = [](const std::vector<double>& tile) { return *std::min_element(tile.begin(), tile.end()); };
         return square(naive::reduce_tiles(x[0], {2, 4}, DType::f32, largest)) +
                3 * naive::reduce_tiles(x[0], {2, 4}, DType::f32, least);
       },
       "ab"},
  };
}

}  // namespace eglantine::test
