#include "lower/driver_copies.hpp"

#include <optional>

#include "graph/expression.hpp"
#include "layout/layout.hpp"

namespace eglantine::gl {
namespace {

/// Elements of a row that is worth a call, which takes 0.3 us; a kernel takes 0.7 to 1.3 ns an element.
constexpr int64_t shortest_row = 512;

/// Rows run along the last axis.
int64_t length_of_rows(const Layout& x) { return x.shape[x.shape.rank() - 1]; }
bool has_whole_rows(const Layout& x) { return length_of_rows(x) == 1 || x.strides.back() == 1; }

/// Where the rows begin, in row-major order.
std::vector<int64_t> row_starts(const Layout& x) {
  std::vector<int64_t> starts{x.offset};
  for (int axis = 0; axis + 1 < x.shape.rank(); ++axis) {
    std::vector<int64_t> more;
    more.reserve(starts.size() * static_cast<size_t>(x.shape[axis]));
    for (int64_t start : starts)
      for (int64_t i = 0; i < x.shape[axis]; ++i) more.push_back(start + i * x.strides[static_cast<size_t>(axis)]);
    starts = std::move(more);
  }
  return starts;
}

/// Copies the rows that begin at `starts` to those of `to`.
void copy_rows(Runtime& runtime, const Strided& from, const std::vector<int64_t>& starts, const Strided& to) {
  const int64_t size = element_bytes(to), bytes = length_of_rows(to.layout) * size;
  const std::vector<int64_t> ends = row_starts(to.layout);
  std::vector<Stretch> rows;
  rows.reserve(starts.size());
  for (size_t row = 0; row < starts.size(); ++row) rows.push_back({starts[row] * size, ends[row] * size, bytes});
  runtime.copy(*from.buffer, *to.buffer, rows);
}

/// Elements as they lie in memory, or the "copy" of them that a view is read by.
bool only_moves(const Expr& expr) {
  return is_only(expr, Op::load) ||
         (expr.code.size() == 2 && expr.code[0].op == Op::load && expr.code[1].op == Op::copy);
}

bool takes_rows(const GatherKernel& kernel) {
  if (!is_only(kernel.index, Op::load) || !is_only(kernel.consumer, Op::core)) return false;
  return kernel.index.operands.front().layout.strides.back() == 0 &&
         element_bytes(kernel.source) == element_bytes(kernel.out) &&
         length_of_rows(kernel.source.layout) >= shortest_row && has_whole_rows(kernel.source.layout) &&
         has_whole_rows(kernel.out.layout);
}

/// The index of each row; nothing where they lie so far apart that the host would read much else.
std::optional<std::vector<int32_t>> indices_of_rows(Runtime& runtime, const Strided& index) {
  constexpr int64_t words_an_index = 4;
  const std::vector<int64_t> places = row_starts(index.layout);
  const layout::Reach reach = layout::reach(index.layout);
  if (reach.count() > words_an_index * static_cast<int64_t>(places.size())) return std::nullopt;
  std::vector<int32_t> words(static_cast<size_t>(reach.count())), indices;
  runtime.read(*index.buffer, reach.first * size_of(index.dtype), std::as_writable_bytes(std::span(words)));
  indices.reserve(places.size());
  for (int64_t place : places) indices.push_back(words[static_cast<size_t>(place - reach.first)]);
  return indices;
}

}  // namespace

bool copy_by_driver(Runtime& runtime, const MapKernel& kernel) {
  if (!runtime.target().software || !only_moves(kernel.value)) return false;
  const Strided& from = kernel.value.operands.front();
  const int64_t length = length_of_rows(from.layout);
  if (length < shortest_row && length < from.layout.size()) return false;
  if (element_bytes(from) != element_bytes(kernel.out)) return false;
  if (!has_whole_rows(from.layout) || !has_whole_rows(kernel.out.layout)) return false;
  copy_rows(runtime, from, row_starts(from.layout), kernel.out);
  return true;
}

bool copy_by_driver(Runtime& runtime, const GatherKernel& kernel) {
  if (!runtime.target().software || !takes_rows(kernel)) return false;
  const auto indices = indices_of_rows(runtime, kernel.index.operands.front());
  if (!indices) return false;
  std::vector<int64_t> starts = row_starts(kernel.source.layout);
  for (size_t row = 0; row < starts.size(); ++row) {
    const int64_t index = (*indices)[row], place = index < 0 ? index + kernel.length : index;
    if (place < 0 || place >= kernel.length) return false;
    starts[row] += place * kernel.stride;
  }
  copy_rows(runtime, kernel.source, starts, kernel.out);
  return true;
}

}  // namespace eglantine::gl
