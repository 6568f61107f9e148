#include <algorithm>

#include "codegen/addresses/addresses.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/index/scatter_rows.hpp"
#include "lower/program_dispatch.hpp"

/// Rows sorted by their keys, in levels of runs.
namespace eglantine::lower {
namespace {

// As in map/lower.cpp; smaller on hardware, for the many loads of an invocation.
constexpr int64_t software_rows_group = 8, hardware_rows_group = 128;

int64_t runs_of(const RowScatter& scatter) { return ceil_divide(scatter.rows, rows_in_order); }

/// What the runs leave: two rows each, with their keys.
RowScatter ends_of(Lowering& lowering, const RowScatter& scatter, DType dtype) {
  RowScatter ends = scatter;
  ends.rows = 2 * runs_of(scatter);
  ends.keys = lowering.temporary(DType::u32, layout::contiguous(Shape{ends.rows}));
  ends.values = lowering.temporary(dtype, layout::contiguous(Shape{ends.rows * ends.width}));
  return ends;
}

/// The program of one level, with its bindings and uniforms. order: null where the rows lie in their order.
class SortedRowsProgram : public BoundProgram {
 public:
  SortedRowsProgram(const Target& target, Reduction reduction, const RowScatter& level, const BufferPtr& order,
                    const RowScatter& ends, const Strided& out)
      : BoundProgram(target),
        reduction_(reduction),
        dtype_(out.dtype()),
        columns_({"eg_column", level.columns.shape, {{0, level.columns.shape.rank()}}, 1}),
        group_size_(group_size_of(target, target.software ? software_rows_group : hardware_rows_group)),
        grid_(resident_grid(target, runs_of(level) * level.width, group_size_, group_size_, rows_in_order + 1)) {
    columns_.add(level.columns, false);
    bind(level, order, ends, out);
    uniforms_.add(runs_of(level) * level.width);
    uniforms_.add(grid_.chunk);
    uniforms_.add_divisor(level.width);
    for (int64_t number :
         {level.rows, level.places, level.stride, level.values.layout.offset - bindings_.first_element(values_)})
      uniforms_.add(number);
    columns_.add_uniforms({bindings_.first_element(out_)}, level.width - 1, uniforms_);
  }

  Dispatch dispatch() const {
    using codegen::define;
    const std::string defines = define("EG_GROUP_SIZE", group_size_) + define("EG_RUN", rows_in_order) +
                                define("EG_VALUE", codegen::stored_type(dtype_, 1)) +
                                define("EG_OUT", codegen::block_name(out_)) +
                                define("EG_END_KEYS", codegen::block_name(end_keys_)) +
                                define("EG_END_VALUES", codegen::block_name(end_values_));
    Dispatch dispatch =
        dispatch_of("scatter_sorted_rows", {"scatter_sorted_rows.comp", defines, holes()}, bindings_, uniforms_);
    dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
    return dispatch;
  }

 private:
  void bind(const RowScatter& level, const BufferPtr& order, const RowScatter& ends, const Strided& out) {
    const layout::Reach rows{0, level.rows - 1}, places{0, (level.places - 1) * level.stride};
    const int64_t first = level.values.layout.offset, count = level.rows * level.width;
    layout::Reach reached = layout::reach(level.columns);
    reached.last += places.last;
    keys_ = bindings_.add_read(level.keys.buffer.get(), StorageType::u32, false, rows);
    if (order) order_ = bindings_.add_read(order.get(), StorageType::u32, false, rows);
    values_ = bindings_.add_read(level.values.buffer.get(), level.values.storage, false, {first, first + count - 1});
    out_ = bindings_.add_write(out.buffer.get(), out.storage, false, reached);
    end_keys_ = bindings_.add_write(ends.keys.buffer.get(), StorageType::u32, false, {0, ends.rows - 1});
    end_values_ =
        bindings_.add_write(ends.values.buffer.get(), ends.values.storage, false, {0, ends.rows * ends.width - 1});
  }

  std::string holes() const {
    const std::string type(codegen::stored_type(dtype_, 1)), row = order_ < 0 ? "i" : bindings_.read(order_, "i");
    return codegen::combine_functions(reduction_, dtype_) + "uint eg_column(uint k) {\n" + columns_.statements("k") +
           "  return " + columns_.element(0, 0) + ";\n}\nuint eg_key(uint i) { return " + bindings_.read(keys_, "i") +
           "; }\nuint eg_row(uint i) { return " + row + "; }\n" + type + " eg_value(uint element) { return " +
           bindings_.read(values_, "element + eg_u[8]") + "; }\n";
  }

  Reduction reduction_;
  DType dtype_;
  codegen::Addresses columns_;
  int64_t group_size_;
  Grid grid_;
  int keys_ = -1, order_ = -1, values_ = -1, out_ = -1, end_keys_ = -1, end_values_ = -1;
};

}  // namespace

void combine_sorted_rows(Lowering& lowering, Reduction reduction, const RowScatter& scatter, const BufferPtr& order,
                         const Strided& out) {
  RowScatter level = scatter;
  for (BufferPtr in_order = order;; in_order = nullptr) {
    const RowScatter ends = ends_of(lowering, level, out.dtype());
    lowering.dispatch(SortedRowsProgram(lowering.target(), reduction, level, in_order, ends, out).dispatch());
    if (runs_of(level) == 1) return;
    level = ends;
  }
}

}  // namespace eglantine::lower
