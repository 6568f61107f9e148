#include "verbs/index/compaction.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "evaluate/evaluate.hpp"
#include "evaluate/upload.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "system/main_memory.hpp"
#include "verbs/index/index.hpp"

namespace eglantine::verbs {

Tensor TileCounts::compacted(const Tensor& x) const {
  if (count == 0) return zeros({0}, x.dtype(), x.device());
  if (is_narrow(x.dtype())) return compacted(widened(x)).astype(x.dtype());
  return pend(make_scatter({nullptr, mask.node(), x.node(), {-1}, 0, {}, true, true, nullptr, ends.node()}, {count}));
}

Tensor TileCounts::coordinates(const Shape& shape) const {
  const NodePtr places = iota(mask.device(), {mask.size()}).astype(DType::i32).node();
  return pend(make_scatter({nullptr, mask.node(), places, {-1}, 0, {}, true, true, nullptr, ends.node(), shape},
                           {count, shape.rank()}));
}

bool gives_coordinates(const Tensor& mask) {
  return compacts_by_tiles(mask) && mask.rank() > 1 && mask.size() * mask.rank() <= limits_of(*mask.node()).longest_row;
}

bool compacts_by_tiles(const Tensor& mask) {
  const DeviceLimits& limits = limits_of(*mask.node());
  return limits.compacts_by_tiles && mask.size() > 0 && mask.size() <= limits.longest_row;
}

TileCounts tile_counts(std::string_view function, const Tensor& mask) {
  check::require_i32_count(function, mask.shape());
  const Tensor flat = mask.reshape({mask.size()});
  const Shape tile{std::min(compacted_tile, mask.size())}, tiles{ceil_divide(mask.size(), tile[0])};
  const Tensor counts = pend(make_tiles({Reduction::sum, flat.astype(DType::i32).node(), tile}, tiles));
  const bool counted = are_counted(tiles[0]);
  const Tensor ends = counted ? counts : cumsum(counts, 0);
  eval({flat, ends});  // both, since the compaction that follows reads the mask too
  if (!counted) return {flat, ends, ends.slice(0, -1).item<int32_t>()};
  const std::vector<int32_t> each = counts.to_vector<int32_t>();
  return {flat, ends, std::accumulate(each.begin(), each.end(), int64_t{0})};
}

bool host_finds_places(const Tensor& mask) { return limits_of(*mask.node()).masks_on_host && mask.size() > 0; }

Tensor places_by_host(std::string_view function, const Tensor& mask) {
  check::require_i32_count(function, mask.shape());
  const Booleans chosen(static_cast<size_t>(mask.size()), function);
  read(mask.node(), chosen.all);
  const auto count = std::count(chosen.all.begin(), chosen.all.end(), true);
  // One more, where the places of elements that are not true are left. No branch, which random masks would mispredict.
  auto places = fresh_vector<int32_t>(static_cast<size_t>(count) + 1, function);
  size_t found = 0;
  for (size_t i = 0; i < chosen.all.size(); ++i) {
    places[found] = static_cast<int32_t>(i);
    found += chosen.all[i] ? 1 : 0;
  }
  const std::span<const int32_t> all(places.data(), found);
  return Tensor(upload(std::as_bytes(all), Shape{count}, DType::i32, mask.device()));
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
