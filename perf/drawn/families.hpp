#pragma once

#include <string_view>
#include <vector>

#include "perf/drawn/sketch.hpp"

/// The families of drawn works. Each draws verb, shapes, layouts, types and parameters of a work, and how this library
/// does it; the tables of perf/peers/drawn have their counterparts by the names of family and verb.
namespace eglantine::perf::drawn {

struct Family {
  std::string_view name;
  void (*draw)(Sketch&);
};

/// All of them: equally likely.
const std::vector<Family>& families();

/// The tensor's elements in a tensor of its own: what a reader of a view pays for, where a verb alone is a view.
Tensor copied(const Tensor& x);

// maps.cpp
void draw_unary(Sketch& s);    ///< f(x)
void draw_binary(Sketch& s);   ///< f(x, y), y broadcast along some axes
void draw_convert(Sketch& s);  ///< between element types
// chains.cpp
void draw_chain(Sketch& s);  ///< fused chains of maps as users write them
// reductions.cpp
void draw_reduce_all(Sketch& s);
void draw_reduce_axes(Sketch& s);  ///< the first, the last, some
void draw_argreduce(Sketch& s);
void draw_scan(Sketch& s);
// rows.cpp
void draw_rows(Sketch& s);     ///< softmax, norms and their kin along the last axis
void draw_columns(Sketch& s);  ///< the same along the first, and batch_norm in training
void draw_statistics(Sketch& s);
// movement.cpp
void draw_movement(Sketch& s);
void draw_join(Sketch& s);  ///< concatenate, stack, pad, roll, repeat, tile
// indices.cpp
void draw_take(Sketch& s);
void draw_take_along(Sketch& s);
void draw_adding(Sketch& s);  ///< scatter_add, index_add, index_put_add, segment_sum, bincount
void draw_select(Sketch& s);  ///< compress, nonzero: they wait
// order.cpp
void draw_sort(Sketch& s);
void draw_topk(Sketch& s);
void draw_random(Sketch& s);
// products.cpp
void draw_matmul(Sketch& s);
void draw_einsum(Sketch& s);
void draw_layers(Sketch& s);  ///< products with what networks do around them
// network.cpp
void draw_convolution(Sketch& s);
void draw_pooling(Sketch& s);
void draw_attention(Sketch& s);
void draw_losses(Sketch& s);
// points.cpp
void draw_distances(Sketch& s);
void draw_n_body(Sketch& s);
// programs.cpp
void draw_stencil(Sketch& s);
void draw_masks(Sketch& s);
// gradients.cpp
void draw_gradients(Sketch& s);
// training.cpp
void draw_training(Sketch& s);

}  // namespace eglantine::perf::drawn
