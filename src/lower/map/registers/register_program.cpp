#include "lower/map/registers/register_program.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

/// The map as one of a single axis, along which what is transposed lies as the results do.
Expr as_one_axis(const MapKernel& kernel, size_t transposed) {
  Expr value = kernel.value;
  value.domain = {kernel.value.domain.elements()};
  for (size_t i = 0; i < value.operands.size(); ++i) {
    Layout& x = value.operands[i].layout;
    x = {value.domain, {layout::shows_one_element(x) ? 0 : 1}, i == transposed ? 0 : x.offset};
  }
  return value;
}

Strided along_one_axis(Strided out) {
  out.layout = {{out.layout.shape.elements()}, {1}, out.layout.offset};
  return out;
}

codegen::AddressSpec one_axis(const char* name, const MapKernel& kernel) {
  return {name, {kernel.value.domain.elements()}, {{0, 1}}};
}

/// The one operand that does not lie as the results do, contiguous along another axis; nothing where there are others.
std::optional<RegisterTranspose> only_transposed(const Expr& value) {
  std::optional<RegisterTranspose> found;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Layout& x = value.operands[i].layout;
    if (x.is_contiguous() || layout::shows_one_element(x)) continue;
    const auto nearest = std::ranges::find(x.strides, 1);
    const auto lines = static_cast<int>(nearest - x.strides.begin());
    const bool is_forwards = std::ranges::all_of(x.strides, [](int64_t stride) { return stride > 0; });
    if (found || !is_forwards || nearest == x.strides.end() || lines == value.domain.rank() - 1) return {};
    found = {lines, i};
  }
  return found;
}

StorageType storage_of(const Expr& value, const RegisterTranspose& how) { return value.operands[how.operand].storage; }

/// Blocks side by side along the lines: few where these are narrow, since what is written in runs of less than 64 bytes
/// takes longer than what is read so (f16, odd rows: 106 us with 16 blocks of 8 columns, 79 with 8 blocks of 4, 67 with
/// 4; f32: 57 with 8, 71 with 16).
int64_t blocks_of(const MapKernel& kernel, const RegisterTranspose& how) {
  return is_narrow(storage_of(kernel.value, how)) ? 4 : 8;
}

int64_t columns_of(const Shape& domain, int lines) {
  int64_t columns = 1;
  for (int axis = lines + 1; axis < domain.rank(); ++axis) columns *= domain[axis];
  return columns;
}

/// Whether blocks are quicker than tiles and boxes in shared memory. Of what is only moved tiles of two axes do as
/// well, but for odd rows of halves, and boxes of three axes do not. Of words beside another operand tiles do where
/// most of their columns exist and rows of results begin anywhere; beside several, which they read in longer runs,
/// always.
bool gains(const MapKernel& kernel, const RegisterTranspose& how) {
  constexpr int64_t tile_columns = 32, most_columns_of_narrow = 512, fewest_columns_of_moves = 64;
  const Expr& value = kernel.value;
  const auto is_beside = [](const Strided& x) {
    return x.layout.is_contiguous() && !layout::shows_one_element(x.layout);
  };
  const auto beside = std::ranges::count_if(value.operands, is_beside);
  if (beside > 1 || !value.stored.empty()) return false;
  const StorageType storage = storage_of(value, how);
  const int64_t columns = columns_of(value.domain, how.lines);
  const bool has_one_axis = value.domain.rank() - 1 - how.lines == 1;
  if (beside == 0) {
    const bool are_odd_halves = bytes_of(storage) == 2 && bytes_of(kernel.out.storage) == 2 && columns % 2 == 1;
    return columns >= fewest_columns_of_moves && (!has_one_axis || are_odd_halves);
  }
  if (!has_one_axis) return false;
  if (is_narrow(storage)) return columns <= most_columns_of_narrow;
  return columns % vector_width == 0 || 4 * columns < 3 * round_up(columns, tile_columns);
}

}  // namespace

std::optional<RegisterTranspose> transposed_in_registers(const Target& target, const MapKernel& kernel) {
  constexpr int64_t least_results = int64_t{1} << 14, least_line = 128, least_columns = 9;
  constexpr int most_axes_behind = 2;
  const Expr& value = kernel.value;
  const Shape& domain = value.domain;
  if (target.software || !target.large_pages || domain.elements() < least_results) return {};
  if (!kernel.out.layout.is_contiguous() || !value.iotas.empty() || !value.piecewise.empty()) return {};
  const std::optional<RegisterTranspose> how = only_transposed(value);
  if (!how || how->lines > 1 || domain.rank() - 1 - how->lines > most_axes_behind || !gains(kernel, *how)) return {};
  const StorageType storage = storage_of(value, *how);
  const int64_t lines = domain[how->lines], columns = columns_of(domain, how->lines);
  if (lines * bytes_of(storage) < least_line || columns < least_columns) return {};
  // Planes begin at vectors of y, as the first one does.
  if (how->lines > 0 && lines * columns % vector_width != 0) return {};
  return how;
}

RegisterTransposeProgram::RegisterTransposeProgram(const Target& target, const MapKernel& kernel,
                                                   const RegisterTranspose& how)
    : BoundProgram(target),
      text_(kernel, how),
      load_(one_axis("eg_load", kernel), as_one_axis(kernel, how.operand), reads_, {static_cast<int>(how.operand)}),
      store_(one_axis("eg_store", kernel), along_one_axis(kernel.out), true),
      blocks_(blocks_of(kernel, how)),
      group_size_(group_size_of(target, 256)),
      max_groups_(target.max_groups) {
  const std::vector<Window> all{{0, kernel.value.domain.elements()}};
  text_.bind(bindings_);
  load_.bind(bindings_, all);
  store_.bind(bindings_, all);
  add_uniforms(kernel);
  text_.add_uniforms(bindings_, uniforms_);
  load_.add_uniforms(bindings_, all, uniforms_);
  store_.add_uniforms(bindings_, all, uniforms_);
}

void RegisterTransposeProgram::add_uniforms(const MapKernel& kernel) {
  const int64_t across = ceil_divide(text_.columns(), vector_width),
                bands = ceil_divide(text_.lines(), blocks_ * vector_width);
  invocations_ = text_.planes() * bands * across * blocks_;
  uniforms_.add(invocations_);
  uniforms_.add(text_.lines());
  uniforms_.add(text_.columns());
  uniforms_.add_divisor(across);
  uniforms_.add_divisor(bands);
  uniforms_.add(ceil_divide(kernel.value.domain.elements(), vector_width) - 1);
}

Dispatch RegisterTransposeProgram::dispatch() const {
  using codegen::define;
  Dispatch dispatch = dispatch_of("map_transpose_registers " + std::string(name_of(load_.dtype())),
                                  {"map_transpose_registers.comp",
                                   define("EG_GROUP_SIZE", group_size_) + define("EG_BLOCKS", blocks_) +
                                       define("EG_VALUE", codegen::value_type(load_.dtype(), vector_width)),
                                   text_.text(bindings_) + load_.text(bindings_) + store_.text(bindings_)},
                                  bindings_, uniforms_);
  dispatch.groups = groups_in_rows(ceil_divide(invocations_, group_size_), max_groups_);
  return dispatch;
}

}  // namespace eglantine::lower
