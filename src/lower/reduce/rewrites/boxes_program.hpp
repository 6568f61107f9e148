#pragma once

#include "codegen/stage/stage.hpp"
#include "lower/map/transpose/permute_text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// A reduction by boxes of several axes in shared memory (glsl/reduce/reduce_boxes.comp), with its bindings and
/// uniforms. `values`: the map of what is combined, without a buffer of results.
class BoxesProgram : public BoundProgram {
 public:
  BoxesProgram(const Target& target, const MapKernel& values, const JointTile& tile, Reduction reduction);

  int64_t groups() const { return groups_; }
  Dispatch dispatch_to(const Strided& partials);  ///< one for each group; once

 private:
  std::string slots() const;

  Reduction reduction_;
  int64_t group_size_, groups_;
  PermuteText boxes_;
  codegen::LoadStage load_;
  DType staged_;  ///< in the first tile
};

}  // namespace eglantine::lower
