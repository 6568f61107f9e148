#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "codegen/bindings.hpp"
#include "codegen/source.hpp"
#include "codegen/stage/stage.hpp"
#include "eglantine/dtype.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {

/// How four neighbouring elements of an operand are read: as a vec4 along k (k-major), as a vec4 along the other axis
/// (m of a, n of b), one by one, or one by one through an expression over groups of axes.
enum class MatmulRead : char { k_major = 'k', mn_major = 'x', single = '1', staged = 's' };

inline bool one_by_one(MatmulRead read) { return read == MatmulRead::single || read == MatmulRead::staged; }

/// Where a work group has its operands: in registers alone (software drivers, where a barrier costs more than a load),
/// in tiles in shared memory (hardware), in tiles of as many rows and columns as the matrices have, several whole
/// matrices there, of a short k b alone in registers, or, of few rows, a alone in shared memory.
enum class MatmulForm : char { registers = 'r', tile = 't', fitted = 'f', matrices = 'm', outer = 'o', columns = 'c' };

/// The structure of a product's program; sizes and strides are uniforms.
struct MatmulShader {
  DType dtype;
  MatmulRead a = MatmulRead::single;
  MatmulRead b = MatmulRead::single;
  bool a_mn_major = false;     ///< a's tile holds vec4s along m, else along k
  bool b_mn_major = true;      ///< b's tile holds vec4s along n, else along k
  bool a_turned = false;       ///< tile form of one buffer: a's elements are fetched along k
  bool b_turned = false;       ///< the same of b
  bool a_along_k = false;      ///< tile form: a is staged and lies along k, though its tile holds vec4s along m
  bool b_along_k = false;      ///< the same of b
  bool vector_store = false;   ///< four neighbouring results of a row are stored at once
  bool rows_anywhere = false;  ///< such a store of narrow results, whose rows begin between vectors of memory
  bool exchanges = false;      ///< tile form: lanes of a subgroup exchange results, for neighbours to store neighbours
  bool bare_barrier = false;   ///< tile form: barrier() alone orders shared memory on the device
  bool parked = false;         ///< tile form: results wait in the output, from where a loop applies the epilogue
  bool fused_steps = false;    ///< f32: products are added by fma(), whatever precise function reads their sum
  bool saves_registers =
      false;  ///< tile form: loop invariants are spilled to shared memory (glsl/contraction/matmul_tile.comp)
  bool whole_columns = false;     ///< such a tile form: no tile has columns past the last
  bool whole_tiles = false;       ///< register form: no invocation has rows or columns past the last
  int window = 0;                 ///< register form: steps of a window, of b's element that column j has at step k
                                  ///< column j + 1 has at k - 1; 0: windows share nothing that is known
  int window_columns = 0;         ///< the neighbouring columns that do
  bool batches_together = false;  ///< register form: invocations number the tiles of all batches
  int rows_at_once = 1;           ///< outer form: of an invocation, read together; 1 or 2
  bool a_in_shared = false;       ///< outer form: a group has its rows of a in shared memory
  bool four_steps = false;        ///< matrices form: of k, a trip of the loop
  bool loads_ahead = false;       ///< matrices form: a group multiplies while its next matrices are on their way
  int vectors_of_a = 0;           ///< matrices form: of memory, of an invocation
  int vectors_of_b = 0;
  int matrices = 1;         ///< matrices and fitted form: of a group
  int shared_elements = 0;  ///< matrices and fitted form: of shared memory
  bool a_anywhere = false;  ///< fitted form: vectors along rows of a begin between those of memory
  bool b_anywhere = false;
  int a_lines = 0;  ///< fitted form: of a k, with those between, in shared memory
  int b_lines = 0;
  bool columns_together = false;  ///< matrices form: an invocation's four columns are neighbours
  bool results_in_order = false;  ///< matrices form: a fused store takes a group's results in order, from shared memory
  bool over_operands = false;     ///< there they take the operands' place
  bool ordered_vectors = false;   ///< and those of every group are whole vectors
  bool accumulates = false;       ///< adds to the output, for later chunks of a cut k
  bool groups = false;            ///< over groups of axes (GroupsUniform)
  bool splits_k = false;          ///< batches of batches, each with a chunk of k, of which the last may be shorter
  bool joins_chunks = false;      ///< tile form: groups add up the sums of their chunks of k among themselves
  bool results_in_rows = false;   ///< a result's address is that of its row and what its column adds
  int64_t table_bytes = 0;        ///< of groups: of shared memory beside the tiles, for tables of steps
  int batch_rank = 0;
  MatmulForm form = MatmulForm::registers;
  int rows = 4;  ///< results of an invocation; multiples of 4, but for batches together, matrices and columns
  int columns = 4;
  int local_x = 8;  ///< invocations that share the columns of a group's tile
  int local_y = 8;  ///< and those that share its rows
  int slices = 1;   ///< sliced k: parts of each k-step of a tile, with invocations of their own; 1, 2 or 4
  int depth = 8;    ///< k of a shared tile: 8, 16, or one_step; fitted form: a multiple of 4; outer form: all of k;
                    ///< columns form: of k in shared memory at a time
  int buffers = 2;  ///< tile form: pairs of tiles; one is filled between two barriers, without slices

