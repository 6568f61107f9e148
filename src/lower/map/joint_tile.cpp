#include "lower/map/joint_tile.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/divide.hpp"
#include "lower/map/transpose_program.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

constexpr int64_t least_results = int64_t{1} << 14;
/// Bytes of a run that tiles of two axes, or no tiles, do well with.
constexpr int64_t long_run = 96;
/// Words of a tile, of words and of narrow elements, whose runs are as many elements as take more of them.
constexpr int64_t most_slots = 4096, most_narrow_slots = 8192;
constexpr size_t most_staged = 4;
/// Columns of a tile of two axes, at least, and how many times those that there are.
constexpr int64_t fewest_columns = 32, most_waste = 2;

int64_t stride_of(const Layout& x, int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

/// Axes that lead to other elements, the fastest first.
std::vector<int> order_of(const Layout& x) {
  std::vector<int> axes;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis)
    if (stride_of(x, axis) != 0 && x.shape[axis] > 1) axes.push_back(axis);
  std::ranges::stable_sort(axes, {}, [&](int axis) { return stride_of(x, axis); });
  return axes;
}

/// Elements that follow each other both in an operand and in the results.
int64_t common_run(const Layout& x) {
  const std::vector<int> order = order_of(x);
  int64_t run = 1;
  size_t k = 0;
  for (int axis = x.shape.rank() - 1; axis >= 0 && k < order.size(); --axis) {
    if (x.shape[axis] == 1 || stride_of(x, axis) == 0) continue;
    if (order[k++] != axis) return run;
    run *= x.shape[axis];
  }
  return run;
}

bool is_apart(const Strided& x) { return common_run(x.layout) * bytes_of(x.storage) < long_run; }

/// The first operand without long runs, and those that lie as it does.
std::vector<int> operands_apart(const Expr& value) {
  std::vector<int> found;
  for (size_t i = 0; i < value.operands.size() && found.size() < most_staged; ++i) {
    const Strided& x = value.operands[i];
    if (value.piecewise_of(i) != nullptr || order_of(x.layout).size() < 2) continue;
    const bool fits = found.empty()
                          ? is_apart(x)
                          : x.layout.strides == value.operands[static_cast<size_t>(found.front())].layout.strides;
    if (fits) found.push_back(static_cast<int>(i));
  }
  return found;
}

/// Whether another form does well: words that lie in columns of few lines are read in place, as are rows of some
/// length, and of narrow elements, of which each takes as long in a tile as a word, long rows of near neighbours; tiles
/// of two axes have long runs where both are long.
bool has_other_form(const Target& target, const MapKernel& kernel, const Strided& x) {
  constexpr int64_t most_in_place = 8, row_in_place = 48, near = 16, long_row = 64;
  const Shape& domain = kernel.value.domain;
  const int inner = domain.rank() - 1, lines = order_of(x.layout).front();
  int64_t between = 1;
  for (int axis = lines + 1; axis <= inner; ++axis) between *= domain[axis];
  const bool is_narrow_move = is_narrow(kernel.out.storage) || is_narrow(x.storage);
  const int64_t apart = stride_of(x.layout, inner) * bytes_of(x.storage);
  if (is_narrow_move && apart > 0 && apart <= near && domain[inner] >= long_row) return true;
  if (lines == inner || between == 1) return common_run(x.layout) * bytes_of(x.storage) >= row_in_place;
  if (between <= most_in_place) return !is_narrow_move;
  if (!transposed_operands(target, kernel.value) || stride_of(x.layout, lines) != 1) return false;
  const int64_t columns = round_up(domain[inner], domain[inner] < fewest_columns ? fewest_columns : vector_width);
  if (columns >= most_waste * domain[inner]) return false;
  const bool joint_lines = stride_of(x.layout, inner) == domain[lines], joint_columns = between == domain[inner];
  const int64_t read = domain[lines] * (joint_lines ? domain[inner] : 1),
                written = domain[inner] * (joint_columns ? domain[lines] : 1);
  return read * bytes_of(x.storage) >= long_run && written * bytes_of(kernel.out.storage) >= long_run;
}

/// `need` of n elements or more, so that parts of n are about as long as each other.
int64_t part_of(int64_t n, int64_t need) { return n <= need ? n : ceil_divide(n, std::max<int64_t>(1, n / need)); }

