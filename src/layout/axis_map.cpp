#include "layout/axis_map.hpp"

#include <algorithm>

namespace eglantine::layout {
namespace {

/// Writes a map from the left to the right, merging pieces that continue each other.
class MapWriter {
 public:
  explicit MapWriter(int64_t length) { map_.length = length; }

  /// False where elements without a coordinate lie between this piece and the last, or it is one too many.
  bool add(const LinearPiece& piece, int64_t to) {
    if (map_.pieces.empty()) map_.begin = piece.start;
    if (!map_.pieces.empty() && map_.end != piece.start) return false;
    map_.end = to;
    const bool continues = !map_.pieces.empty() && map_.pieces.back().step == piece.step &&
                           map_.pieces.back().at(piece.start) == piece.first;
    if (!continues) map_.pieces.push_back(piece);
    return map_.pieces.size() <= max_pieces;
  }
  AxisMap take() { return std::move(map_); }

 private:
  AxisMap map_;
};

/// The piece of `map` that j is in, and the first and last of its j's; nothing where j has no coordinate.
struct Found {
  const LinearPiece* piece = nullptr;
  int64_t first, last;
};
Found find(const AxisMap& map, int64_t j) {
  if (j < map.begin) return {nullptr, 0, map.begin - 1};
  if (j >= map.end) return {nullptr, map.end, map.length - 1};
  size_t k = map.pieces.size() - 1;
  while (map.pieces[k].start > j) --k;
  return {&map.pieces[k], map.pieces[k].start, map.end_of(k) - 1};
}

/// The elements [start, end) of the result, all in `outer`.
bool compose_piece(const LinearPiece& outer, int64_t start, int64_t end, const AxisMap& inner, MapWriter& out) {
  while (start < end) {
    const int64_t j = outer.at(start);
    const Found found = find(inner, j);
    int64_t count = end - start;
    if (outer.step != 0) count = std::min(count, outer.step > 0 ? found.last - j + 1 : j - found.first + 1);
    if (found.piece != nullptr && !out.add({start, found.piece->at(j), found.piece->step * outer.step}, start + count))
      return false;
    start += count;
  }
  return true;
}

}  // namespace

AxisMap identity(int64_t length) { return {length, 0, length, {{0, 0, 1}}}; }

bool are_total(const std::vector<AxisMap>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const AxisMap& axis) { return axis.is_total(); });
}

std::optional<AxisMap> compose(const AxisMap& outer, const AxisMap& inner) {
  MapWriter out(outer.length);
  for (size_t k = 0; k < outer.pieces.size(); ++k)
    if (!compose_piece(outer.pieces[k], outer.pieces[k].start, outer.end_of(k), inner, out)) return std::nullopt;
  return out.take();
}

}  // namespace eglantine::layout
