#include <algorithm>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/index/scatter_rows.hpp"

/// Rows combined without sorting: into the output, or into tables of its places that are then combined.
namespace eglantine::lower {
namespace {

// Invocations that keep a software device's threads busy, each a SIMD vector at a time.
constexpr int64_t software_items = 128;
// Rows that are added one after another, where tables of more parts cost little: their error grows with these.
constexpr int64_t longest_part = 4096;
// Words of one: tables do not share them, for threads write neighbouring ones.
constexpr int64_t cache_line = 16;
// Tables hold at most this part of the rows' elements: they are cleared, written and read.
constexpr int64_t rows_a_place = 2, rows_a_place_on_hardware = 4;

/// (tables, columns...): where each table has the columns of place 0.
Layout columns_of(const Layout& columns, int64_t tables, int64_t table) {
  Layout all{Shape{tables}, {tables > 1 ? table : 0}, columns.offset};
  for (int axis = 0; axis < columns.shape.rank(); ++axis) {
    all.shape.push_back(columns.shape[axis]);
    all.strides.push_back(columns.strides[static_cast<size_t>(axis)]);
  }
  return all;
}

/// (places, columns...) of the output.
Strided places_of(const RowScatter& scatter, const Strided& out) {
  Layout layout = columns_of(scatter.columns, 1, 0);
  layout.shape[0] = scatter.places;
  layout.strides[0] = scatter.stride;
  return {out.buffer, out.storage, layout};
}

void copy(Lowering& lowering, const Strided& from, const Strided& to) {
  MapKernel map{load_of(from), to};
  collapse(map);
  lower(lowering, map);
}

/// Adds nothing to a sum, also to -0.0. A parameter of 0 is not taken for a kernel's (lowering_cache.cpp).
void fill_with_negative_zero(Lowering& lowering, const Strided& x) {
  lower(lowering, MapKernel{{x.layout.shape,
                             {},
                             {},
                             {{0}},
                             {{Op::parameter, DType::f32, {0, -1, -1}}, {Op::neg, DType::f32, {0, -1, -1}}}},
                            x});
}

Strided part_of(const Strided& x, int64_t first, int64_t count) {
  return {x.buffer, x.storage, layout::contiguous(Shape{count}, first)};
}

}  // namespace

int64_t tables_for(const Target& target, Reduction reduction, const RowScatter& scatter) {
  const bool sums = reduction == Reduction::sum;  // products are rare: their tables would start from 1
  if (target.software && !sums) return 1;
  if (target.software) {
    const int64_t wanted = std::max(software_items / scatter.width, ceil_divide(scatter.rows, longest_part));
    return std::clamp<int64_t>(scatter.rows / (rows_a_place * scatter.places), 1, wanted);
  }
  if (scatter.rows <= rows_in_order) return 1;
  const bool few = rows_a_place_on_hardware * scatter.places <= rows_in_order;
  return sums && few ? ceil_divide(scatter.rows, rows_in_order) : 0;
}

void combine_in_tables(Lowering& lowering, Reduction reduction, const RowScatter& scatter, int64_t tables,
                       const Strided& out) {
  if (tables == 1) return combine_parts_in_order(lowering, reduction, scatter, columns_of(scatter.columns, 1, 0), out);
  const int64_t places_a_table = scatter.places * scatter.width, table = round_up(places_a_table, cache_line);
  const Strided all = lowering.temporary(out.dtype(), layout::contiguous(Shape{tables * table}));
  const Strided places = places_of(scatter, out);
  Strided first = all;
  first.layout = layout::contiguous(places.layout.shape);
  copy(lowering, places, first);
  fill_with_negative_zero(lowering, part_of(all, table, (tables - 1) * table));
  RowScatter apart = scatter;
  apart.stride = scatter.width;
  combine_parts_in_order(lowering, reduction, apart, {Shape{tables, scatter.width}, {table, 1}, 0}, all);
  const Strided sums = lowering.temporary(out.dtype(), layout::contiguous(Shape{places_a_table}));
  Strided turned = all;
  turned.layout = {Shape{places_a_table, tables}, {1, table}, 0};
  lower(lowering, ReduceKernel{load_of(turned), 1, reduction, layout::ReduceTree::column,
                               accumulator_over(Shape{places_a_table}, out.dtype()), sums});
  first.buffer = sums.buffer;
  copy(lowering, first, places);
}

}  // namespace eglantine::lower
