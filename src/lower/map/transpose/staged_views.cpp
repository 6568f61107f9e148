#include "lower/map/transpose/staged_views.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace eglantine::lower {
namespace {

constexpr size_t most_tiles = 4;

/// How many results side by side read the same element.
int64_t repeats_of(const Layout& x) {
  int64_t repeats = 1;
  for (int axis = x.shape.rank() - 1; axis >= 0 && stride_of(x, axis) == 0; --axis) repeats *= x.shape[axis];
  return repeats;
}

/// By how much along each axis one view of a storage lies further than another of the same strides: nothing where they
/// do not lie near each other.
std::optional<std::vector<int64_t>> shift_between(const Layout& from, const Layout& to) {
  constexpr int64_t most = 8;
  std::vector<int> order = order_of(from);
  std::vector<int64_t> shift(from.strides.size());
  int64_t rest = to.offset - from.offset;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto i = static_cast<size_t>(*axis);
    shift[i] = std::llround(static_cast<double>(rest) / static_cast<double>(from.strides[i]));
    rest -= shift[i] * from.strides[i];
    if (std::abs(shift[i]) > most) return std::nullopt;
  }
  return rest == 0 ? std::optional(shift) : std::nullopt;
}

}  // namespace

bool is_apart(const Strided& x) { return repeats_of(x.layout) * common_run(x.layout) * bytes_of(x.storage) < long_run; }

int64_t stride_of(const Layout& x, int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

std::vector<int> order_of(const Layout& x) {
  std::vector<int> axes;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis)
    if (stride_of(x, axis) != 0 && x.shape[axis] > 1) axes.push_back(axis);
  std::ranges::stable_sort(axes, {}, [&](int axis) { return stride_of(x, axis); });
  return axes;
}

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

std::vector<StagedView> views_apart(const Expr& value) {
  std::vector<StagedView> found;
  std::vector<const Strided*> tiles;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Strided& x = value.operands[i];
    if (value.stores(i) || value.piecewise_of(i) != nullptr || order_of(x.layout).size() < 2) continue;
    if (found.empty() ? !is_apart(x) : x.layout.strides != tiles.front()->layout.strides) continue;
    const auto shares = [&](const Strided* tile) {
      return tile->buffer == x.buffer && tile->storage == x.storage && shift_between(tile->layout, x.layout);
    };
    const auto tile = std::ranges::find_if(tiles, shares);
    const bool is_new = tile == tiles.end();
    if (is_new && tiles.size() == most_tiles) continue;
    const auto number = static_cast<int>(tile - tiles.begin());
    found.push_back(
        {static_cast<int>(i), number,
         is_new ? std::vector<int64_t>(x.layout.strides.size()) : *shift_between((*tile)->layout, x.layout)});
    if (is_new) tiles.push_back(&x);
  }
  return found;
}

std::vector<int64_t> halo_of(std::vector<StagedView>& views, size_t rank) {
  std::vector<int64_t> halo(rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    std::vector<int64_t> least(most_tiles);
    for (const StagedView& view : views)
      least[static_cast<size_t>(view.tile)] = std::min(least[static_cast<size_t>(view.tile)], view.shift[axis]);
    for (StagedView& view : views) {
      view.shift[axis] -= least[static_cast<size_t>(view.tile)];
      halo[axis] = std::max(halo[axis], view.shift[axis]);
    }
  }
  return halo;
}

bool reads_few_beside(const Expr& value, size_t staged) {
  constexpr size_t most = 4;
  const size_t beside = value.operands.size() - value.stored.size() - staged;
  return beside > 0 && beside <= most && value.iotas.empty() && value.piecewise.empty();
}

int tiles_of(const std::vector<StagedView>& views) { return std::ranges::max(views, {}, &StagedView::tile).tile + 1; }

}  // namespace eglantine::lower
