#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/row/schedule.hpp"

namespace eglantine::lower {

/// The program of a row kernel, or of a box of one with whole rows, in the form of a plan.
class RowProgram : public BoundProgram {
 public:
  RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, bool vectors);

  Dispatch dispatch() const;

 private:
  void plan_grid(const Target& target);
  void add_uniforms();
  std::string defines() const;
  std::string holes() const;

  RowOp op_;
  uint32_t parameter_;
  int parameter_slot_ = 0;  ///< its uniform, where the op has one
  RowPlan plan_;
  std::vector<Window> windows_, row_windows_;
  codegen::LoadStage load_, epilogue_;
  codegen::StoreStage store_;
  std::optional<codegen::StoreStage> mean_;  ///< of the second output
  Grid grid_;
};

}  // namespace eglantine::lower
