#include "lower/map/transpose/box_choice.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/pair_slots.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

/// Words of a tile, of which a multiprocessor holds a few; and of one with a halo, of which it is less.
constexpr int64_t most_slots = 4096, most_slots_of_stencils = 8192;

/// About `need` of n elements, so that parts of n are about as long as each other, and whole words: of few parts none
/// is shorter, of many all are as long as is needed.
int64_t part_of(int64_t n, int64_t need, int64_t in_word) {
  constexpr int64_t few = 8;
  if (n <= need) return n;
  const int64_t parts = n < few * need ? n / need : ceil_divide(n, need);
  return std::min(n, round_up(ceil_divide(n, parts), in_word));
}

/// Makes the box's run along these axes, of so many elements in a word, about `wanted` elements or more; returns the
/// last axis of it.
int extend(const Shape& domain, const std::vector<int>& order, int64_t wanted, const std::vector<int64_t>& in_word,
           std::vector<int64_t>& sizes) {
  int64_t run = 1;
  int last = order.front();
  for (const int axis : order) {
    int64_t& size = sizes[static_cast<size_t>(axis)];
    size = std::max(size, part_of(domain[axis], ceil_divide(wanted, run), in_word[static_cast<size_t>(axis)]));
    last = axis;
    run *= size;
    if (size < domain[axis] || run >= wanted) break;
  }
  return last;
}

int64_t run_of(const Shape& domain, const std::vector<int>& order, const std::vector<int64_t>& sizes) {
  int64_t run = 1;
  for (const int axis : order) {
    run *= sizes[static_cast<size_t>(axis)];
    if (sizes[static_cast<size_t>(axis)] < domain[axis]) break;
  }
  return run;
}

/// Axes of the results, the fastest first.
std::vector<int> order_of_results(const Shape& domain) {
  std::vector<int> axes;
  for (int axis = domain.rank() - 1; axis >= 0; --axis)
    if (domain[axis] > 1) axes.push_back(axis);
  return axes;
}

class BoxChoice {
 public:
  BoxChoice(const Target& target, const MapKernel& kernel, std::vector<StagedView> views)
      : kernel_(kernel),
        domain_(kernel.value.domain),
        operand_(kernel.value.operands[static_cast<size_t>(views.front().operand)]),
        staged_(std::move(views)),
        in_word_(static_cast<size_t>(domain_.rank()),
                 4 / std::min(bytes_of(operand_.storage), bytes_of(kernel.out.storage))),
        halo_(halo_of(staged_, static_cast<size_t>(domain_.rank()))),
        read_(order_of(operand_.layout)),
        written_(order_of_results(domain_)),
        pairs_(moves_pairs(kernel, staged_)) {
    if (pairs_) {
      aligned_ = aligned_vector(kernel, staged_);
      in_word_[static_cast<size_t>(read_.front())] = std::max<int64_t>(codegen::vector_width, aligned_);
    }
    const int64_t most = is_stencil() ? most_slots_of_stencils : most_slots, count = tiles_of(staged_);
    slots_ = std::min({most, target.max_shared_bytes / 4, 16 * std::min<int64_t>(512, target.max_invocations)}) / count;
    slots_ -= slots_ % slots_apart;
    multiprocessors_ = static_cast<double>(multiprocessors_of(target));
  }

  std::optional<JointTile> best() const {
    std::optional<JointTile> best;
    double least = 0;
    constexpr int64_t shortest = 8, longest = 2048, most_across = 16;
    for (int64_t across = 1; across <= (is_stencil() ? most_across : 1); across *= 2)
      for (int64_t read = shortest; read <= longest; read = next(read))
        for (int64_t written = shortest; written <= longest; written = next(written)) {
          const JointTile tile = tile_of(read, written, across);
          const double cost = tile.words() > slots_ ? 0 : cost_of(tile);
          if (tile.words() > slots_ || (best && cost >= least)) continue;
          best = tile;
          least = cost;
        }
    return best;
  }

 private:
  /// The next power of two, of pairs one and a half first.
  int64_t next(int64_t length) const {
    if (!pairs_) return 2 * length;
    return std::has_single_bit(static_cast<uint64_t>(length)) ? length + length / 2 : length / 3 * 4;
  }

  bool is_stencil() const {
    return std::ranges::any_of(halo_, [](int64_t more) { return more > 0; });
  }

