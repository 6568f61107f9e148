#include "verbs/index/compaction.hpp"

#include <algorithm>

#include "evaluate/evaluate.hpp"
#include "graph/graph_lock.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "verbs/index/index.hpp"

namespace eglantine::verbs {

namespace {

struct TileEnds {
  Tensor mask, ends;

  Tensor last() const { return ends.slice(0, -1); }
  Tensor compacted(const Tensor& x, int64_t count) const {
    return pend(make_scatter({nullptr, mask.node(), x.node(), {-1}, 0, {}, true, true, nullptr, ends.node()}, {count}));
  }
};

}  // namespace

Tensor TileCounts::compacted(const Tensor& x) const {
  if (count == 0) return zeros({0}, x.dtype(), x.device());
  if (is_narrow(x.dtype())) return compacted(widened(x)).astype(x.dtype());
  return TileEnds{mask, ends}.compacted(x, count);
}

bool compacts_by_tiles(const Tensor& mask) {
  const DeviceLimits& limits = limits_of(*mask.node());
  return limits.compacts_by_tiles && mask.size() > 0 && mask.size() <= limits.longest_row;
}

namespace {

/// Submitted.
TileEnds tile_ends(std::string_view function, const Tensor& mask) {
  check::require_i32_count(function, mask.shape());
  const Tensor flat = mask.reshape({mask.size()});
  const Shape tile{std::min(compacted_tile, mask.size())}, tiles{ceil_divide(mask.size(), tile[0])};
  const Tensor counts = pend(make_tiles({Reduction::sum, flat.astype(DType::i32).node(), tile}, tiles));
  const Tensor ends = tiles[0] == 1 ? counts : cumsum(counts, 0);
  eval({flat, ends});  // both, since the compaction that follows reads the mask too
  return {flat, ends};
}

/// Whether x's memory is not much, and it is computed, or made of places alone.
bool can_be_ahead(const Tensor& mask, const Tensor& x) {
  constexpr int64_t most_bytes = int64_t{64} << 20;
  if (!is_gpu(x.device()) || 4 * x.size() > most_bytes || x.node()->is_traced() || mask.node()->is_traced())
    return false;
  const GraphLock lock;
  return x.node()->dominant.computed || placed(x.node()).source->is_computed();
}

/// Of the memory for all of them the first `count` elements.
Tensor first_of(const Tensor& all, int64_t count) {
  constexpr int64_t much = int64_t{1} << 20;
  const Tensor first = all.slice(0, 0, count);
  if (4 * count >= all.size() || 4 * all.size() <= much) return first;
  return pend(make_elementwise(Op::copy, first.dtype(), {first.node(), nullptr, nullptr}));
}

}  // namespace

Tensor compacted(std::string_view function, const Tensor& mask, const Tensor& x) {
  if (is_narrow(x.dtype()) || !can_be_ahead(mask, x)) return tile_counts(function, mask).compacted(x);
  const TileEnds tiles = tile_ends(function, mask);
  const Tensor all = tiles.compacted(x, mask.size());
  const int32_t count = read_while(tiles.last().node(), all.node());
  return count == 0 ? zeros({0}, x.dtype(), x.device()) : first_of(all, count);
}

TileCounts tile_counts(std::string_view function, const Tensor& mask) {
  const auto [flat, ends] = tile_ends(function, mask);
  return {flat, ends, ends.slice(0, -1).item<int32_t>()};
}

nodes::Scatter by_places(const nodes::Scatter& compaction, int64_t count) {
  const Tensor mask(compaction.index);
  nodes::Scatter result = compaction;
  result.index = Counted{mask, cumsum(mask, 0), count}.index().node();
  result.ends = nullptr;
  result.check = std::make_shared<const IndexCheck>(
      IndexCheck{"compress", {count}, 0, mask.shape(), layout::contiguous(mask.shape())});
  return result;
}

}  // namespace eglantine::verbs
