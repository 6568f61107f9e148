#pragma once

#include <string_view>
#include <vector>

#include "verbs/index/index.hpp"

/// What a list of indices means of a tensor.
namespace eglantine::verbs {

/// An i32 tensor that names places along an axis.
struct TensorIndex {
  int axis;         ///< of the selection
  int source_axis;  ///< of the indexed tensor
  Tensor places;
};

/// A tensor's elements that integers and slices select, as a layout over its positions, and the tensors that then pick
/// from some of its axes.
struct Selection {
  Layout view;
  std::vector<TensorIndex> tensors;  ///< by axis; their places have one shape
  int at = 0;  ///< the axis of the result, of those that no tensor indexes, before which the places' axes stand

  Shape places() const { return tensors.front().places.shape(); }
  Shape rest() const;    ///< the lengths of the axes that no tensor indexes
  Shape result() const;  ///< of the picked elements
};

/// Resolves masks, which waits for them. Throws as Tensor::index does, naming `function`.
Selection resolve(std::string_view function, const Tensor& x, const std::vector<Index>& indices);

/// The one index, where it is a mask of x's first axes; nothing has to resolve it.
const Tensor* leading_mask(const Tensor& x, const std::vector<Index>& indices);

/// x, or the view of it that a selection's integers and slices make.
Tensor selected(const Tensor& x, const Selection& selection);

}  // namespace eglantine::verbs
