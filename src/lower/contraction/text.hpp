#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "codegen/bindings.hpp"
#include "codegen/source.hpp"
#include "codegen/stage.hpp"
#include "eglantine/dtype.hpp"

namespace eglantine::lower {

/// How four neighbouring elements of an operand are read: as one vec4 along k, as one vec4 along its other axis (m of
/// a, n of b), or one by one.
enum class MatmulRead : char { k_major = 'k', mn_major = 'x', single = '1' };

/// Where a work group keeps what it multiplies: in registers alone (software drivers, where a barrier costs more than a
/// load), or tiles of both operands in shared memory (hardware).
enum class MatmulForm : char { registers = 'r', tile = 't' };

/// The structure of a product's program; sizes and strides are uniforms.
struct MatmulShader {
  DType dtype;
  MatmulRead a = MatmulRead::single;
  MatmulRead b = MatmulRead::single;
  bool a_mn_major = false;    ///< a's tile holds vec4s along m, else along k
  bool b_mn_major = true;     ///< b's tile holds vec4s along n, else along k
  bool vector_store = false;  ///< four neighbouring results of a row are written at once
  bool bare_barrier = false;  ///< of a tile: barrier() alone orders shared memory on the device
  bool parked = false;        ///< of a tile: results are parked in the output, and a loop puts them through an epilogue
  bool fused_steps = false;   ///< of registers: products are added by fma()
  bool saves_registers =
      false;  ///< of a tile: what the loop does not need stays in no register (glsl/contraction/matmul_tile.comp)
  bool whole_columns = false;  ///< of such a tile: none has columns past the last
  bool whole_tiles = false;    ///< of registers: no invocation has rows or columns past the last
  bool accumulates = false;    ///< adds to what is there, for the later parts of a cut k
  int batch_rank = 0;
  MatmulForm form = MatmulForm::registers;
  int rows = 4;  ///< of the result, an invocation; a multiple of 4
  int columns = 4;
  int local_x = 8;  ///< invocations that share the columns of a group's tile
  int local_y = 8;  ///< and its rows
  int slices = 1;   ///< parts of each k-step of a tile, each with invocations of its own; 1, 2 or 4
  int depth = 8;    ///< k of a shared tile: 8, 16, or one_step

  /// A tile of this depth takes all of its k at once: no second pair of tiles, and a short program.
  static constexpr int one_step = 64;
  bool in_one_step() const { return depth == one_step; }

  /// Both operands are read by vec4s, and lie as matrices mostly do.
  bool in_row_major() const { return a == MatmulRead::k_major && b == MatmulRead::mn_major; }
  /// Four columns of a vec4 of b's tile are not neighbours (matmul_tile.cpp says why).
  bool b_spread() const { return form == MatmulForm::tile && b_mn_major && b == MatmulRead::single; }
  int tile_rows() const { return rows * local_y; }
  int tile_columns() const { return columns * local_x; }
  int group_size() const { return local_x * local_y * slices; }
  /// vec4s that both tiles take, twice where one pair is filled while the other is multiplied.
  int tile_slots() const { return (in_one_step() ? 1 : 2) * (tile_rows() + tile_columns()) * depth / 4; }
  /// vec4s of shared memory: the tiles, and in the end what the slices but one have of a part of the rows.
  int shared_slots() const { return std::max(tile_slots(), (slices - 1) * tile_rows() * tile_columns() / 4 / slices); }
};

/// Words of `eg_u` in order; then, for each batch axis, its length and the strides of a, b and out.
enum MatmulUniform { u_m, u_n, u_k, u_a, u_a_m, u_a_k, u_b, u_b_k, u_b_n, u_out, u_out_m, u_first_batch, u_batch_axes };

/// What becomes of the results: nothing more (both empty), or a fused epilogue and the output it goes to.
struct MatmulStore {
  std::optional<codegen::LoadStage> apply_epilogue;
  std::optional<codegen::StoreStage> store;
  bool fused() const { return apply_epilogue.has_value(); }
};

/// The storage blocks of a program: of a, b and out.
struct MatmulBlocks {
  int a = 0, b = 0, out = 0;
};

/// The program's template, constants and holes.
codegen::SourceParts matmul_source(const MatmulShader& shader, const MatmulStore& store, const MatmulBlocks& blocks,
                                   const codegen::Bindings& bindings);

}  // namespace eglantine::lower
