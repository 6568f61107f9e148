#include <limits>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "verbs/narrow/narrow_verbs.hpp"

namespace eglantine::test {
namespace {

using T = const Tensor&;

constexpr OfBytes of_counts = OfBytes::counts;

const NarrowVerb lines_of_statistics[] = {
    {"mean", of_counts, [](T x) { return mean(x, 0); }},
    {"mean_of_rows", of_counts, [](T x) { return has_rows(x) ? mean(x, 1, true) : mean(x, 0); }},
    {"var", of_counts, [](T x) { return var(x, 0); }},
    {"stddev", of_counts, [](T x) { return has_rows(x) ? stddev(x, 1, false, 1) : stddev(x, 0); }},
    {"moments", of_counts, [](T x) { return has_rows(x) ? moments(x, 1).first : moments(x, 0).first; }},
    {"moments_variance", of_counts, [](T x) { return has_rows(x) ? moments(x, 1).second : moments(x, 0).second; }},
    {"logsumexp", of_counts, [](T x) { return logsumexp(x, 1); }},
    {"softmax", of_counts, [](T x) { return softmax(x, 1); }},
    {"log_softmax", of_counts, [](T x) { return log_softmax(x, 0); }},
    {"logcumsumexp", of_counts, [](T x) { return logcumsumexp(x, 1); }},
    {"norm", of_counts, [](T x) { return norm(x, 1); }},
    {"norm_1", of_counts, [](T x) { return norm(x, 1, false, 1); }},
    {"norm_0", of_counts, [](T x) { return norm(x, 1, false, 0); }},
    {"norm_3", of_counts, [](T x) { return norm(x, 0, true, 3); }},
    {"norm_infinity", of_counts, [](T x) { return norm(x, 0, false, std::numeric_limits<double>::infinity()); }},
    {"nanmean", of_counts, [](T x) { return nanmean(x, 0); }},
    {"median", of_counts, [](T x) { return has_rows(x) ? median(x, 1) : median(x, 0); }},
    {"median_of_two", of_counts, [](T x) { return median(x.slice(0, 0, 2), 0); }},
    {"quantile", of_counts, [](T x) { return quantile(x, 0.3, 0); }},
    {"quantile_0", of_counts, [](T x) { return quantile(x, 0, 0); }},
    // Weights that lie in bytes would be converted anew by each of the two sums: fewer kernels than of wide ones.
    {"average", of_counts,
     [](T x) { return average(x, is_float(x.dtype()) ? abs(x).eval() : widened(abs(x)).eval(), 0); }},
    {"average_of_numbers", of_counts,
     [](T x) {
       return average(x, Tensor::from({1, 2, 3}, {3}), 0);
     }},
    {"cov", of_counts, [](T x) { return has_rows(x) ? cov(x) : mean(x, 0); }},
    {"corrcoef", of_counts, [](T x) { return x.shape()[1] > 1 ? corrcoef(x) : mean(x, 0); }},
    {"histogram", of_counts, [](T x) { return histogram(x, 7, -1, 1).first; }},
    {"isclose", of_counts, [](T x) { return isclose(x, x.flip({0}), 0.1, 0.01); }},
    {"isclose_to_a_number", of_counts, [](T x) { return isclose(x, 1, 0, 3); }},
    {"categorical", of_counts, [](T x) { return has_rows(x) ? categorical(x, 3) : mean(x, 0); }},
    {"bernoulli", of_counts, [](T x) { return bernoulli(abs(x).eval(), x.shape(), 5); }},
};

}  // namespace

std::span<const NarrowVerb> narrow_statistics() { return lines_of_statistics; }

}  // namespace eglantine::test
