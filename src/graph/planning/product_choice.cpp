#include "graph/planning/product_choice.hpp"

#include <algorithm>

namespace eglantine {

namespace {

constexpr int64_t most_columns = 16;
// Of smaller matrices a kernel's start takes longer than their reading.
constexpr int64_t fewest_rows = 32, fewest_summed = 32;
// Shaders number rows, steps and results in 32 bits.
constexpr int64_t most_numbers = int64_t{1} << 30;

/// Whether a node is the same along an axis.
bool is_broadcast(const Node& x, int axis) {
  const auto* view = x.as<nodes::View>();
  return x.shape[axis] == 1 || (view != nullptr && view->layout.strides[static_cast<size_t>(axis)] == 0);
}

/// Whether several batches have one matrix: a product with more columns reads that once.
bool is_shared(const Node& matrix, int batch_axes) {
  int64_t batches = 1;
  bool shared = true;
  for (int axis = 0; axis < batch_axes; ++axis) {
    batches *= matrix.shape[axis];
    shared = shared && is_broadcast(matrix, axis);
  }
  return shared && batches > 1;
}

}  // namespace

bool has_few_columns(int64_t m, int64_t n, int64_t k) {
  return std::min(m, n) <= most_columns && std::max(m, n) >= fewest_rows && k >= fewest_summed;
}

std::optional<FewColumns> few_columns_of(const Node& product) {
  const auto& operands = *product.as<nodes::Matmul>();
  const int batch = product.shape.rank() - 2;
  const int64_t m = product.shape[batch], n = product.shape[batch + 1], k = operands.a->shape[batch + 1];
  FewColumns few{.of_rows = m < n};
  int64_t columns = std::min(m, n);
  if (!has_few_columns(m, n, k)) return std::nullopt;
  const Node& matrix = *few.matrix(operands);
  if (k > most_numbers || product.shape.elements() > most_numbers) return std::nullopt;
  // Of several columns, those of another batch would not follow in the order of the results.
  const bool may_merge = few.of_rows || columns == 1;
  for (int axis = batch - 1; axis >= 0 && may_merge && is_broadcast(matrix, axis); --axis) {
    columns *= product.shape[axis];
    if (columns > most_columns) break;
    ++few.merged_batches;
  }
  if (is_shared(matrix, batch - few.merged_batches)) return std::nullopt;
  return few;
}

}  // namespace eglantine
