#include "lower/map/transpose/permute_words.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

/// Elements of the box that follow one another in the operand's memory.
int64_t run_read(const Layout& x, const JointTile& tile) {
  int64_t run = 1;
  for (const int axis : tile.read) {
    if (x.strides[static_cast<size_t>(axis)] != run) break;
    run *= tile.size_read(axis);
  }
  return run;
}

/// Whether every such run is whole words, in whichever box.
bool begins_at_words(const Layout& x, const JointTile& tile, int64_t in_word) {
  bool whole = x.offset % in_word == 0 && run_read(x, tile) % in_word == 0;
  int64_t run = 1;
  for (const int axis : tile.read) {
    const int64_t stride = x.strides[static_cast<size_t>(axis)];
    if (stride == run)
      run *= tile.size_read(axis);
    else
      whole = whole && stride % in_word == 0;
  }
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const int64_t size = tile.sizes[static_cast<size_t>(axis)], stride = x.strides[static_cast<size_t>(axis)];
    whole = whole &&
            (x.shape[axis] == size || (size * stride % in_word == 0 && (x.shape[axis] - size) * stride % in_word == 0));
  }
  return whole;
}

bool is_staged(const JointTile& tile, size_t operand) {
  return std::ranges::any_of(tile.staged,
                             [&](const StagedView& view) { return static_cast<size_t>(view.operand) == operand; });
}

}  // namespace

bool has_slots_side_by_side(const JointTile& tile) {
  int64_t pitch = 1;
  for (int k = 0; k < tile.run_axes; ++k) {
    const auto axis = static_cast<size_t>(tile.written[static_cast<size_t>(k)]);
    if (tile.pitch[axis] != pitch) return false;
    pitch *= tile.sizes[axis];
  }
  return true;
}

int64_t elements_of_words(const MapKernel& kernel, const JointTile& tile) {
  constexpr int64_t fewest = 4;  // differences of f16 in boxes of 5 x 7 take an H200 131 us by words, and 115
  if (tile.has_halo() || tile.pairs) return 1;
  const auto operand = [&](const StagedView& view) -> const Strided& {
    return kernel.value.operands[static_cast<size_t>(view.operand)];
  };
  const int64_t in_word = 4 / bytes_of(operand(tile.staged.front()).storage);
  const bool whole = std::ranges::all_of(tile.staged, [&](const StagedView& view) {
    const Strided& x = operand(view);
    return 4 / bytes_of(x.storage) == in_word && begins_at_words(x.layout, tile, in_word);
  });
  return whole && in_word >= fewest ? in_word : 1;
}

bool computes_fours(const MapKernel& kernel, const JointTile& tile) {
  const Expr& value = kernel.value;
  if (kernel.out.buffer == nullptr || !kernel.out.layout.is_contiguous()) return false;
  if (bytes_of(kernel.out.storage) != 1 && !tile.pairs) return false;
  if (!value.iotas.empty() || !value.piecewise.empty() || !has_slots_side_by_side(tile)) return false;
  bool all = tile.run() >= vector_width;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Layout& x = value.operands[i].layout;
    all = all && (is_staged(tile, i) || x.is_contiguous() || layout::shows_one_element(x));
  }
  return all;
}

Expr as_one_axis(const MapKernel& kernel, const JointTile& tile) {
  constexpr StorageType widened[] = {StorageType::f32, StorageType::i32, StorageType::u32, StorageType::boolean_word};
  Expr value = kernel.value;
  value.domain = {kernel.value.domain.elements()};
  for (size_t i = 0; i < value.operands.size(); ++i) {
    Strided& x = value.operands[i];
    const bool same = layout::shows_one_element(x.layout);
    if (is_staged(tile, i))
      x.storage = *std::ranges::find(widened, x.dtype(), [](StorageType wide) { return dtype_of(wide); });
    x.layout = {value.domain, {same ? 0 : 1}, is_staged(tile, i) ? 0 : x.layout.offset};
  }
  return value;
}

}  // namespace eglantine::lower
