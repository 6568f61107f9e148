#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/row/schedule.hpp"

namespace eglantine::gl {

/// The program of a row kernel (or of a box of one that holds whole rows) in the form that a plan says.
class RowProgram {
 public:
  RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, bool vectors);

  bool fits() const { return bindings_.fits(); }
  int bindings() const { return bindings_.size(); }
  /// The program becomes part of the dispatch.
  static Dispatch dispatch(const std::shared_ptr<const RowProgram>& program, const Target& target);

 private:
  void plan_grid(const Target& target);
  void place();
  std::string key() const;
  std::string defines() const;
  std::string holes() const;
  std::string source(const Target& target) const;

  RowOp op_;
  RowPlan plan_;
  std::vector<codegen::Numbers> numbers_, row_numbers_;
  codegen::Loader load_, consume_;
  codegen::Sink store_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  Grid grid_;
};

}  // namespace eglantine::gl
