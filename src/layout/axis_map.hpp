#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace eglantine::layout {

/// Part of a piecewise linear function of i: first + step * (i - start) from i = start on. step: -1, 0 or 1.
struct LinearPiece {
  int64_t start = 0;
  int64_t first = 0;
  int64_t step = 1;

  int64_t at(int64_t i) const { return first + step * (i - start); }
};

/// Which coordinate along an axis of a source element i in [0, length) of a result has; none outside [begin, end).
/// Pieces by increasing start, the first at begin, one at least unless begin = end.
struct AxisMap {
  int64_t length = 0;
  int64_t begin = 0, end = 0;
  std::vector<LinearPiece> pieces;

  bool is_total() const { return begin == 0 && end == length; }
  bool is_identity() const {
    return is_total() && pieces.size() == 1 && pieces[0].first == 0 && (pieces[0].step == 1 || length == 1);
  }
  int64_t end_of(size_t piece) const { return piece + 1 < pieces.size() ? pieces[piece + 1].start : end; }
};

/// Longest axis of a result whose map is not the identity: shaders count coordinates modulo 2^32, where the differences
/// of two along so long an axis, from -2^31 to 2^31, remain distinct.
inline constexpr int64_t longest_axis = int64_t{1} << 31;

bool are_total(const std::vector<AxisMap>& axes);
inline bool is_counted(const AxisMap& axis) { return axis.is_identity() || axis.length <= longest_axis; }

AxisMap identity(int64_t length);

/// Most pieces of a composed map: each further one is a comparison and an addition for every element read. A roll of a
/// padded tensor takes 2 or 3; chains of them end in memory here.
inline constexpr size_t max_pieces = 8;
/// inner's coordinate of outer's: of a result of a result. Nothing where elements without a coordinate would lie
/// between others, or it takes more than max_pieces.
std::optional<AxisMap> compose(const AxisMap& outer, const AxisMap& inner);

}  // namespace eglantine::layout
