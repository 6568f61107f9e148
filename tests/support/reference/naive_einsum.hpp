#pragma once

#include <string>
#include <vector>

#include "support/array.hpp"

/// Sums of products and attention, as naive loops in double.
namespace eglantine::test::naive {

/// The sum of products of operands whose axis i is labels[i] each, at the labels of `output`: a loop over every place
/// of all labels. A length of 1 broadcasts. Integers wrap, i8 and u8 give i32.
Array einsum(const std::vector<std::string>& labels, const std::string& output, const std::vector<Array>& operands);
/// The sums of the products' absolute values, and how many products each is of: what an error is relative to.
Array absolute_einsum(const std::vector<std::string>& labels, const std::string& output,
                      const std::vector<Array>& operands);
int64_t products_summed(const std::vector<std::string>& labels, const std::string& output,
                        const std::vector<Array>& operands);

struct Masking {
  const Array* mask = nullptr;  ///< boolean, or a float that is added
  bool causal = false;
};
/// softmax(scale q k^T + mask) v of each head; q's heads may be a multiple of k's and v's. Rows that see nothing: 0.
Array attention(const Array& q, const Array& k, const Array& v, double scale, const Masking& masking);
/// The logarithm of the sum of the exponentials of each row's scores; -infinity of a row that sees nothing.
Array attention_logsumexp(const Array& q, const Array& k, double scale, const Masking& masking);

struct AttentionGradients {
  Array q, k, v;
};
/// What attention gives back of a cotangent g of its result, and of one of its logsumexp (of the result's shape but the
/// last axis; null: zero). q has all of the result's leading axes.
AttentionGradients attention_gradients(const Array& q, const Array& k, const Array& v, const Array& g, double scale,
                                       const Masking& masking, const Array* of_logsumexp = nullptr);

}  // namespace eglantine::test::naive
