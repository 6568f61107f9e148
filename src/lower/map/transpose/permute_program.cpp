#include "lower/map/transpose/permute_program.hpp"

#include <algorithm>
#include <bit>

#include "layout/divide.hpp"
#include "lower/map/transpose/pair_slots.hpp"
#include "lower/map/transpose/permute_words.hpp"

namespace eglantine::lower {
namespace {

/// Boxes of as many elements, of fewer bytes: too few are in flight while a group waits for one box after another.
bool reads_narrow(const MapKernel& kernel, const JointTile& tile) {
  return std::ranges::any_of(tile.staged, [&](const StagedView& view) {
    return is_narrow(kernel.value.operands[static_cast<size_t>(view.operand)].storage);
  });
}

/// Words are read several at a time, by as many invocations as divide them evenly: of two million 3 x 3 the smaller of
/// two u8 takes an H200 46 us in groups of 512, 54 of 256 and 65 of 128.
int64_t map_group(const Target& target, const MapKernel& kernel, const JointTile& tile) {
  const int64_t in_word = elements_of_words(kernel, tile);
  if (in_word == 1 && !tile.pairs) return permute_group(target, tile);
  constexpr int64_t most = 512, subgroup = 32;
  const int64_t words = tile.pairs ? pairs_read(tile) : tile.elements_read() / in_word,
                rounds = ceil_divide(words, most);
  return std::min(round_up(ceil_divide(words, rounds), subgroup), target.max_invocations);
}

bool reads_next_box(const Target& target, const MapKernel& kernel, const JointTile& tile) {
  return (tile.has_halo() || reads_narrow(kernel, tile)) && !target.software;
}

/// Whether what is not staged is loaded while a box is: of boxes so large that a multiprocessor holds few groups, which
/// would wait for one load after another (a residual of 3 x 923 x 14,100 271 us and 160). Of small ones more groups
/// wait at a time, which have fewer registers then (a gate of 3 x 23,828 x 339 x 7 788 us and 848); of two axes lines
/// are so long that loads follow each other (axes 1 and 2 of that residual 145 and 165).
bool loads_ahead(const Target& target, const MapKernel& kernel, const PermuteText& text) {
  constexpr int64_t large = 12 * 1024;
  constexpr int fewest_axes = 3;
  const JointTile& tile = text.tile();
  if (std::ranges::count_if(tile.sizes, [](int64_t size) { return size > 1; }) < fewest_axes) return false;
  return text.keeps_writes() && !reads_next_box(target, kernel, tile) && 4 * tile.slots * tile.tiles() > large &&
         reads_few_beside(kernel.value, tile.staged.size());
}

codegen::LoadStage load_of(const Target& target, const MapKernel& kernel, const PermuteText& text,
                           codegen::Vectors reads) {
  const std::vector<int> staged = permute_operands(text.tile());
  if (!text.writes_fours()) {
    codegen::AddressSpec spec = permute_addresses(kernel.value.domain);
    spec.ahead = loads_ahead(target, kernel, text);
    return {spec, kernel.value, reads, staged};
  }
  const Expr value = as_one_axis(kernel, text.tile());
  codegen::AddressSpec spec{"eg_load", value.domain, {{0, 1}}, 4, 0, true};
  spec.beside = Layout{value.domain, {1}, kernel.out.layout.offset};
  return {spec, value, reads, staged};
}

}  // namespace

int64_t permute_group(const Target& target, const JointTile& tile) {
  constexpr int64_t each = 8, least = 64, most = 512;
  const auto wanted = static_cast<uint64_t>(ceil_divide(tile.elements_read(), each));
  return group_size_of(target, std::clamp(static_cast<int64_t>(std::bit_ceil(wanted)), least, most));
}

std::vector<int> permute_operands(const JointTile& tile) {
  std::vector<int> operands;
  for (const StagedView& view : tile.staged) operands.push_back(view.operand);
  return operands;
}

codegen::AddressSpec permute_addresses(const Shape& domain) { return {"eg_load", domain, {{0, domain.rank()}}, 1}; }

PermuteProgram::PermuteProgram(const Target& target, const MapKernel& kernel, const JointTile& tile)
    : BoundProgram(target),
      group_size_(map_group(target, kernel, tile)),
      groups_(0),
      prefetches_(reads_next_box(target, kernel, tile)),
      permute_(kernel, tile, group_size_),
      load_(load_of(target, kernel, permute_, reads_)) {
  // Each group finds its places once, for several boxes.
  constexpr int64_t rounds = 2;
  const int64_t resident = ceil_divide(rounds * target.resident_invocations, group_size_);
  groups_ = std::min({permute_.boxes(), std::max<int64_t>(1, resident), target.max_groups});
  const std::vector<Window> all{{0, kernel.value.domain.elements()}};
  permute_.bind(bindings_);
  load_.bind(bindings_, all);
  uniforms_.add(permute_.boxes());
  permute_.add_uniforms(bindings_, uniforms_);
  load_.add_uniforms(bindings_, all, uniforms_);
}

Dispatch PermuteProgram::dispatch() const {
  Dispatch dispatch = dispatch_of(
      "map_permute " + std::string(name_of(load_.dtype())),
      {"map_permute.comp",
       codegen::define("EG_GROUP_SIZE", group_size_) + (prefetches_ ? codegen::define("EG_PREFETCH") : ""),
       permute_.tiles(bindings_) + load_.text(bindings_) + permute_.text(bindings_, load_.loads_ahead() > 0)},
      bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(groups_);
  return dispatch;
}

}  // namespace eglantine::lower
