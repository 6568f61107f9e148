#pragma once

#include <initializer_list>
#include <string_view>

#include "eglantine/tensor.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {

/// Whether a verb of these may be one node: they lie in the order of their axes, no derivative is taken by them, and no
/// plan's parts are made.
bool may_be_one(const std::vector<NodePtr>& args);

/// What of.parts(of) makes, of this dtype and shape, as one node (nodes::Composite), which the caller makes in a
/// fraction of the time; where an argument is traced, a constant, or does not lie in the order of its axes, or within
/// another composite's parts, the nodes that it stands for. What of.parts() does must follow from the arguments and the
/// numbers alone, not from constants that arguments are made of, whose numbers other graphs of the same structure
/// change; and end with a node that is no view, which would be copied.
Tensor composite(DType dtype, const Shape& shape, nodes::Composite of);

/// The same of a formula of f32 over tensors of one shape, and over numbers that differ from one graph of the structure
/// to the next: constants of that shape behind the arguments, whose values of.parts() does not look at. function: in
/// the DTypeError of a number that f32 does not reach.
Tensor composite_with(nodes::Composite of, std::string_view function, std::initializer_list<double> numbers);

/// Whether x is computed element by element, as far as its own node says, or a composite, which may be.
inline bool is_made_of_elements(const Node& x) {
  return x.as<nodes::Elementwise>() != nullptr || x.as<nodes::Composite>() != nullptr;
}

/// A composite's numbers, the last of which are axes.
std::vector<int64_t> with_axes(std::vector<int64_t> numbers, const Axes& axes);
/// Those from number `first` on.
Axes axes_from(const std::vector<int64_t>& numbers, size_t first);

}  // namespace eglantine::verbs
