#include "lower/map/transpose/joint_tile.hpp"

#include <algorithm>
#include <functional>

#include "layout/divide.hpp"
#include "lower/map/transpose/box_choice.hpp"
#include "lower/map/transpose/transpose_program.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

constexpr int64_t least_results = int64_t{1} << 14;
/// Columns of a tile of two axes, at least, and how many times those that there are.
constexpr int64_t fewest_columns = 32, most_waste = 2;

/// Whether neighbours along the results' rows are far apart in tiles that several views each share.
bool is_stencil_across(const Strided& x, const std::vector<StagedView>& views) {
  constexpr size_t least_views = 3;
  const auto tiles = static_cast<size_t>(tiles_of(views));
  return order_of(x.layout).front() != x.layout.shape.rank() - 1 && views.size() >= least_views * tiles;
}

/// Whether another form does well: words of few columns are read in place from long lines, as are rows of some
/// length, and of bytes, of which each takes as long in a tile as a word, long rows of near neighbours; tiles
/// of two axes have long runs where both are long.
bool has_other_form(const Target& target, const MapKernel& kernel, const Strided& x) {
  constexpr int64_t most_in_place = 8, vectors_in_place = 16, row_in_place = 48, near = 16, long_row = 64;
  const Shape& domain = kernel.value.domain;
  const int inner = domain.rank() - 1, lines = order_of(x.layout).front();
  int64_t between = 1;
  for (int axis = lines + 1; axis <= inner; ++axis) between *= domain[axis];
  const bool is_narrow_move = is_narrow(kernel.out.storage) || is_narrow(x.storage);
  const int64_t apart = stride_of(x.layout, inner) * bytes_of(x.storage);
  if (is_narrow_move && apart > 0 && apart <= near && domain[inner] >= long_row) return true;
  if (lines == inner || between == 1) {
    const int64_t run = common_run(x.layout);
    return run * bytes_of(x.storage) >= (run % vector_width == 0 ? vectors_in_place : row_in_place);
  }
  const bool has_long_lines = domain[lines] * bytes_of(x.storage) >= row_in_place;
  if (between <= most_in_place && has_long_lines) return !is_narrow_move;
  if (!transposed_operands(target, kernel.value) || stride_of(x.layout, lines) != 1) return false;
  const int64_t columns = round_up(domain[inner], domain[inner] < fewest_columns ? fewest_columns : vector_width);
  if (columns >= most_waste * domain[inner]) return false;
  const bool joint_lines = stride_of(x.layout, inner) == domain[lines], joint_columns = between == domain[inner];
  const int64_t read = domain[lines] * (joint_lines ? domain[inner] : 1),
                written = domain[inner] * (joint_columns ? domain[lines] : 1);
  return read * bytes_of(x.storage) >= long_run && written * bytes_of(kernel.out.storage) >= long_run;
}

/// Whether a result's number says where it lies, as it does what is read in place; or all that is read is staged, and
/// the results are words of rows in their order.
bool are_addressed(const MapKernel& kernel, const std::vector<StagedView>& views) {
  const Layout& out = kernel.out.layout;
  if (out.is_contiguous()) return true;
  const bool all_staged = views.size() == kernel.value.operands.size() && kernel.value.iotas.empty();
  return all_staged && !is_narrow(kernel.out.storage) && out.strides.back() == 1 &&
         std::ranges::is_sorted(out.strides, std::ranges::greater());
}

int64_t product_of(const std::vector<int>& axes, size_t count, const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (size_t k = 0; k < count; ++k) product *= sizes[static_cast<size_t>(axes[k])];
  return product;
}

}  // namespace

bool JointTile::has_halo() const {
  return std::ranges::any_of(halo, [](int64_t more) { return more > 0; });
}

int JointTile::tiles() const { return tiles_of(staged); }

int64_t JointTile::elements_read() const {
  int64_t product = 1;
  for (const int axis : read) product *= size_read(axis);
  return product;
}

int64_t JointTile::elements_written() const { return product_of(written, written.size(), sizes); }
int64_t JointTile::run() const { return product_of(written, static_cast<size_t>(run_axes), sizes); }

bool JointTile::in_run(int axis) const { return std::count(written.begin(), written.begin() + run_axes, axis) > 0; }

std::optional<JointTile> joint_tile(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  if (target.software || value.domain.rank() < 2 || value.domain.elements() < least_results) return {};
  if (!value.stored.empty()) return {};
  // Boxes overlap, and so compute some results twice.
  const auto is_overwritten = [&](const Strided& x) { return x.buffer == kernel.out.buffer; };
  if (std::ranges::any_of(value.operands, is_overwritten)) return {};
  const std::vector<StagedView> views = views_apart(value);
  if (views.empty() || !are_addressed(kernel, views)) return {};
  const Strided& first = value.operands[static_cast<size_t>(views.front().operand)];
  if (!is_stencil_across(first, views) && (!kernel.out.layout.is_contiguous() || has_other_form(target, kernel, first)))
    return {};
  return chosen_box(target, kernel, views);
}

}  // namespace eglantine::lower
