#include "lower/copies.hpp"

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/packing.hpp"

namespace eglantine::lower {
namespace {

/// Elements of a row from which on a copy pays: a call takes 0.3 us, a kernel 0.7 to 1.3 ns an element.
constexpr int64_t shortest_row = 512;
/// Where a kernel takes 60 ns an element, by atomics.
constexpr int64_t shortest_shared = 16;

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

/// From the rows that begin at `starts` to the rows of `to`.
Copy copy_rows(const Strided& from, const std::vector<int64_t>& starts, const Strided& to) {
  const int64_t size = bytes_of(to.storage), bytes = length_of_rows(to.layout) * size;
  const std::vector<int64_t> ends = row_starts(to.layout);
  Copy copy{from.buffer.get(), to.buffer.get(), {}};
  copy.ranges.reserve(starts.size());
  for (size_t row = 0; row < starts.size(); ++row) copy.ranges.push_back({starts[row] * size, ends[row] * size, bytes});
  return copy;
}

/// A lone load, or the "copy" operation that reads a view.
bool only_moves(const Expr& expr) {
  return is_only(expr, Op::load) || (expr.piecewise.empty() && expr.code.size() == 2 && expr.code[0].op == Op::load &&
                                     expr.code[1].op == Op::copy);
}

const Layout& index_layout(const GatherKernel& kernel) { return kernel.index.operands.front().layout; }

int64_t count_of_rows(const Layout& x) { return x.shape.elements() / length_of_rows(x); }

}  // namespace

std::optional<Copy> copy_of(const Target& target, const MapKernel& kernel) {
  if (!target.software || !only_moves(kernel.value)) return std::nullopt;
  const Strided& from = kernel.value.operands.front();
  const int64_t length = length_of_rows(from.layout), shortest = shares_words(kernel) ? shortest_shared : shortest_row;
  if (length < shortest && length < from.layout.size()) return std::nullopt;
  if (from.storage != kernel.out.storage) return std::nullopt;
  if (!has_whole_rows(from.layout) || !has_whole_rows(kernel.out.layout)) return std::nullopt;
  return copy_rows(from, row_starts(from.layout), kernel.out);
}

bool gathers_rows(const Target& target, const GatherKernel& kernel) {
  if (!target.software || kernel.lookup != Lookup::element || !is_only(kernel.index, Op::load) ||
      !is_only(kernel.epilogue, Op::accumulator))
    return false;
  const bool rows = index_layout(kernel).strides.back() == 0 && kernel.source.storage == kernel.out.storage &&
                    length_of_rows(kernel.source.layout) >= shortest_row && has_whole_rows(kernel.source.layout) &&
                    has_whole_rows(kernel.out.layout);
  // Where they lie far apart the host would read much else.
  constexpr int64_t words_an_index = 4;
  return rows && indices_of_rows(kernel).count() <= words_an_index * count_of_rows(index_layout(kernel));
}

layout::Reach indices_of_rows(const GatherKernel& kernel) { return layout::reach(index_layout(kernel)); }

std::optional<Copy> copy_of_rows(const GatherKernel& kernel, std::span<const int32_t> indices) {
  const std::vector<int64_t> places = row_starts(index_layout(kernel));
  std::vector<int64_t> starts = row_starts(kernel.source.layout);
  for (size_t row = 0; row < starts.size(); ++row) {
    const int64_t index = indices[static_cast<size_t>(places[row] - indices_of_rows(kernel).first)];
    const int64_t place = index < 0 ? index + kernel.length : index;
    if (place < 0 || place >= kernel.length) return std::nullopt;
    starts[row] += place * kernel.stride;
  }
  return copy_rows(kernel.source, starts, kernel.out);
}

}  // namespace eglantine::lower