  /// Of k, in a trip of the loop through windows: whole vec4s of a, which lies along k.
  static constexpr int steps_of_windows = 12;
  /// A tile of this depth takes all of its k at once: one pair of tiles, and a short program.
  static constexpr int one_step = 64;
  bool in_one_step() const { return depth == one_step; }

  bool stages() const { return a == MatmulRead::staged || b == MatmulRead::staged; }
  /// Both operands are read by vec4s, in row-major order.
  bool in_row_major() const { return a == MatmulRead::k_major && b == MatmulRead::mn_major; }
  /// Four columns of an invocation are apart, not neighbours: in a tile a quarter of it (tile_operand.hpp says why).
  bool b_spread() const {
    return (form == MatmulForm::matrices && !columns_together) ||
           (form == MatmulForm::tile && b_mn_major && one_by_one(b) && buffers > 1);
  }
  /// Elements of a k that lie behind the lines of a tile of single elements, so that those of eight k, and of lines
  /// side by side, are in different banks.
  static constexpr int padding = 4;
  int tile_rows() const { return rows * local_y; }
  int tile_columns() const { return columns * local_x; }
  int group_size() const {
    constexpr int subgroup = 32;
    return form == MatmulForm::fitted ? static_cast<int>(round_up(int64_t{matrices} * local_x * local_y, subgroup))
                                      : local_x * local_y * slices;
  }
  /// vec4s of both tiles; two pairs where one is filled while the other is multiplied.
  int tile_slots() const {
    const bool one_pair = in_one_step() || buffers == 1;
    const int lines = tile_rows() + tile_columns() + (buffers == 1 ? 2 * padding : 0);
    return (one_pair ? 1 : 2) * lines * depth / 4;
  }
  /// vec4s of shared memory: the tiles, and later the sums of all slices but one for a part of the rows. Of the columns
  /// form, a's.
  int shared_slots() const {
    if (form == MatmulForm::columns) return depth * ((rows + 3) / 4);
    return std::max(tile_slots(), (slices - 1) * tile_rows() * tile_columns() / 4 / slices);
  }
};

/// Words of `eg_u`, followed for each batch axis by its length and the strides of a, b and out; where the first of
/// these axes is chunks of k, by the end of the last one.
enum MatmulUniform { u_m, u_n, u_k, u_a, u_a_m, u_a_k, u_b, u_b_k, u_b_n, u_out, u_out_m, u_first_batch, u_batch_axes };

/// Of groups, in place of batch axes: the batches that share a chunk of k, whose length u_k then is, the first k of the
/// first chunk, the end of the last one, and the strides between batches of a and b that are read in place.
enum GroupsUniform { u_batches = u_batch_axes, u_first_k, u_end_k, u_a_batch, u_b_batch, u_groups_end };

/// Where results go: empty (to the product's output), or a fused epilogue and its output. Of staged operands, where
/// they come from: `eg_a_address(row of all batches)`, then `eg_a(k)`, or in tiles `eg_a_step(k)` and `eg_a()`; and the
/// same of b's columns.
struct MatmulStore {
  std::optional<codegen::LoadStage> a, b;
  std::optional<codegen::LoadStage> apply_epilogue;
  std::optional<codegen::StoreStage> store;
  bool fused() const { return apply_epilogue.has_value(); }
};

/// The storage blocks of a program: of a, b and out, and where groups join their chunks of partial sums and arrivals.
struct MatmulBlocks {
  int a = 0, b = 0, out = 0, partials = 0, arrivals = 0;
};

/// The program's template, constants and holes.
codegen::SourceParts matmul_source(const MatmulShader& shader, const MatmulStore& store, const MatmulBlocks& blocks,
                                   const codegen::Bindings& bindings);

}  // namespace eglantine::lower
