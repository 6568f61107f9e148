#include "lower/reduce/schedule/level_addresses.hpp"

#include <algorithm>
#include <cstdlib>

#include "graph/kernel/results_together.hpp"
#include "graph/op/op_info.hpp"
#include "lower/reduce/schedule/memory_vectors.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// Of a column tree: whether elements are loaded one by one, each of a column of its own.
bool takes_scalars(const ReduceLevel& level) { return level.together > 0 || level.singly; }

AddressSpec read_spec(const Shape& domain, int kept, const ReduceLevel& level, const char* name) {
  const bool row = level.tree == layout::ReduceTree::row;
  AddressSpec spec{
      name, domain, {{0, kept}, {kept, domain.rank() - kept}}, row || !takes_scalars(level) ? 4 : 1, row ? 1 : 0};
  spec.masked = row;
  return spec;
}

Window elements_of(const ReduceLevel& level, const Window& blocks) {
  const int64_t block = level.block(), first = blocks.first * block;
  return {first, std::min(level.length, first + blocks.count * block) - first};
}

}  // namespace

bool loads_apart(const ReduceLevel& level, ReducePattern pattern) {
  constexpr int64_t longest_run = 64;
  const Expr& x = level.prologue;
  const codegen::AxisSpan row{level.kept_rank, x.domain.rank() - level.kept_rank};
  const int64_t run = x.domain[x.domain.rank() - 1];
  if (pattern != ReducePattern::row_subgroup || level.length > layout::row_block || level.indices ||
      is_arg(level.reduction) || x.dtype() != DType::f32 || run % vector_width == 0 || run > longest_run)
    return false;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) {
    return std::abs(operand.layout.strides.back()) == 1 &&
           codegen::access_pattern_of(operand.layout, row) == codegen::AccessPattern::coordinates;
  });
}

codegen::LoadStage load_stage(const ReduceLevel& level, codegen::Vectors reads, ReducePattern pattern) {
  const Shape& domain = level.prologue.domain;
  if (loads_apart(level, pattern)) {
    AddressSpec spec = read_spec(domain, level.kept_rank, level, "eg_load");
    spec.width = 1;
    spec.masked = false;
    return {spec, level.prologue, reads};
  }
  if (in_order_of_memory(pattern))
    return {AddressSpec{"eg_load", domain, {{0, domain.rank()}}, 4}, level.prologue, reads};
  const int kept = level.kept_rank - level.together;
  const auto spec_of = [&](const Expr& expr) { return read_spec(expr.domain, kept, level, "eg_load"); };
  if (level.together == 0 && pattern != ReducePattern::row_each) {
    AddressSpec spec = spec_of(level.prologue);
    spec.of_memory = takes_subgroups(pattern) && may_read_vectors_of_memory(level);
    return {spec, level.prologue, reads};
  }
  const ResultsTogether results = results_together(level.prologue, kept, level.kept_rank);
  AddressSpec spec = spec_of(results.prologue);
  spec.keeps = by_each_row(pattern);
  return {spec, results.prologue, reads, {}, results.results};
}

codegen::LoadStage index_stage(const ReduceLevel& level, codegen::Vectors reads) {
  return {read_spec(level.prologue.domain, level.kept_rank, level, "eg_load_index"), *level.indices, reads};
}

AddressSpec write_spec(const ReduceLevel& level, ReducePattern pattern, const char* name) {
  const Shape& domain = level.epilogue.domain;
  const bool of_a_row = level.tree == layout::ReduceTree::row && pattern != ReducePattern::row_fours;
  const bool singly = of_a_row || takes_scalars(level);
  return {name, domain, {{0, domain.rank()}}, singly ? 1 : 4, 0};
}

std::vector<Window> read_windows(const ReduceLevel& level, const ReduceWindow& window, ReducePattern pattern) {
  const Window &kept = window.kept, elements = elements_of(level, window.blocks);
  if (in_order_of_memory(pattern)) return {{kept.first * level.length, kept.count * level.length}};
  const int64_t at_once = level.at_once();
  return {{kept.first / at_once, kept.count / at_once}, elements};
}

int64_t partial_index(const ReduceLevel& level, int64_t kept, int64_t block) {
  block += level.first_block;
  return level.tree == layout::ReduceTree::row ? kept * level.blocks + block : block * level.kept + kept;
}

layout::Reach partial_words(const ReduceLevel& level, const ReduceWindow& window) {
  const auto& [kept, blocks] = window;
  const int64_t words = is_arg(level.reduction) ? 2 : 1, first = partial_index(level, kept.first, blocks.first),
                last = partial_index(level, kept.first + kept.count - 1, blocks.first + blocks.count - 1);
  return {first * words, last * words + words - 1};
}

}  // namespace eglantine::lower
