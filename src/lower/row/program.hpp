#pragma once

#include <optional>
#include <vector>

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
  /// A step's functions: its expression, and where it is stored.
  struct Stages {
    bool of_row;
    codegen::LoadStage load;
    std::optional<codegen::StoreStage> store;
  };
  const std::vector<Window>& windows_of(const Stages& stages) const { return stages.of_row ? row_windows_ : windows_; }
  codegen::AddressSpec spec_of(const Shape& domain, bool of_row, const std::string& name) const;
  void add_stages(size_t number, bool vectors);
  void plan_grid(const Target& target, int64_t trips_of_an_element);
  void add_uniforms();
  std::string defines() const;
  std::string holes() const;

  RowPlan plan_;
  int kept_rank_;
  RowChain chain_;
  std::vector<Window> windows_, row_windows_;
  std::vector<Stages> stages_;
  Grid grid_;
};

}  // namespace eglantine::lower
