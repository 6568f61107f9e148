#include "lower/program_dispatch.hpp"

#include <algorithm>
#include <bit>

#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// Loop trips that take a software device's thread less time than waking another one.
constexpr int64_t worth_a_thread = 32;

}  // namespace

/// Where each component of a block is a read of its own, two vectors of words are more of them than four elements.
codegen::Vectors vectors_read(const Target& target, bool vectors, bool texels) {
  if (!vectors) return codegen::Vectors::none;
  return target.software && !texels ? codegen::Vectors::narrow : codegen::Vectors::anywhere;
}

Dispatch dispatch_of(std::string name, codegen::SourceParts parts, const codegen::Bindings& bindings,
                     const codegen::Uniforms& uniforms) {
  Dispatch dispatch;
  dispatch.name = std::move(name);
  parts.declarations = codegen::declarations(bindings, uniforms);
  dispatch.program = std::make_shared<const Program>(std::move(parts));
  dispatch.uniforms = uniforms.words();
  dispatch.parameters = uniforms.parameters();
  for (int i = 0; i < bindings.size(); ++i) {
    const codegen::Bindings::Block& block = bindings.at(i);
    dispatch.ranges.push_back({block.buffer, bindings.first_byte(i), bindings.bytes(i), bindings.texels(i)});
    if (block.written) dispatch.written |= 1U << i;
  }
  return dispatch;
}

Grid resident_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                   int64_t trips_an_item) {
  const int64_t resident = std::max<int64_t>(1, target.resident_invocations / group_size);
  const int64_t rounds = ceil_divide(items, items_at_once);
  int64_t rounds_a_group = ceil_divide(rounds, resident);
  if (target.software) rounds_a_group = std::max(rounds_a_group, std::min(rounds, worth_a_thread / trips_an_item));
  if (target.max_loop_trips > 0) {
    rounds_a_group = std::min(rounds_a_group, std::max<int64_t>(1, target.max_loop_trips / 2 / trips_an_item));
  }
  rounds_a_group = std::max(rounds_a_group, ceil_divide(rounds, target.max_groups));
  return {ceil_divide(rounds, rounds_a_group), rounds_a_group * items_at_once};
}

int64_t trips_of(const Expr& expr) { return expr.calls.empty() ? 1 : worth_a_thread; }

Grid streaming_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                    int64_t trips_an_item) {
  const int64_t rounds = ceil_divide(items, items_at_once);
  if (!target.large_pages) return resident_grid(target, items, items_at_once, group_size, trips_an_item);
  const int64_t rounds_a_group = ceil_divide(rounds, target.max_groups);
  return {ceil_divide(rounds, rounds_a_group), rounds_a_group * items_at_once};
}

Grid grid_of_small_groups(const Target& target, int64_t items, int64_t items_at_once) {
  constexpr int64_t most_rounds = 4, times_resident = 8, groups_of_a_multiprocessor = 32;
  const int64_t rounds = ceil_divide(items, items_at_once);
  const int64_t resident = multiprocessors_of(target) * groups_of_a_multiprocessor;
  const int64_t each = std::max(ceil_divide(rounds, target.max_groups),
                                std::clamp<int64_t>(rounds / (times_resident * resident), 1, most_rounds));
  return {ceil_divide(rounds, each), each * items_at_once};
}

int64_t multiprocessors_of(const Target& target) {
  return std::max<int64_t>(1, target.resident_invocations / invocations_of_a_multiprocessor);
}

std::array<uint32_t, 3> groups_in_rows(int64_t groups, int64_t most) {
  const int64_t rows = ceil_divide(groups, most);
  return {static_cast<uint32_t>(ceil_divide(groups, rows)), static_cast<uint32_t>(rows), 1};
}

int64_t group_size_of(const Target& target, int64_t wanted) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(wanted, target.max_invocations))));
}

bool counts_on_whole_vectors(const Target& target, int64_t elements) { return target.software && elements % 4 == 0; }

std::string loads_at_once(int count) {
  std::string each;
  for (int i = 0; i < count; ++i)
    each += (i > 0 ? " F(" : "F(") + std::to_string(i) + ", eg_x" + std::to_string(i) + ")";
  return codegen::define("EG_UNROLL", count) + codegen::define("EG_EACH_LOAD(F)", each);
}

int unroll_of(const Expr& expr) {
  constexpr size_t short_code = 6, long_code = 12;
  return expr.code.size() <= short_code ? 4 : expr.code.size() <= long_code ? 2 : 1;
}

}  // namespace eglantine::lower
