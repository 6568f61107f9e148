#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Updates that are whole rows: the index is one for all columns of a row. Row r's column k goes to element columns(k)
/// + keys[r] * stride of the output, which columns never share.
struct RowScatter {
  int64_t rows = 0, width = 0;
  int64_t places = 0, stride = 0;
  Layout columns;  ///< over the columns: the elements of place 0
  Strided keys;    ///< u32, a place for each row, or one from `places` on, whose row is skipped
  Strided values;  ///< (rows, width), contiguous from its offset on
};

/// A scatter's axes, apart: those that its index varies along, and the columns', where what an element gets depends on
/// its column alone; else all axes are the rows'.
struct RowAxes {
  Axes rows, columns;
};
RowAxes row_axes_of(const ScatterKernel& kernel);

/// The updates as rows: in memory, and their layout.
Strided rows_in_memory(Lowering& lowering, const ScatterKernel& kernel, const RowAxes& axes);

/// Rows of a table each of which one invocation adds up: as long as a run of scatter_segments.comp.
inline constexpr int64_t rows_in_order = 32;

/// How many equal parts of the rows are combined apart, each in its order, by as many invocations a column; 0: by none.
int64_t tables_for(const Target& target, Reduction reduction, const RowScatter& scatter);

/// out combined with equal parts of the rows, each in its order. columns: (parts, columns...), the element of place 0.
void combine_parts_in_order(Lowering& lowering, Reduction reduction, const RowScatter& scatter, const Layout& columns,
                            const Strided& out);

/// out combined with the rows: each table's in their order, then the tables in the order of a column's sum.
void combine_in_tables(Lowering& lowering, Reduction reduction, const RowScatter& scatter, int64_t tables,
                       const Strided& out);

/// out combined with the rows, sorted by their keys; `order` (u32): the number of each sorted row among the values.
/// The order of additions is that of combine_segments(), the same for each column
/// (glsl/index/scatter_sorted_rows.comp).
void combine_sorted_rows(Lowering& lowering, Reduction reduction, const RowScatter& scatter, const BufferPtr& order,
                         const Strided& out);

}  // namespace eglantine::lower
