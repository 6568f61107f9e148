#pragma once

#include "codegen/stage/stage.hpp"
#include "lower/map/transpose/permute_text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// Invocations of a group: each reads eight elements of a box, which are in flight together.
int64_t permute_group(const Target& target, const JointTile& tile);
std::vector<int> permute_operands(const JointTile& tile);  ///< those in shared memory
/// Of `eg_load`, by the number of an element.
codegen::AddressSpec permute_addresses(const Shape& domain);

/// A map by tiles of several axes in shared memory (glsl/map/map_permute.comp), with its bindings and uniforms.
class PermuteProgram : public BoundProgram {
 public:
  PermuteProgram(const Target& target, const MapKernel& kernel, const JointTile& tile);

  Dispatch dispatch() const;

 private:
  int64_t group_size_, groups_;
  bool prefetches_;  ///< reads a box while the one before is written
  PermuteText permute_;
  codegen::LoadStage load_;
};

}  // namespace eglantine::lower
