#include "lower/map/transpose/pair_slots.hpp"

#include <algorithm>
#include <bit>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

int64_t front_length(const JointTile& tile) { return tile.sizes[static_cast<size_t>(tile.read.front())]; }

/// Whether most of four neighbours are of one line, wherever it begins. What lies before it is not read.
bool fills_vectors(int64_t stride, int64_t length) {
  const int64_t rounded = round_up(length, vector_width);
  return stride == 1 ? 3 * rounded <= 4 * length : stride == -1 && rounded == length;
}

/// How vectors of a box's lines are read: across runs, or along them where vectors of memory are whole (joined along
/// them, of five channels last 65 us on an H200, one by one 43), but not along their first axis.
Pairs vectors_for(const JointTile& tile, int64_t stride, int64_t aligned) {
  const int64_t length = front_length(tile);
  const bool along = tile.in_run(tile.read.front());
  const int64_t across = along ? run_before(tile, tile.read.front()) : 0;
  const bool is_aligned = aligned >= (along ? vector_width : 2) && length % aligned == 0;
  const bool is_anywhere = !along && fills_vectors(stride, length);
  if (across == 1 || !(is_aligned || is_anywhere)) return {};
  return {is_aligned ? aligned : vector_width, !is_aligned, across, across % 2 == 0 ? across : 2 * across};
}

/// Slots of a line's words, so that neighbouring invocations, of so many vectors and then of the next words of each,
/// store to banks of their own.
int64_t line_of(int64_t slots, int64_t vectors) {
  constexpr int64_t banks = 32;
  const auto together = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(vectors)));
  const int64_t apart = std::max<int64_t>(1, banks / together);
  return 2 * apart * (ceil_divide(ceil_divide(slots, 2), apart) | 1);
}

/// Whether elements of a run lie apart in what is read, and are four or more.
bool run_is_read(const Layout& x, const JointTile& tile) {
  const auto is_read = [&](int axis) { return stride_of(x, axis) != 0; };
  return tile.run() >= vector_width && std::all_of(tile.written.begin(), tile.written.begin() + tile.run_axes, is_read);
}

}  // namespace

bool moves_pairs(const MapKernel& kernel, const std::vector<StagedView>& staged) {
  const auto is_pair = [](StorageType storage) { return bytes_of(storage) == 2; };
  const auto is_still = [&](const StagedView& view) {
    return is_pair(kernel.value.operands[static_cast<size_t>(view.operand)].storage) &&
           std::ranges::all_of(view.shift, [](int64_t shift) { return shift == 0; });
  };
  const Layout& first = kernel.value.operands[static_cast<size_t>(staged.front().operand)].layout;
  if (stride_of(first, order_of(first).front()) != 1) return false;
  return kernel.out.buffer != nullptr && is_pair(kernel.out.storage) && kernel.out.layout.is_contiguous() &&
         std::ranges::all_of(staged, is_still);
}

int64_t aligned_vector(const MapKernel& kernel, const std::vector<StagedView>& staged) {
  constexpr int64_t most = 8;
  uint64_t all = most;
  for (const StagedView& view : staged) {
    const Layout& x = kernel.value.operands[static_cast<size_t>(view.operand)].layout;
    const int front = order_of(x).front();
    if (stride_of(x, front) != 1) return 1;
    const bool is_backwards = x.strides[static_cast<size_t>(front)] < 0;
    all |= static_cast<uint64_t>(x.shape[front] | (x.offset + (is_backwards ? 1 : 0)));
    for (int axis = 0; axis < x.shape.rank(); ++axis)
      if (axis != front && x.shape[axis] > 1) all |= static_cast<uint64_t>(stride_of(x, axis));
  }
  return int64_t{1} << std::countr_zero(all);
}

bool place_pairs(const Layout& x, int64_t aligned, JointTile& tile) {
  if (!run_is_read(x, tile)) return false;
  const int front = tile.read.front();
  const Pairs pairs = vectors_for(tile, x.strides[static_cast<size_t>(front)], aligned);
  // Elements across runs one by one are no quicker as pairs (of five f16 1,523 GB/s, and 1,615 as words).
  if (pairs.elements == 1 && !tile.in_run(front)) return false;
  tile.pairs = pairs;
  tile.pitch.assign(tile.sizes.size(), 0);
  tile.slots = 1;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = tile.sizes[static_cast<size_t>(axis)];
    if (stride_of(x, axis) == 0 || size == 1) continue;
    const bool is_line = axis == front && !tile.in_run(axis);
    if (!tile.in_run(axis)) tile.slots = round_up(tile.slots, 2);
    if (is_line) tile.slots = line_of(tile.slots, vectors_of(tile));
    tile.pitch[static_cast<size_t>(axis)] = tile.slots;
    tile.slots *= is_line ? vectors_of(tile) : size;
    if (!is_line || pairs.elements == 1) continue;
    tile.pairs->plane = tile.slots;
    tile.slots *= pairs.elements;
  }
  return true;
}

bool writes_whole_words(const Layout& out, const JointTile& tile) {
  bool whole = tile.run() % 2 == 0 && out.offset % 2 == 0;
  for (int axis = 0; axis < out.shape.rank(); ++axis)
    whole = whole && (out.shape[axis] == 1 || tile.in_run(axis) || out.strides[static_cast<size_t>(axis)] % 2 == 0);
  return whole;
}

int64_t run_before(const JointTile& tile, int axis) {
  int64_t before = 1;
  for (const int each : tile.written) {
    if (each == axis) break;
    before *= tile.sizes[static_cast<size_t>(each)];
  }
  return before;
}

int64_t vectors_of(const JointTile& tile) { return ceil_divide(front_length(tile), tile.pairs->elements); }

int64_t pairs_across(const JointTile& tile) {
  const int64_t across = tile.pairs->across;
  return across == 0 ? ceil_divide(tile.run(), 2) : across % 2 == 0 ? across / 2 : across;
}

int64_t pairs_read(const JointTile& tile) {
  const bool is_counted = tile.pairs->elements > 1;
  const int64_t vectors = is_counted ? vectors_of(tile) : 1, length = is_counted ? front_length(tile) : 1;
  const int64_t run = tile.pairs->across == 0 ? tile.run() : tile.pairs->across;
  return tile.elements_read() / (run * length) * vectors * pairs_across(tile);
}

}  // namespace eglantine::lower
