#include "lower/index/scatter_in_order.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/index/scatter_passes.hpp"
#include "lower/index/scatter_rows.hpp"
#include "lower/index/scatter_segments.hpp"
#include "lower/sort/low_bits.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

Strided temporary_of(Lowering& lowering, DType dtype, int64_t count) {
  return lowering.temporary(dtype, layout::contiguous(Shape{count}));
}

/// Keys count places, or are the key of none: all ones, and larger than any of them also in so many bits.
int key_bits(int64_t places) { return std::bit_width(static_cast<uint64_t>(places)); }

/// The updates in their order, as an expression over one axis.
Expr values_of(Lowering& lowering, const ScatterKernel& kernel) {
  // A sort also binds its keys and results.
  if (kernel.updates.domain.rank() == 1 && kernel.updates.operands.size() <= 1) return kernel.updates;
  Strided values = materialize(lowering, kernel.updates, layout::contiguous(kernel.updates.domain));
  values.layout = layout::contiguous(Shape{kernel.updates.domain.elements()});
  return load_of(values);
}

/// A sort of keys with values, or with their places.
SortKernel sort_of(const Expr& keys, const std::optional<Expr>& values, const Strided& sorted, const Strided& grouped) {
  SortKernel sort;
  sort.keys = keys;
  sort.payload = values;
  sort.keep = keys.domain.elements();
  sort.epilogue = accumulator_over(keys.domain, DType::u32);
  sort.out = sorted;
  sort.second = grouped;
  return sort;
}

/// A stable sort groups the updates of each element, which are then combined in a fixed order.
void combine_elements(Lowering& lowering, const ScatterKernel& kernel, const ScatterJob& job) {
  const Strided keys = keys_of(lowering, kernel, job);
  const Expr values = values_of(lowering, kernel);
  const int64_t count = keys.layout.size();
  const Strided grouped = temporary_of(lowering, kernel.out.dtype(), count);
  if (count == 1) {
    lower(lowering, MapKernel{values, grouped});
    return combine_segments(lowering, *kernel.combine, {keys.buffer, grouped.buffer, count}, kernel.out);
  }
  const Strided sorted = temporary_of(lowering, DType::u32, count);
  lower_by_low_bits(lowering, sort_of(load_of(keys), values, sorted, grouped), key_bits(kernel.out.layout.size()));
  combine_segments(lowering, *kernel.combine, {sorted.buffer, grouped.buffer, count}, kernel.out);
}

/// The kernel's index alone, over its rows: each gives a row's place along the axis.
ScatterKernel places_of(const ScatterKernel& kernel, const RowAxes& axes) {
  layout::Box rows{{}, kernel.index.domain};
  for (int axis = 0; axis < kernel.index.domain.rank(); ++axis) rows.start.push_back(0);
  for (int64_t axis : axes.columns) rows.length[static_cast<int>(axis)] = 1;
  ScatterKernel places = restricted(kernel, rows);
  places.target = layout::expand({Shape{1}, {0}, 0}, places.index.domain);
  places.stride = 1;
  return places;
}

Layout columns_of(const ScatterKernel& kernel, const RowAxes& axes) {
  Layout columns{{}, {}, kernel.target.offset};
  for (int64_t axis : axes.columns) {
    columns.shape.push_back(kernel.index.domain[static_cast<int>(axis)]);
    columns.strides.push_back(kernel.target.strides[static_cast<size_t>(axis)]);
  }
  return columns;
}

/// Where so many elements, of the rows or of what is made of them, can be bound, and one number counts them.
bool binds(const Target& target, int64_t elements) {
  constexpr int64_t most_bindings = 6, element_bytes = 4;
  return target.max_bindings >= most_bindings && elements <= elements_a_dispatch &&
         elements * element_bytes <= target.max_block_bytes - target.binding_alignment;
}

/// The kernel over both halves of its longest axis of columns: each column is added to by itself. None where there is
/// one column, or where all rows together are not what cannot be bound.
std::vector<ScatterKernel> halves_of(const Target& target, const ScatterKernel& kernel, const RowAxes& axes) {
  const Shape& domain = kernel.index.domain;
  layout::Box box{{}, domain};
  for (int axis = 0; axis < domain.rank(); ++axis) box.start.push_back(0);
  int longest = -1;
  for (int64_t axis : axes.columns)
    if (longest < 0 || domain[static_cast<int>(axis)] > domain[longest]) longest = static_cast<int>(axis);
  if (longest < 0 || domain[longest] == 1 || !binds(target, kernel.out.layout.size())) return {};
  const int64_t half = ceil_divide(domain[longest], 2);
  box.length[longest] = half;
  std::vector<ScatterKernel> halves{restricted(kernel, box)};
  box.start[longest] = half;
  box.length[longest] = domain[longest] - half;
  halves.push_back(restricted(kernel, box));
  return halves;
}

void sort_rows(Lowering& lowering, const ScatterKernel& kernel, RowScatter scatter) {
  const Strided sorted = temporary_of(lowering, DType::u32, scatter.rows),
                order = temporary_of(lowering, DType::u32, scatter.rows);
  lower_by_low_bits(lowering, sort_of(load_of(scatter.keys), {}, sorted, order), key_bits(scatter.places));
  scatter.keys = sorted;
  combine_sorted_rows(lowering, *kernel.combine, scatter, order.buffer, kernel.out);
}

/// A row for each update where `axes` has no columns: its place is an element.
RowScatter rows_of(Lowering& lowering, const ScatterKernel& kernel, const RowAxes& axes, const ScatterJob& job) {
  RowScatter scatter;
  const bool whole = !axes.columns.empty();
  scatter.columns = whole ? columns_of(kernel, axes) : layout::contiguous(Shape{1});
  scatter.width = scatter.columns.shape.elements();
  scatter.rows = kernel.index.domain.elements() / scatter.width;
  scatter.places = whole ? kernel.length : kernel.out.layout.size();
  scatter.stride = whole ? kernel.stride : 1;
  scatter.keys = keys_of(lowering, whole ? places_of(kernel, axes) : kernel, job);
  scatter.values = rows_in_memory(lowering, kernel, axes);
  return scatter;
}

}  // namespace

// Where whole rows are updates, their places are sorted, if anything is.
void combine_in_order(Lowering& lowering, const ScatterKernel& kernel, const ScatterJob& job) {
  const Target& target = lowering.target();
  const RowAxes axes = row_axes_of(kernel);
  const bool whole = !axes.columns.empty();
  const bool bound = binds(target, std::max(kernel.index.domain.elements(), kernel.out.layout.size()));
  const auto halves = bound ? std::vector<ScatterKernel>() : halves_of(target, kernel, axes);
  for (const ScatterKernel& half : halves) combine_in_order(lowering, half, job);
  if (!halves.empty()) return;
  if (!bound || (!whole && !target.software)) return combine_elements(lowering, kernel, job);
  const RowScatter scatter = rows_of(lowering, kernel, axes, job);
  const int64_t tables = tables_for(target, *kernel.combine, scatter);
  if (tables > 0) return combine_in_tables(lowering, *kernel.combine, scatter, tables, kernel.out);
  sort_rows(lowering, kernel, scatter);
}

}  // namespace eglantine::lower
