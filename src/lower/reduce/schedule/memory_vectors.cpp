#include "lower/reduce/schedule/memory_vectors.hpp"

#include <algorithm>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "lower/reduce/schedule/any_order.hpp"

namespace eglantine::lower {
namespace {

int64_t modulo_vector(int64_t x) { return ((x % vector_width) + vector_width) % vector_width; }

/// Whether vectors of memory begin as far before each row of x as before those of y.
bool begin_alike(const Layout& x, const Layout& y, int kept_rank) {
  bool alike = modulo_vector(x.offset) == modulo_vector(y.offset);
  for (int axis = 0; axis < kept_rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    alike = alike && (x.shape[axis] == 1 || modulo_vector(x.strides[i]) == modulo_vector(y.strides[i]));
  }
  return alike;
}

/// Whether nothing but its operands tells a row's elements apart.
bool reads_operands_alone(const Expr& x) { return x.iotas.empty() && x.piecewise.empty() && x.stored.empty(); }

}  // namespace

bool may_read_vectors_of_memory(const ReduceLevel& level) {
  const Expr& x = level.prologue;
  if (level.indices || level.length > layout::row_block || level.reduction == Reduction::custom ||
      !is_exact(level.reduction, x.dtype()) || !reads_operands_alone(x))
    return false;
  std::vector<const Strided*> rows;
  for (const Strided& operand : x.operands) {
    const codegen::AccessPattern pattern =
        codegen::access_pattern_of(operand.layout, {level.kept_rank, x.domain.rank() - level.kept_rank});
    if (pattern != codegen::AccessPattern::broadcast) rows.push_back(&operand);
    if (pattern == codegen::AccessPattern::strided || pattern == codegen::AccessPattern::coordinates) return false;
  }
  return !rows.empty() && std::ranges::all_of(rows, [&](const Strided* row) {
    // Views of one buffer may be read together, by vectors of their own.
    return std::ranges::count(rows, row->buffer, &Strided::buffer) == 1 &&
           begin_alike(row->layout, rows.front()->layout, level.kept_rank);
  });
}

}  // namespace eglantine::lower