  JointTile tile_of(int64_t read, int64_t written, int64_t across) const {
    JointTile tile;
    tile.staged = staged_;
    tile.halo = halo_;
    tile.sizes.assign(static_cast<size_t>(domain_.rank()), 1);
    extend(domain_, read_, read, in_word_, tile.sizes);
    const int slowest = extend(domain_, written_, written, in_word_, tile.sizes);
    for (int axis = 0; axis < domain_.rank(); ++axis)
      if (int64_t& size = tile.sizes[static_cast<size_t>(axis)]; size == 1 && halo_[static_cast<size_t>(axis)] > 0)
        size = part_of(domain_[axis], across, 1);
    take_repeats(tile);
    order_axes(tile, slowest);
    if (!pairs_ || !place_pairs(operand_.layout, aligned_, tile)) place_slots(tile);
    return tile;
  }

  /// What is read once is written for all coordinates along a short broadcast axis.
  void take_repeats(JointTile& tile) const {
    constexpr int64_t most = 8;
    for (int axis = 0; axis < domain_.rank(); ++axis)
      if (stride_of(operand_.layout, axis) == 0 && domain_[axis] <= most)
        tile.sizes[static_cast<size_t>(axis)] = domain_[axis];
  }

  void order_axes(JointTile& tile, int slowest) const {
    std::ranges::copy_if(read_, std::back_inserter(tile.read), [&](int axis) { return tile.size_read(axis) > 1; });
    for (int axis = domain_.rank() - 1; axis >= 0; --axis)
      if (tile.sizes[static_cast<size_t>(axis)] > 1) tile.written.push_back(axis);
    for (const int axis : tile.written) {
      ++tile.run_axes;
      if (axis == slowest) break;
    }
  }

  /// Slots are in the results' order. Neighbours along the operands' fastest axis lie in other banks, unless words of
  /// narrow results are made of slots side by side.
  void place_slots(JointTile& tile) const {
    tile.pitch.assign(tile.sizes.size(), 0);
    tile.slots = 1;
    int run = tile.run_axes;
    for (int axis = domain_.rank() - 1; axis >= 0; --axis) {
      const bool in_run = tile.sizes[static_cast<size_t>(axis)] > 1 && run-- > 0;
      if (stride_of(operand_.layout, axis) == 0 || tile.size_read(axis) == 1) continue;
      const bool side_by_side = is_narrow(kernel_.out.storage) && in_run;
      if (axis == tile.read.front() && !side_by_side) tile.slots |= 1;
      tile.pitch[static_cast<size_t>(axis)] = tile.slots;
      tile.slots *= tile.size_read(axis);
    }
  }

  /// Bytes that an element takes: of lines that begin anywhere a part is of others, as is a round of a small tile.
  double cost_of(const JointTile& tile) const {
    const double part = 24, pairs_in_parts = 32, words_in_parts = 96, round = 256;
    const auto from = static_cast<double>(bytes_of(operand_.storage)),
               to = static_cast<double>(bytes_of(kernel_.out.storage));
    const double read = from * static_cast<double>(run_of(domain_, read_, tile.sizes)),
                 written = to * static_cast<double>(tile.run());
    double waste = 1 + round / static_cast<double>(tile.elements_written()), boxes = 1;
    for (int axis = 0; axis < domain_.rank(); ++axis) {
      const int64_t size = tile.sizes[static_cast<size_t>(axis)];
      waste *= static_cast<double>(round_up(domain_[axis], size)) / static_cast<double>(domain_[axis]);
      boxes *= static_cast<double>(ceil_divide(domain_[axis], size));
    }
    // Fewer boxes than multiprocessors leave some idle.
    waste *= std::max(1.0, multiprocessors_ / boxes);
    const double part_written = tile.pairs && writes_whole_words(kernel_.out.layout, tile) ? pairs_in_parts
                                : to < 4                                                   ? words_in_parts
                                                                                           : part;
    return waste * (from * (1 + part / read) * beyond(tile) + to * (1 + part_written / written));
  }

  /// How much more than the box is read; what other boxes read as well is in the cache, mostly.
  double beyond(const JointTile& tile) const {
    constexpr double cached = 0.6;
    double read = 1;
    for (const int axis : tile.read)
      read *= static_cast<double>(tile.size_read(axis)) / static_cast<double>(tile.sizes[static_cast<size_t>(axis)]);
    return 1 + cached * (read - 1);
  }

  const MapKernel& kernel_;
  const Shape& domain_;
  const Strided& operand_;
  std::vector<StagedView> staged_;
  std::vector<int64_t> in_word_;  ///< by axis: elements of the narrower of operands and results, or of a vector
  std::vector<int64_t> halo_;
  std::vector<int> read_, written_;
  bool pairs_;
  int64_t aligned_ = 1;  ///< elements of aligned vectors of pairs
  int64_t slots_;        ///< words of a tile
  double multiprocessors_;
};

}  // namespace

std::optional<JointTile> chosen_box(const Target& target, const MapKernel& kernel,
                                    const std::vector<StagedView>& views) {
  return BoxChoice(target, kernel, views).best();
}

}  // namespace eglantine::lower
