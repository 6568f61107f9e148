#include "lower/copies.hpp"

#include <algorithm>
#include <cstdlib>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/packing.hpp"

namespace eglantine::lower {
namespace {

/// Elements of a row from which on a copy pays: a call of the driver takes 0.3 us, a kernel 0.7 to 1.3 ns an element.
constexpr int64_t shortest_row = 512;
/// Where a kernel takes 60 ns an element, by atomics.
constexpr int64_t shortest_shared = 16;
/// Of shorter rows the host copies those that follow each other in memory: others share their lines with rows far away.
constexpr int64_t line_bytes = 64;

/// Rows run along the last axis.
int64_t length_of_rows(const Layout& x) { return x.shape[x.shape.rank() - 1]; }
bool has_whole_rows(const Layout& x) { return length_of_rows(x) == 1 || x.strides.back() == 1; }

/// Whether no axis steps further than one before it.
bool is_in_order(const Layout& x) {
  int64_t nearest = 0;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t step = std::abs(x.strides[static_cast<size_t>(axis)]);
    if (step != 0 && step < nearest) return false;
    nearest = std::max(nearest, step);
  }
  return true;
}

/// Elements of the shortest rows that are copied. The host takes 2 ns for a row and 0.3 for an element.
int64_t shortest(const Target& target, const MapKernel& kernel) {
  const Strided& from = kernel.value.operands.front();
  if (target.maps_memory)
    return is_in_order(from.layout) && is_in_order(kernel.out.layout) ? 1 : line_bytes / bytes_of(from.storage);
  return shares_words(kernel) ? shortest_shared : shortest_row;
}

Layout without_rows(Layout x) {
  x.shape = Shape(x.shape.begin(), x.shape.end() - 1);
  x.strides.pop_back();
  return x;
}

/// The addresses of bytes where rows of so many elements begin.
Layout starts_of(const Strided& x, int64_t row) {
  Layout starts = row == 1 ? x.layout : without_rows(x.layout);
  starts.offset *= bytes_of(x.storage);
  for (int64_t& stride : starts.strides) stride *= bytes_of(x.storage);
  return starts;
}

/// In row-major order.
std::vector<int64_t> addresses_of(const Layout& x) {
  std::vector<int64_t> starts{x.offset};
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    std::vector<int64_t> more;
    more.reserve(starts.size() * static_cast<size_t>(x.shape[axis]));
    for (int64_t start : starts)
      for (int64_t i = 0; i < x.shape[axis]; ++i) more.push_back(start + i * x.strides[static_cast<size_t>(axis)]);
    starts = std::move(more);
  }
  return starts;
}

const Layout& index_layout(const GatherKernel& kernel) { return kernel.index.operands.front().layout; }

int64_t count_of_rows(const Layout& x) { return x.shape.elements() / length_of_rows(x); }

/// The operand whose elements an instruction has as they are; null where it computes.
const Strided* moved_by(const Expr& expr, int32_t instruction) {
  const Instruction* step = &expr.code[static_cast<size_t>(instruction)];
  while (step->op == Op::copy) step = &expr.code[static_cast<size_t>(step->args[0])];
  return step->op == Op::load ? &expr.operands[static_cast<size_t>(step->args[0])] : nullptr;
}

}  // namespace

bool only_moves(const Expr& expr) {
  const auto is_copy = [](const Instruction& step) { return step.op == Op::copy; };
  return expr.code.front().op == Op::load && std::all_of(expr.code.begin() + 1, expr.code.end(), is_copy);
}

std::optional<Copy> copy_of(const Target& target, const MapKernel& kernel) {
  if (!target.software || !only_moves(kernel.value) || !kernel.value.piecewise.empty()) return std::nullopt;
  const Strided &from = kernel.value.operands.front(), &to = kernel.out;
  const int64_t row = has_whole_rows(from.layout) && has_whole_rows(to.layout) ? length_of_rows(from.layout) : 1;
  if (from.storage != to.storage || row < std::min(from.layout.size(), shortest(target, kernel))) return std::nullopt;
  return Copy{from.buffer.get(), to.buffer.get(), row * bytes_of(to.storage), starts_of(from, row), starts_of(to, row)};
}

std::vector<Copy> copies_of(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  if (!target.software || value.stored.empty() || !value.piecewise.empty()) return {};
  std::vector<Copy> copies;
  const auto add = [&](int32_t instruction, const Strided& to) {
    const Strided* from = moved_by(value, instruction);
    if (from == nullptr || !to.layout.is_contiguous()) return false;
    MapKernel move{load_of(*from), to};
    collapse(move);
    std::optional<Copy> copy = copy_of(target, move);
    if (copy) copies.push_back(std::move(*copy));
    return copy.has_value();
  };
  for (const Instruction& step : value.code)
    if (step.op == Op::store && !add(step.args[0], value.operands[static_cast<size_t>(step.args[1])])) return {};
  return add(static_cast<int32_t>(value.code.size()) - 1, kernel.out) ? copies : std::vector<Copy>();
}

bool is_by_host(const Target& target, const Copy& copy) {
  constexpr int64_t few = 4;  // calls of the driver take as long as mapping both buffers
  return target.maps_memory && copy.rows() > few;
}

std::vector<CopyRange> ranges_of(const Copy& copy) {
  const std::vector<int64_t> starts = addresses_of(copy.starts), ends = addresses_of(copy.ends);
  std::vector<CopyRange> ranges;
  for (size_t row = 0; row < starts.size(); ++row) ranges.push_back({starts[row], ends[row], copy.bytes});
  return ranges;
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

std::optional<std::vector<CopyRange>> copies_of_rows(const GatherKernel& kernel, std::span<const int32_t> indices) {
  const Strided &source = kernel.source, &out = kernel.out;
  const int64_t length = length_of_rows(out.layout), bytes = bytes_of(out.storage);
  const std::vector<int64_t> places = addresses_of(without_rows(index_layout(kernel))),
                             ends = addresses_of(starts_of(out, length));
  std::vector<int64_t> starts = addresses_of(starts_of(source, length));
  std::vector<CopyRange> ranges;
  for (size_t row = 0; row < starts.size(); ++row) {
    const int64_t index = indices[static_cast<size_t>(places[row] - indices_of_rows(kernel).first)];
    const int64_t place = index < 0 ? index + kernel.length : index;
    if (place < 0 || place >= kernel.length) return std::nullopt;
    ranges.push_back({starts[row] + place * kernel.stride * bytes, ends[row], length * bytes});
  }
  return ranges;
}

}  // namespace eglantine::lower
