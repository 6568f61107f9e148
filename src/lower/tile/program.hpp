#pragma once

#include <memory>

#include "codegen/stage/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/tile/text.hpp"

namespace eglantine::lower {

/// The most vectors of a tile that one group combines: the error of sums and the driver's bound on loops limit its
/// lanes.
int64_t most_tile_vectors(const Target& target);

/// The program of all tiles of a kernel, with its bindings and uniforms.
class TileProgram : public BoundProgram {
 public:
  TileProgram(const Target& target, const TileKernel& kernel, bool vectors);

  Dispatch dispatch() const;

 private:
  void plan_grid(const Target& target);
  int64_t lanes_of(const Target& target) const;
  void add_uniforms();
  codegen::SourceParts parts() const;

  Reduction reduction_;
  ReduceOpPtr custom_;
  Shape tile_, grid_of_tiles_;
  int width_;
  TileText text_;
  codegen::LoadStage load_, epilogue_;
  codegen::StoreStage store_;
  Window elements_, tiles_;
  int64_t group_size_ = 1;
  int64_t lanes_log2_ = 0;
  Grid grid_;
  int unroll_;
};

}  // namespace eglantine::lower
