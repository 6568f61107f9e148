#pragma once

#include <unordered_map>

#include "eglantine/grad.hpp"
#include "graph/node.hpp"

/// A function that has run on one slice, for all slices at once: what it made, made again with a first axis along which
/// the slices lie. One rule a kind of node.
namespace eglantine::mapping {

/// The values of all slices.
class Batch {
 public:
  explicit Batch(int64_t slices) : slices_(slices) {}

  int64_t slices() const { return slices_; }
  /// Whether it differs from slice to slice.
  bool varies(const NodePtr& x) const { return x && all_.count(x.get()) != 0; }
  /// x of all slices, (slices, x's shape...); repeated where it is the same in each.
  Tensor of(const NodePtr& x) const;
  /// The same, or x as it is where it is the same in each.
  Tensor where_varied(const NodePtr& x) const { return varies(x) ? of(x) : Tensor(x); }
  void set(const NodePtr& x, const Tensor& all) { all_[x.get()] = all; }

  /// lengths or strides with that of the slices in front.
  Shape with_slices(const Shape& shape) const;
  Layout with_slices(const Layout& layout, int64_t stride) const;

 private:
  int64_t slices_;
  std::unordered_map<const Node*, Tensor> all_;
};

/// Whether x, made from what varies, can be made for so many slices: tensors have room for the axis and the elements,
/// and no derivative outside asks for one of x's own. Under a GraphLock.
bool can_batch(const Node& x, int64_t slices);

/// x of all slices. `origin`: what x was made from, of which `batch` has what varies.
Tensor batched(const NodePtr& x, const nodes::Value& origin, const Batch& batch);

}  // namespace eglantine::mapping
