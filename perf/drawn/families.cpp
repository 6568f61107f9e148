#include "perf/drawn/families.hpp"

#include "graph/node.hpp"

namespace eglantine::perf::drawn {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"unary", draw_unary},
      {"binary", draw_binary},
      {"convert", draw_convert},
      {"chain", draw_chain},
      {"reduce_all", draw_reduce_all},
      {"reduce_axes", draw_reduce_axes},
      {"argreduce", draw_argreduce},
      {"scan", draw_scan},
      {"rows", draw_rows},
      {"columns", draw_columns},
      {"statistics", draw_statistics},
      {"movement", draw_movement},
      {"join", draw_join},
      {"take", draw_take},
      {"take_along", draw_take_along},
      {"adding", draw_adding},
      {"select", draw_select},
      {"sort", draw_sort},
      {"topk", draw_topk},
      {"random", draw_random},
      {"matmul", draw_matmul},
      {"einsum", draw_einsum},
      {"layers", draw_layers},
      {"convolution", draw_convolution},
      {"pooling", draw_pooling},
      {"attention", draw_attention},
      {"losses", draw_losses},
      {"distances", draw_distances},
      {"n_body", draw_n_body},
      {"stencil", draw_stencil},
      {"masks", draw_masks},
      {"gradients", draw_gradients},
      {"training", draw_training},
  };
  return all;
}

Tensor copied(const Tensor& x) { return Tensor(make_elementwise(Op::copy, x.dtype(), {x.node(), nullptr, nullptr})); }

}  // namespace eglantine::perf::drawn
