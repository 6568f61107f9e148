#include "lower/reduce/materialized_window.hpp"

#include <algorithm>

#include "layout/collapse.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/program/accumulator_text.hpp"

namespace eglantine::lower {
namespace {

/// A box of some axes of a domain, and the linear index of its first coordinate.
struct NumberedBox {
  Shape start, length;
  int64_t number = 0;
};

/// The linear indices [first, last] of axes [axis, end) of a domain, as boxes.
void add_boxes(const Shape& domain, int axis, int end, int64_t first, int64_t last, const NumberedBox& outer,
               std::vector<NumberedBox>& boxes) {
  if (axis == end) return boxes.push_back(outer);
  int64_t inner = 1;
  for (int i = axis + 1; i < end; ++i) inner *= domain[i];
  const auto add = [&](int64_t row, int64_t rows, int64_t from, int64_t to) {
    NumberedBox box = outer;
    box.start.push_back(row);
    box.length.push_back(rows);
    box.number += row * inner;
    add_boxes(domain, axis + 1, end, from, to, box, boxes);
  };
  int64_t row = first / inner, last_row = last / inner;
  if (row == last_row) return add(row, 1, first % inner, last % inner);
  if (first % inner != 0) add(row++, 1, first % inner, inner - 1);
  const bool part_of_last = last % inner != inner - 1;
  const int64_t whole = last_row - row + (part_of_last ? 0 : 1);
  if (whole > 0) add(row, whole, 0, inner - 1);
  if (part_of_last) add(last_row, 1, 0, last % inner);
}

std::vector<NumberedBox> boxes_of(const Shape& domain, int first_axis, int end_axis, const Window& window) {
  std::vector<NumberedBox> boxes;
  add_boxes(domain, first_axis, end_axis, window.first, window.first + window.count - 1, {}, boxes);
  return boxes;
}

/// A temporary with element (k, e) of the window, k kept and e reduced, at k * kept_step + e * step.
struct WindowValues {
  BufferPtr buffer;
  int64_t kept_step, step;
};

MapKernel map_of(const ReduceLevel& level, const WindowValues& memory, const ReduceWindow& window,
                 int64_t first_element, const NumberedBox& kept, const NumberedBox& reduced) {
  layout::Box box{kept.start, kept.length};
  for (int64_t start : reduced.start) box.start.push_back(start);
  for (int64_t length : reduced.length) box.length.push_back(length);
  Layout out{level.prologue.domain, std::vector<int64_t>(static_cast<size_t>(level.prologue.domain.rank())), 0};
  const auto fill = [&](int first, int end, int64_t step) {
    for (int axis = end - 1; axis >= first; --axis) {
      out.strides[static_cast<size_t>(axis)] = step;
      step *= level.prologue.domain[axis];
    }
  };
  fill(0, level.kept_rank, memory.kept_step);
  fill(level.kept_rank, level.prologue.domain.rank(), memory.step);
  out.offset = -(window.kept.first * memory.kept_step + first_element * memory.step);
  std::vector<Layout> layouts{layout::restrict_to(out, box)};
  for (const Strided& operand : level.prologue.operands) layouts.push_back(layout::restrict_to(operand.layout, box));
  for (const Layout& iota : level.prologue.iotas) layouts.push_back(layout::restrict_to(iota, box));
  layout::collapse(layouts);
  MapKernel map{level.prologue, {memory.buffer, word_storage(level.prologue.dtype()), layouts[0]}};
  map.value.domain = layouts[0].shape;
  size_t next = 1;
  for (Strided& operand : map.value.operands) operand.layout = layouts[next++];
  for (Layout& iota : map.value.iotas) iota = layouts[next++];
  return map;
}

}  // namespace

ReduceLevel materialized_window(Lowering& lowering, const ReduceLevel& level, const ReduceWindow& window) {
  const bool row = level.tree == layout::ReduceTree::row;
  const int64_t block = level.block(), first = window.blocks.first * block;
  const int64_t count = std::min(level.length, first + window.blocks.count * block) - first;
  const DType dtype = level.prologue.dtype();
  const WindowValues memory{lowering.temporary(window.kept.count * count * size_of(dtype)), row ? count : 1,
                            row ? 1 : window.kept.count};
  const Shape& domain = level.prologue.domain;
  for (const NumberedBox& kept : boxes_of(domain, 0, level.kept_rank, window.kept)) {
    for (const NumberedBox& reduced : boxes_of(domain, level.kept_rank, domain.rank(), {first, count})) {
      lower(lowering, map_of(level, memory, window, first, kept, reduced));
    }
  }
  ReduceLevel materialized = level;
  materialized.kept_rank = 1;
  // Elements are numbered from the block before the window: shaders count to 2^32, and the level may be longer. (Not
  // for args, whose result is the number.) The block before it tells the program that the window is part of a longer
  // row.
  if (!is_arg(level.reduction)) materialized.first_block = std::max<int64_t>(0, window.blocks.first - 1);
  const int64_t base = materialized.first_block * block;
  materialized.length = first + count - base;
  const Layout values{{level.kept, materialized.length},
                      {memory.kept_step, memory.step},
                      -(window.kept.first * memory.kept_step + (first - base) * memory.step)};
  materialized.prologue = load_of({memory.buffer, word_storage(dtype), values});
  return materialized;
}

}  // namespace eglantine::lower
