#include "eglantine/index.hpp"
#include "eglantine/verbs/indices.hpp"
#include "eglantine/verbs/segments.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {
namespace {

using Indices = std::vector<Index>;

/// x = x.index_put(to, x.index(source)) so many times; where `computed`, x is computed after each.
Tensor index_put_of_itself(const Tensor& given, const Indices& to, const Indices& source, int64_t times,
                           bool computed) {
  Tensor x = given;
  for (int64_t time = 0; time < times; ++time) {
    x = x.index_put(to, x.index(source));
    if (computed) x.eval();
  }
  return x;
}

}  // namespace

const VerbTable& index_verbs() {
  static const VerbTable table = {
      EG_VERB(take),
      EG_VERB(gather),
      EG_VERB(scatter),
      EG_VERB(scatter_add),
      EG_VERB(scatter_mul),
      EG_VERB(scatter_max),
      EG_VERB(scatter_min),
      EG_VERB(take_along_axis),
      EG_VERB(index_add),
      EG_VERB(segment_sum),
      EG_VERB(segment_max),
      EG_VERB(gather_nd),
      EG_VERB(scatter_nd),
      EG_VERB(scatter_nd_add),
      EG_VERB(one_hot),
      EG_VERB(compress),
      EG_VERB(nonzero),
      EG_VERB(unique),
      {"index", call(&Tensor::index)},
      {"index_put", call(&Tensor::index_put)},
      {"index_put_add", call(&Tensor::index_put_add)},
      {"index_put_of_itself", call(index_put_of_itself)},
  };
  return table;
}

}  // namespace eglantine::peers
