#pragma once

#include "verbs/einsum/labels.hpp"

/// How a sum of products of two operands is computed; without tensors.
namespace eglantine::verbs {

/// An operand as it is planned with: the axes' labels, no two the same, and where its elements lie.
struct LabelledLayout {
  Labels labels;
  Layout layout;
};

struct PairPlan {
  enum class Form {
    product,         ///< nothing is summed: element by element
    sum_of_product,  ///< sum(a * b, axes): fused, reads both through any strides
    matmul,          ///< (batch..., rows, summed) x (batch..., summed, columns), each group merged to one axis
  };
  Form form;
  bool swapped;  ///< the second operand is the left one, which has the rows
  /// The labels of both operands: those of both and of the result, of the left one, of the right one, and of both and
  /// not of the result. batch is in the order of the result; the others are in one that merges without a copy where
  /// there is one, rows and columns else in the order of the result.
  Labels batch, rows, columns, summed;

  Labels result() const;  ///< batch, rows, columns
};

/// `result`: the labels to be kept, in the order that is wanted, none in neither operand. Any other label is in both
/// operands (what one alone has was summed before). The operands' lengths of a label are equal.
PairPlan plan_pair(const LabelledLayout& a, const LabelledLayout& b, const Labels& result);

/// Whether the axes of these labels are one axis in that order, without a copy.
bool merges(const LabelledLayout& x, const Labels& labels);

}  // namespace eglantine::verbs
