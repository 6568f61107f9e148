#pragma once

#include <map>
#include <vector>

#include "eglantine/shape.hpp"
#include "verbs/einsum/subscripts.hpp"

/// Which axes of which operands are one index of a sum of products; without tensors.
namespace eglantine::verbs {

/// The index of an axis: a letter, or -1, -2, ... for the last axis under an ellipsis, the one before it, ...
using Label = int;
using Labels = std::vector<Label>;  ///< of the axes of a tensor, in their order
using Lengths = std::map<Label, int64_t>;

bool contains(const Labels& labels, Label label);
/// The product of the lengths, in double: of intermediates that are only compared, it may pass 64 bits.
double elements_of(const Labels& labels, const Lengths& lengths);
Shape shape_of(const Labels& labels, const Lengths& lengths);

/// A sum of products: the product of the operands' elements at each place of all labels, summed over those that the
/// output lacks.
struct SumOfProducts {
  std::vector<Labels> operands;
  Labels output;
  Lengths lengths;
};

/// Labels the axes of operands of these shapes. Throws ShapeError where a rank does not fit its subscript, a label has
/// two lengths (1 broadcasts, but not within one operand), the output lacks the ellipsis though axes stand under it, or
/// has more than max_rank axes; Error where there are not as many shapes as subscripts.
SumOfProducts label_axes(const Subscripts& subscripts, const std::vector<Shape>& shapes);

}  // namespace eglantine::verbs
