#pragma once

#include <optional>
#include <vector>

#include "codegen/stage/stage.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/row/checked_index.hpp"
#include "lower/row/schedule/schedule.hpp"

namespace eglantine::lower {

/// The program of a row kernel, or of a box of one with whole rows, in the form of a plan.
class RowProgram : public BoundProgram {
 public:
  /// flag: of a kernel that gathers (RowKernel::gathered).
  RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, const Flag& flag, bool vectors);

  Dispatch dispatch() const;

 private:
  /// What a function's indices count: rows, and elements of a row; fours of rows, and an element of each; rows alone;
  /// all elements in the order of the rows; or rows, and single elements of each.
  enum class Walk : uint8_t { elements, side_by_side, rows, all, words };
  /// A step's functions: its expression, and where it is stored.
  struct Stages {
    Walk walk, stored;
    codegen::LoadStage load;
    std::optional<codegen::StoreStage> store;
  };
  const std::vector<Window>& windows_of(Walk walk) const {
    return walk == Walk::all ? all_windows_ : walk == Walk::rows ? row_windows_ : windows_;
  }
  codegen::AddressSpec spec_of(const Shape& domain, Walk walk, const std::string& name) const;
  void add_stages(size_t number, bool vectors);
  int64_t exchanging(const RowStep& step, Walk stored) const;
  bool exchanges(const Stages& each) const;
  int64_t trips(int64_t of_an_element) const;
  void plan_grid(const Target& target, int64_t trips);
  void add_uniforms();
  std::string defines() const;
  std::string holes() const;

  RowPlan plan_;
  int kept_rank_;
  RowChain chain_;
  std::vector<Window> windows_, row_windows_, all_windows_;
  std::vector<Stages> stages_;
  std::optional<CheckedIndexText> checked_;
  Grid grid_;
};

}  // namespace eglantine::lower
