#pragma once

#include "lower/contraction/joined_chunks.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// Chunks of all of a contraction's k: several where it has too few results to fill the device, or a k longer than an
/// invocation's loops may be.
StepChunks chunks_for(const Target& target, const ContractionKernel& kernel);

/// Whether the program applies the kernel's epilogue where it stores the sums. The hardware form has it, if any, in a
/// pass of its own: beside a tile's results and the addresses of its operands it takes too many registers (ResNet-50 of
/// 32 pictures on an H100: 9.24 ms in the store, 9.01 so). Not where results lie apart: a part of each sector would be
/// written by that pass instead, which has them to read as well. Nor a short one of few rows, whose kernel's time is
/// that of memory.
bool applies_epilogue(const Target& target, const ContractionKernel& kernel);

/// Where groups of a dispatch of those chunks join them; nothing where they may not.
std::optional<JoinedChunks> joined_chunks(Lowering& lowering, const ContractionKernel& kernel,
                                          const StepChunks& chunks);

/// The program of a contraction whose operands are read through expressions, with its bindings and uniforms. Of several
/// chunks the results of each lie one after the other over the epilogue's domain, or they are joined (else null).
class GroupsProgram : public BoundProgram {
 public:
  GroupsProgram(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks,
                const JoinedChunks* joined, bool vectors);

  bool has_groups(const Target& target) const;  ///< one dispatch has groups for all rows and columns
  /// Dispatches all batches: several dispatches where they exceed the group limit.
  void dispatch(Lowering& lowering) const;

 private:
  int bind_side(const Expr& side, std::optional<codegen::LoadStage>& stage, MatmulRead read, int kept,
                const std::vector<codegen::Window>& windows);
  int64_t base_of(const Expr& side, const std::optional<codegen::LoadStage>& stage, int block) const;

  MatmulShader shader_;
  MatmulStore store_;
  MatmulBlocks blocks_;
  int64_t rows_, columns_, batches_;
};

}  // namespace eglantine::lower
