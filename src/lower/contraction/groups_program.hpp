#pragma once

#include "lower/contraction/schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The program of a contraction whose operands are read through expressions, with its bindings and uniforms.
class GroupsProgram : public BoundProgram {
 public:
  GroupsProgram(const Target& target, const ContractionKernel& kernel, bool vectors);

  bool has_groups(const Target& target) const;  ///< one dispatch has groups for all rows and columns
  /// Dispatches all batches: several dispatches where they exceed the group limit.
  void dispatch(Lowering& lowering) const;

 private:
  MatmulShader shader_;
  MatmulStore store_;
  MatmulBlocks blocks_;
  int64_t rows_, columns_, batches_;
};

}  // namespace eglantine::lower
