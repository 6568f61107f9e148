#include <limits>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "verbs/narrow/narrow_verbs.hpp"

namespace eglantine::test {
namespace {

using T = const Tensor&;

constexpr OfBytes real = OfBytes::counts;

const NarrowVerb lines[] = {
    {"mean", real, [](T x) { return mean(x, 0); }},
    {"mean_of_rows", real, [](T x) { return has_rows(x) ? mean(x, 1, true) : mean(x, 0); }},
    {"var", real, [](T x) { return var(x, 0); }},
    {"stddev", real, [](T x) { return has_rows(x) ? stddev(x, 1, false, 1) : stddev(x, 0); }},
    {"moments", real, [](T x) { return has_rows(x) ? moments(x, 1).first : moments(x, 0).first; }},
    {"moments_variance", real, [](T x) { return has_rows(x) ? moments(x, 1).second : moments(x, 0).second; }},
    {"logsumexp", real, [](T x) { return logsumexp(x, 1); }},
    {"softmax", real, [](T x) { return softmax(x, 1); }},
    {"log_softmax", real, [](T x) { return log_softmax(x, 0); }},
    {"logcumsumexp", real, [](T x) { return logcumsumexp(x, 1); }},
    {"norm", real, [](T x) { return norm(x, 1); }},
    {"norm_1", real, [](T x) { return norm(x, 1, false, 1); }},
    {"norm_0", real, [](T x) { return norm(x, 1, false, 0); }},
    {"norm_3", real, [](T x) { return norm(x, 0, true, 3); }},
    {"norm_infinity", real, [](T x) { return norm(x, 0, false, std::numeric_limits<double>::infinity()); }},
    {"nanmean", real, [](T x) { return nanmean(x, 0); }},
    {"median", real, [](T x) { return has_rows(x) ? median(x, 1) : median(x, 0); }},
    {"median_of_two", real, [](T x) { return median(x.slice(0, 0, 2), 0); }},
    {"quantile", real, [](T x) { return quantile(x, 0.3, 0); }},
    {"quantile_0", real, [](T x) { return quantile(x, 0, 0); }},
    // Weights that lie in bytes would be converted anew by each of the two sums: fewer kernels than of wide ones.
    {"average", real, [](T x) { return average(x, is_float(x.dtype()) ? abs(x).eval() : widened(abs(x)).eval(), 0); }},
    {"average_of_numbers", real,
     [](T x) {
       return average(x, Tensor::from({1, 2, 3}, {3}), 0);
     }},
    {"cov", real, [](T x) { return has_rows(x) ? cov(x) : mean(x, 0); }},
    {"corrcoef", real, [](T x) { return x.shape()[1] > 1 ? corrcoef(x) : mean(x, 0); }},
    {"histogram", real, [](T x) { return histogram(x, 7, -1, 1).first; }},
    {"isclose", real, [](T x) { return isclose(x, x.flip({0}), 0.1, 0.01); }},
    {"isclose_to_a_number", real, [](T x) { return isclose(x, 1, 0, 3); }},
    {"categorical", real, [](T x) { return has_rows(x) ? categorical(x, 3) : mean(x, 0); }},
    {"bernoulli", real, [](T x) { return bernoulli(abs(x).eval(), x.shape(), 5); }},
};

}  // namespace

std::span<const NarrowVerb> narrow_statistics() { return lines; }

}  // namespace eglantine::test
