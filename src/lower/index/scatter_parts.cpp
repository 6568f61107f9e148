#include <algorithm>

#include "codegen/addresses/addresses.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/index/scatter_rows.hpp"
#include "lower/program_dispatch.hpp"

/// Rows that are combined in their order, without sorting.
namespace eglantine::lower {
namespace {

// As in map/lower.cpp; smaller on hardware, so that few columns reach several multiprocessors.
constexpr int64_t software_parts_group = 8, hardware_parts_group = 64;

codegen::AddressSpec spec_of(const Shape& domain) { return {"eg_column", domain, {{0, domain.rank()}}, 1}; }

/// One dispatch's program: a window of each part's rows, with its bindings and uniforms.
class RowsProgram : public BoundProgram {
 public:
  RowsProgram(const Target& target, Reduction reduction, const RowScatter& scatter, const Layout& columns,
              const Strided& out, const Window& window)
      : BoundProgram(target, true, target.texel_reads),
        reduction_(reduction),
        dtype_(out.dtype()),
        columns_(spec_of(columns.shape)),
        group_size_(group_size_of(target, target.software ? software_parts_group : hardware_parts_group)),
        grid_(resident_grid(target, columns.shape.elements(), group_size_, group_size_, window.count + 1)) {
    columns_.add(columns, false);
    const int64_t count = scatter.rows * scatter.width, first = scatter.values.layout.offset;
    keys_ = bindings_.add_read(scatter.keys.buffer.get(), StorageType::u32, false, {0, scatter.rows - 1});
    values_ =
        bindings_.add_read(scatter.values.buffer.get(), scatter.values.storage, false, {first, first + count - 1});
    out_ = bindings_.add_write(out.buffer.get(), out.storage, false, reached(scatter, columns));
    uniforms_.add(columns.shape.elements());
    uniforms_.add(grid_.chunk);
    uniforms_.add_divisor(scatter.width);
    for (int64_t number : {scatter.rows, ceil_divide(scatter.rows, columns.shape[0]), window.first, window.count,
                           scatter.places, scatter.stride, first - bindings_.first_element(values_)})
      uniforms_.add(number);
    columns_.add_uniforms({bindings_.first_element(out_)}, columns.shape.elements() - 1, uniforms_);
  }

  Dispatch dispatch() const {
    using codegen::define;
    const std::string defines = define("EG_GROUP_SIZE", group_size_) + define("EG_OUT", codegen::block_name(out_));
    Dispatch dispatch = dispatch_of("scatter_rows", {"scatter_rows.comp", defines, holes()}, bindings_, uniforms_);
    dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
    return dispatch;
  }

 private:
  static layout::Reach reached(const RowScatter& scatter, const Layout& columns) {
    layout::Reach reach = layout::reach(columns);
    reach.last += (scatter.places - 1) * scatter.stride;
    return reach;
  }

  std::string holes() const {
    const std::string type(codegen::stored_type(dtype_, 1));
    return codegen::combine_functions(reduction_, dtype_) + "uint eg_column(uint item) {\n" +
           columns_.statements("item") + "  return " + columns_.element(0, 0) +
           ";\n}\nuint eg_key(uint row) { return " + bindings_.read(keys_, "row") + "; }\n" + type +
           " eg_value(uint element) { return " + bindings_.read(values_, "element + eg_u[11]") + "; }\n";
  }

  Reduction reduction_;
  DType dtype_;
  codegen::Addresses columns_;
  int64_t group_size_;
  Grid grid_;
  int keys_ = -1, values_ = -1, out_ = -1;
};

}  // namespace

// As many rows of each part at a time as an invocation may take trips.
void combine_parts_in_order(Lowering& lowering, Reduction reduction, const RowScatter& scatter, const Layout& columns,
                            const Strided& out) {
  const Target& target = lowering.target();
  const int64_t rows = ceil_divide(scatter.rows, columns.shape[0]);
  const int64_t most = target.max_loop_trips > 0 ? target.max_loop_trips / 2 - 1 : rows;
  for (int64_t first = 0; first < rows; first += most) {
    const Window window{first, std::min(most, rows - first)};
    lowering.dispatch(RowsProgram(target, reduction, scatter, columns, out, window).dispatch());
  }
}

}  // namespace eglantine::lower
