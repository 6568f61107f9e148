#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/stage/stage.hpp"
#include "lower/map/registers/register_text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The transposed operand of a map, contiguous along one axis with one or two behind it, where its results are
/// contiguous, and one more operand at most lies as they do. Nothing on software devices, on small pages, and where
/// tiles or boxes in shared memory do as well.
std::optional<RegisterTranspose> transposed_in_registers(const Target& target, const MapKernel& kernel);

/// A map by blocks that an invocation transposes in registers (glsl/map/map_transpose_registers.comp), with its
/// bindings and uniforms.
class RegisterTransposeProgram : public BoundProgram {
 public:
  RegisterTransposeProgram(const Target& target, const MapKernel& kernel, const RegisterTranspose& how);

  Dispatch dispatch() const;

 private:
  void add_uniforms(const MapKernel& kernel);

  RegisterTransposeText text_;
  codegen::LoadStage load_;
  codegen::StoreStage store_;
  int64_t blocks_;  ///< side by side along the lines
  int64_t invocations_ = 0, group_size_, max_groups_;
};

}  // namespace eglantine::lower
