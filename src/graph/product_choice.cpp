#include "graph/product_choice.hpp"

#include <algorithm>
#include <cstdlib>

#include "graph/traversal.hpp"

namespace eglantine {

namespace {

constexpr int64_t most_columns = 16;
// Of smaller matrices a kernel's start takes longer than their reading.
constexpr int64_t fewest_rows = 32, fewest_summed = 32, fewest_shown_again = 8;
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

/// What x shows in other places; null for what is no view.
const Node* source_shown(const Node& x) {
  if (const auto* view = x.as<nodes::View>()) return view->source.get();
  const auto* remap = x.as<nodes::Remap>();
  return remap != nullptr ? remap->source.get() : nullptr;
}

const Node* copied_by(const Node& x) {
  const auto* copy = x.as<nodes::Elementwise>();
  return copy != nullptr && copy->op == Op::copy ? copy->args[0].get() : nullptr;
}

/// The lengths of `count` axes from the first-th on, multiplied.
int64_t elements_along(const Node& x, int first, int count) {
  int64_t elements = 1;
  for (int axis = first; axis < first + count; ++axis) elements *= x.shape[axis];
  return elements;
}

// Of smaller windows the copy's dispatch takes as long as it saves: elements that software devices read, and of the
// padded tensor on GPUs, where few columns gain as little.
constexpr int64_t fewest_reads = int64_t{1} << 19, fewest_padded = int64_t{1} << 20, fewest_columns = 64;
// How often each element is read, where a copy pays.
constexpr int64_t often_on_software = 2, often_on_gpus = 8;

/// Whether sums of windows, in so many rows, take a GPU longer where each element is asked whether it is padding than
/// where a padded copy is made first (docs/performance-notes.md). Of more rows than the 64 of a tile what is asked once
/// serves so many multiplications that the copy takes as long; tiles of 17 to 32 rows wait for no answer.
bool gains_by_padding(int64_t rows) { return rows <= 16 || (rows > 32 && rows <= 64); }

/// Whether a matrix that is not computed shows what it is of in windows.
bool shows_again(const Node& matrix) {
  const Node* at = &matrix;
  while (!at->is_computed()) {
    const Node* next = copied_by(*at) != nullptr ? copied_by(*at) : source_shown(*at);
    if (next == nullptr) break;
    at = next;
  }
  return matrix.shape.elements() > at->shape.elements();
}

}  // namespace

bool is_scattered(const Node& x) {
  // Smaller ones lie in a cache: a copy's dispatch takes as long as it saves.
  constexpr int64_t line = 8, fewest = int64_t{1} << 18;
  const auto* view = x.as<nodes::View>();
  if (view == nullptr || x.shape.elements() < fewest) return false;
  int64_t last = 0, least = line;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    if (x.shape[axis] == 1) continue;
    last = std::abs(view->layout.strides[static_cast<size_t>(axis)]);
    if (last > 0) least = std::min(least, last);
  }
  return last >= line && least < line;
}

bool has_few_columns(int64_t m, int64_t n, int64_t k, bool shown_again) {
  return std::min(m, n) <= most_columns && std::max(m, n) >= fewest_rows &&
         k >= (shown_again ? fewest_shown_again : fewest_summed);
}

std::optional<FewColumns> few_columns_of(const Node& product) {
  const auto& operands = *product.as<nodes::Matmul>();
  const int batch = product.shape.rank() - 2;
  const int64_t m = product.shape[batch], n = product.shape[batch + 1], k = operands.a->shape[batch + 1];
  FewColumns few{.of_rows = m < n};
  int64_t columns = std::min(m, n);
  const Node& matrix = *few.matrix(operands);
  if (!has_few_columns(m, n, k, k < fewest_summed && shows_again(matrix))) return std::nullopt;
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

const Node* scattered_windows(const Node& x, int64_t elements_read) {
  constexpr int64_t often = 4;
  const Node* at = &x;
  while (at != nullptr && !at->is_computed()) {
    const Node* copied = copied_by(*at);
    if (copied != nullptr && is_scattered(*copied) && elements_read >= often * at->shape.elements()) return at;
    at = copied != nullptr ? copied : source_shown(*at);
  }
  return nullptr;
}

const Node* padded_windows(const nodes::Contraction& sums, bool gpu) {
  const Node& windows = *sums.b;
  const Node& padded = *behind_views(sums.b);
  const int64_t reads = windows.shape.elements(), elements = padded.shape.elements();
  if (padded.as<nodes::Remap>() == nullptr) return nullptr;
  if (!gpu) return reads >= fewest_reads && reads >= often_on_software * elements ? &padded : nullptr;
  const int64_t columns = elements_along(windows, sums.batch, sums.columns);
  if (columns < fewest_columns || !gains_by_padding(elements_along(*sums.a, sums.batch, sums.rows))) return nullptr;
  const bool sums_are_long = reads / columns >= columns, is_large = elements >= fewest_padded;
  return sums_are_long && is_large && reads >= often_on_gpus * elements ? &padded : nullptr;
}

}  // namespace eglantine
