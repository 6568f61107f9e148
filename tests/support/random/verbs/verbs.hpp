#pragma once

#include <cstdint>
#include <span>

#include "support/array.hpp"

/// What random graphs draw from.
namespace eglantine::test {

/// a and b have lengths n or 1. p is 0 or 1, usually an axis; q chooses among a verb's variants.
template <class T>
struct Operands {
  const T &a, &b;
  int64_t p, q, n;
};
using Tensors = Operands<Tensor>;
using Arrays = Operands<Array>;

/// A verb from such operands to a value like them, of the same dtype.
struct GraphVerb {
  const char* name;
  int weight;
  Tensor (*apply)(const Tensors&);
  Array (*reference)(const Arrays&);  ///< by naive loops in i32; null: f32 alone
};

std::span<const GraphVerb> elementwise_graph_verbs();
std::span<const GraphVerb> creation_graph_verbs();
std::span<const GraphVerb> movement_graph_verbs();
std::span<const GraphVerb> arrangement_graph_verbs();
std::span<const GraphVerb> index_graph_verbs();
std::span<const GraphVerb> counting_graph_verbs();
std::span<const GraphVerb> reduction_graph_verbs();
std::span<const GraphVerb> statistics_graph_verbs();
std::span<const GraphVerb> convolution_graph_verbs();
std::span<const GraphVerb> pooling_graph_verbs();

/// One of `count` variants.
template <class T>
size_t variant(const Operands<T>& o, size_t count) {
  return static_cast<size_t>(o.q) % count;
}

/// p as an axis.
template <class T>
int axis(const Operands<T>& o) {
  return static_cast<int>(o.p);
}

/// a, or b, expanded to full length.
Tensor full(const Tensor& x, int64_t n);
Array full(const Array& x, int64_t n);

}  // namespace eglantine::test