/// Makes the box's run along these axes `wanted` elements or more; returns the last axis of it.
int extend(const Shape& domain, const std::vector<int>& order, int64_t wanted, std::vector<int64_t>& sizes) {
  int64_t run = 1;
  int last = order.front();
  for (const int axis : order) {
    int64_t& size = sizes[static_cast<size_t>(axis)];
    size = std::max(size, part_of(domain[axis], ceil_divide(wanted, run)));
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
  BoxChoice(const Target& target, const MapKernel& kernel, const std::vector<int>& staged)
      : kernel_(kernel),
        domain_(kernel.value.domain),
        operand_(kernel.value.operands[static_cast<size_t>(staged.front())]),
        staged_(staged),
        read_(order_of(operand_.layout)),
        written_(order_of_results(domain_)) {
    const int64_t most = is_narrow(kernel.out.storage) ? most_narrow_slots : most_slots;
    const auto count = static_cast<int64_t>(staged.size());
    slots_ = std::min({most, target.max_shared_bytes / 4, 16 * std::min<int64_t>(512, target.max_invocations)}) / count;
  }

  std::optional<JointTile> best() const {
    std::optional<JointTile> best;
    double least = 0;
    for (int64_t read = 4; read <= slots_; read *= 2)
      for (int64_t written = 4; written <= slots_; written *= 2) {
        const JointTile tile = tile_of(read, written);
        if (tile.slots > slots_) continue;
        const double cost = cost_of(tile);
        if (best && cost >= least) continue;
        best = tile;
        least = cost;
      }
    return best;
  }

 private:
  JointTile tile_of(int64_t read, int64_t written) const {
    JointTile tile;
    tile.staged = staged_;
    tile.sizes.assign(static_cast<size_t>(domain_.rank()), 1);
    tile.second_part = extend(domain_, read_, read, tile.sizes);
    tile.first_part = extend(domain_, written_, written, tile.sizes);
    if (tile.second_part == tile.first_part) tile.second_part = -1;
    take_repeats(tile);
    order_axes(tile);
    place_slots(tile);
    return tile;
  }

  /// What is read once is written for all coordinates along a short broadcast axis.
  void take_repeats(JointTile& tile) const {
    constexpr int64_t most = 8;
    for (int axis = 0; axis < domain_.rank(); ++axis)
      if (stride_of(operand_.layout, axis) == 0 && domain_[axis] <= most)
        tile.sizes[static_cast<size_t>(axis)] = domain_[axis];
  }

  void order_axes(JointTile& tile) const {
    const auto in_tile = [&](int axis) { return tile.sizes[static_cast<size_t>(axis)] > 1; };
    std::ranges::copy_if(read_, std::back_inserter(tile.read), in_tile);
    for (int axis = domain_.rank() - 1; axis >= 0; --axis)
      if (in_tile(axis)) tile.written.push_back(axis);
    for (const int axis : tile.written) {
      ++tile.run_axes;
      if (axis == tile.first_part) break;
    }
  }

  /// Slots are in the results' order. Neighbours along the operands' fastest axis lie in other banks, unless words of
  /// narrow results are made of slots side by side.
  void place_slots(JointTile& tile) const {
    tile.pitch.assign(tile.sizes.size(), 0);
    tile.slots = 1;
    for (size_t k = 0; k < tile.written.size(); ++k) {
      const int axis = tile.written[k];
      if (stride_of(operand_.layout, axis) == 0) continue;
      const bool side_by_side = is_narrow(kernel_.out.storage) && static_cast<int>(k) < tile.run_axes;
      if (axis == tile.read.front() && !side_by_side) tile.slots |= 1;
      tile.pitch[static_cast<size_t>(axis)] = tile.slots;
      tile.slots *= tile.sizes[static_cast<size_t>(axis)];
    }
  }

  /// Bytes that an element takes: of lines that begin anywhere a part is of others, as is a round of a small tile.
  double cost_of(const JointTile& tile) const {
    const double part = 24, words_in_parts = 96, round = 256;
    const auto from = static_cast<double>(bytes_of(operand_.storage)),
               to = static_cast<double>(bytes_of(kernel_.out.storage));
    const double read = from * static_cast<double>(run_of(domain_, read_, tile.sizes)),
                 written = to * static_cast<double>(tile.run());
    double waste = 1 + round / static_cast<double>(tile.elements_written());
    for (int axis = 0; axis < domain_.rank(); ++axis) {
      const int64_t size = tile.sizes[static_cast<size_t>(axis)];
      waste *= static_cast<double>(round_up(domain_[axis], size)) / static_cast<double>(domain_[axis]);
    }
    return waste * (from * (1 + part / read) + to * (1 + (to < 4 ? words_in_parts : part) / written));
  }

  const MapKernel& kernel_;
  const Shape& domain_;
  const Strided& operand_;
  const std::vector<int>& staged_;
  std::vector<int> read_, written_;
  int64_t slots_;
};

int64_t product_of(const std::vector<int>& axes, size_t count, const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (size_t k = 0; k < count; ++k) product *= sizes[static_cast<size_t>(axes[k])];
  return product;
}

}  // namespace

int64_t JointTile::elements_read() const { return product_of(read, read.size(), sizes); }
int64_t JointTile::elements_written() const { return product_of(written, written.size(), sizes); }
int64_t JointTile::run() const { return product_of(written, static_cast<size_t>(run_axes), sizes); }

std::optional<JointTile> joint_tile(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  if (target.software || value.domain.rank() < 2 || value.domain.elements() < least_results) return {};
  if (!value.stored.empty() || !kernel.out.layout.is_contiguous()) return {};
  const std::vector<int> staged = operands_apart(value);
  if (staged.empty()) return {};
  if (has_other_form(target, kernel, value.operands[static_cast<size_t>(staged.front())])) return {};
  return BoxChoice(target, kernel, staged).best();
}

}  // namespace eglantine::lower
