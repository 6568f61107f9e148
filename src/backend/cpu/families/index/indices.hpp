#pragma once

#include <algorithm>
#include <optional>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/first_outside.hpp"
#include "backend/cpu/instructions/runs.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::cpu {

/// index -> its offset along one axis, in elements; nothing when it is out of range.
struct CheckedAxis {
  int64_t length, stride;

  std::optional<int64_t> offset(Word index) const {
    const int64_t i = static_cast<int32_t>(index), from_start = i < 0 ? i + length : i;
    if (from_start < 0 || from_start >= length) return std::nullopt;
    return from_start * stride;
  }
};

/// Whether an index is constant along the innermost axis: whole rows go to, or come from, one place.
inline bool is_constant_in_rows(const Expr& index) {
  const auto still = [](const Layout& x) { return x.strides.back() == 0; };
  return index.domain.rank() > 1 && std::all_of(index.iotas.begin(), index.iotas.end(), still) &&
         std::all_of(index.operands.begin(), index.operands.end(),
                     [&](const Strided& operand) { return still(operand.layout); });
}

/// Such an index, one for each row.
inline Expr index_of_rows(Expr index) {
  const auto drop_innermost = [](Layout& x) {
    x.shape.erase(x.shape.rank() - 1);
    x.strides.pop_back();
  };
  for (Strided& operand : index.operands) drop_innermost(operand.layout);
  for (Layout& x : index.iotas) drop_innermost(x);
  index.domain.erase(index.domain.rank() - 1);
  return index;
}

/// The place in the index tensor of element `number` of a kernel's domain.
inline int64_t place_of(const Layout& places, int64_t number) {
  int64_t place = 0;
  for_runs(places, number, 1, [&](int64_t, int64_t, int64_t address) { place = address; });
  return place;
}

}  // namespace eglantine::cpu
