#include "codegen/stage/packed_bounds.hpp"

#include <algorithm>
#include <bit>

#include "layout/layout.hpp"

namespace eglantine::codegen {
namespace {

using layout::Reach;

/// Bits of a two's complement number in [least, most], where least < 0.
int width_of(int64_t least, int64_t most) {
  return 1 + std::bit_width(static_cast<uint64_t>(std::max(-least - 1, most)));
}

/// Adds sign * i + add << bit, for an iota i.
void add_field(Layout& word, const Layout& iota, int64_t sign, int64_t add, int bit) {
  word.offset += (sign * iota.offset + add) * (int64_t{1} << bit);
  for (size_t axis = 0; axis < word.strides.size(); ++axis)
    word.strides[axis] += sign * iota.strides[axis] * (int64_t{1} << bit);
}

}  // namespace

std::optional<PackedBounds> packed_bounds(const Expr& expr, const PiecewiseRead& read) {
  constexpr int bits = 32;
  if (read.bounds.size() < 2) return std::nullopt;
  PackedBounds packed{{expr.domain, std::vector<int64_t>(static_cast<size_t>(expr.domain.rank())), 0}, 0};
  int used = 0;
  for (const PiecewiseRead::Bound& bound : read.bounds) {
    const Layout& iota = expr.iotas[static_cast<size_t>(bound.iota)];
    const Reach places = layout::reach(iota);
    for (const int64_t sign : {1, -1}) {
      const int64_t add = sign > 0 ? 0 : bound.count - 1;
      const int64_t least = add + (sign > 0 ? places.first : -places.last),
                    most = add + (sign > 0 ? places.last : -places.first);
      if (least >= 0) continue;
      const int width = width_of(least, most);
      if (used + width > bits) return std::nullopt;
      add_field(packed.word, iota, sign, add, used);
      used += width;
      packed.signs |= uint32_t{1} << (used - 1);
    }
  }
  return packed.signs == 0 ? std::nullopt : std::optional(packed);
}

}  // namespace eglantine::codegen
