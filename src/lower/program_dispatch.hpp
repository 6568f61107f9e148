#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/bindings.hpp"
#include "codegen/source.hpp"
#include "codegen/uniforms.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// A dispatch of the program made of these parts, with the ranges and uniforms of its stages. parts.declarations is
/// filled from bindings and uniforms.
Dispatch dispatch_of(std::string name, codegen::SourceParts parts, const codegen::Bindings& bindings,
                     const codegen::Uniforms& uniforms);

/// What loads read by vectors.
codegen::Vectors vectors_read(const Target& target, bool vectors, bool texels);

/// What the programs of all families have: what they bind, and the uniforms of their stages.
class BoundProgram {
 public:
  /// Whether one range covers each operand and result.
  bool fits() const { return bindings_.fits(); }
  int bindings() const { return bindings_.size(); }

 protected:
  explicit BoundProgram(const Target& target, bool vectors = true, bool texels = false)
      : reads_(vectors_read(target, vectors, texels)),
        bindings_(target.max_block_bytes, target.binding_alignment, texels) {}

  codegen::Vectors reads_;  ///< what loads read by vectors
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
};

/// A program that reads by vec4 where it can, or by element where the target binds too few buffers: one read both ways
/// takes two bindings.
template <class P, class... About>
P program_of(const Target& target, const About&... about) {
  P program(target, about..., true);
  return program.bindings() <= target.max_bindings ? program : P(target, about..., false);
}

/// A one-dimensional grid over items: each group works through a contiguous chunk.
struct Grid {
  int64_t groups = 1;
  int64_t chunk = 1;  ///< items of a group, a multiple of items_at_once
};

/// As many groups as the device holds at a time, more where an invocation would take too many loop trips. A group has
/// at least `items_at_once` items, and on a software device as many as justify waking a thread. trips_an_item: dynamic
/// back-edges of an invocation for each items_at_once items.
Grid resident_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                   int64_t trips_an_item = 1);

/// trips_an_item of a loop around an expression: custom operations may have loops of their own.
int64_t trips_of(const Expr& expr);

/// The grid of a kernel that streams through large operands: resident_grid, or in large pages a round a group, which is
/// then faster than long chunks.
Grid streaming_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                    int64_t trips_an_item = 1);

/// Of groups of a subgroup, which would begin nearly as fast as the device can begin groups if each had one round:
/// fewer that take several. Some times as many as it holds stay, so that all multiprocessors end together.
Grid grid_of_small_groups(const Target& target, int64_t items, int64_t items_at_once);

inline constexpr int64_t invocations_of_a_multiprocessor = 2048;
int64_t multiprocessors_of(const Target& target);

/// Groups along x and, beyond a dimension's limit, along y: the last row may have some too many.
std::array<uint32_t, 3> groups_in_rows(int64_t groups, int64_t most);

/// The largest power of two that is at most `wanted` and fits a group.
int64_t group_size_of(const Target& target, int64_t wanted);

/// Whether to use a program for multiples of four elements only (AddressSpec::whole): on software devices, which
/// execute the text for a partial vector even where there is none. Elsewhere it would only be one more program.
bool counts_on_whole_vectors(const Target& target, int64_t elements);

/// EG_UNROLL, and EG_EACH_LOAD(F), which is F(0, eg_x0) F(1, eg_x1) and so on: loads into variables of their own. An
/// array of them, in a loop in another one, NVIDIA's compiler may leave in memory.
std::string loads_at_once(int count);

/// Vectors that an invocation loads before it uses the first: several for short expressions, one where the text would
/// grow too long.
int unroll_of(const Expr& expr);

}  // namespace eglantine::lower
