#include "eglantine/verbs/counting.hpp"
#include "eglantine/verbs/order.hpp"
#include "eglantine/verbs/products.hpp"
#include "eglantine/verbs/reductions.hpp"
#include "eglantine/verbs/scans.hpp"
#include "eglantine/verbs/statistics.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {
namespace {

std::vector<Tensor> every_unique(const Tensor& x) {
  const UniqueAll all = unique_all(x);
  return {all.values, all.indices, all.inverse_indices, all.counts};
}

std::vector<Tensor> unique_and_counts(const Tensor& x) {
  const UniqueCounts some = unique_counts(x);
  return {some.values, some.counts};
}

std::vector<Tensor> unique_and_inverse(const Tensor& x) {
  const UniqueInverse some = unique_inverse(x);
  return {some.values, some.inverse_indices};
}

}  // namespace

const VerbTable& reduction_verbs() {
  static const VerbTable table = {
      EG_VERB(sum),
      EG_VERB(prod),
      EG_VERB(max),
      EG_VERB(min),
      EG_VERB(mean),
      EG_VERB(var),
      EG_VERB(any),
      EG_VERB(all),
      EG_VERB(logsumexp),
      EG_VERB(softmax),
      EG_VERB(log_softmax),
      EG_VERB(multiply_sum),
      EG_VERB(stddev),
      EG_VERB(moments),
      EG_VERB(norm),
      EG_VERB(count_nonzero),
      EG_VERB(nansum),
      EG_VERB(nanmean),
      EG_VERB(nanmax),
      EG_VERB(nanmin),
      EG_VERB(median),
      EG_VERB(quantile),
      EG_VERB(ptp),
      EG_VERB(average),
      EG_VERB(trace),
      EG_VERB(cov),
      EG_VERB(corrcoef),
      EG_VERB(diff),
      EG_VERB(cumsum),
      EG_VERB(cumprod),
      EG_VERB(cummax),
      EG_VERB(cummin),
      EG_VERB(logcumsumexp),
      EG_VERB(matmul),
      EG_VERB(dot),
      EG_VERB(outer),
      EG_VERB(inner),
      EG_VERB(kron),
      EG_VERB(cross),
      EG_VERB(tensordot),
      EG_VERB(einsum),
      EG_VERB(sort),
      EG_VERB(argsort),
      EG_VERB(topk),
      EG_VERB(sort_by_key),
      EG_VERB(searchsorted),
      EG_VERB(bincount),
      EG_VERB(histogram),
      {"argmax", choose<Tensor(const Tensor&, int, bool)>(argmax)},
      {"argmin", choose<Tensor(const Tensor&, int, bool)>(argmin)},
      {"argmax_of_all", choose<Tensor(const Tensor&)>(argmax)},
      {"argmin_of_all", choose<Tensor(const Tensor&)>(argmin)},
      {"unique_all", call(every_unique)},
      {"unique_counts", call(unique_and_counts)},
      {"unique_inverse", call(unique_and_inverse)},
      EG_VERB(unique_values),
  };
  return table;
}

}  // namespace eglantine::peers
