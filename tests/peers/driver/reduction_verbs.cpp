#include "eglantine/order.hpp"
#include "eglantine/products.hpp"
#include "eglantine/reductions.hpp"
#include "eglantine/scans.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

const VerbTable& reduction_verbs() {
  static const VerbTable table = {
      EG_VERB(sum),       EG_VERB(prod),         EG_VERB(max),    EG_VERB(min),         EG_VERB(mean),
      EG_VERB(var),       EG_VERB(any),          EG_VERB(all),    EG_VERB(argmax),      EG_VERB(argmin),
      EG_VERB(logsumexp), EG_VERB(softmax),      EG_VERB(cumsum), EG_VERB(cumprod),     EG_VERB(cummax),
      EG_VERB(cummin),    EG_VERB(log_softmax),  EG_VERB(matmul), EG_VERB(dot),         EG_VERB(sort),
      EG_VERB(argsort),   EG_VERB(multiply_sum), EG_VERB(topk),   EG_VERB(sort_by_key),
  };
  return table;
}

}  // namespace eglantine::peers
