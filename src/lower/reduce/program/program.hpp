#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/stage/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/reduce/program/program_text.hpp"
#include "lower/reduce/schedule/group_plan.hpp"

namespace eglantine::lower {

/// The program of a level over a window, with its bindings and uniforms.
class ReduceProgram : public BoundProgram {
 public:
  ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors)
      : ReduceProgram(target, level, window, vectors, pattern_of(target, level)) {}

  Dispatch dispatch() const;

 private:
  ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors,
                ReducePattern pattern);

  void bind_inputs(const ReduceLevel& level);
  void bind_shared(const ReduceLevel& level, int64_t words_of_tiles);
  void bind_results(const ReduceLevel& level, const ReduceWindow& window, bool vectors);
  void add_uniforms(const ReduceLevel& level);
  Combined combined() const { return {reduction_, load_.dtype()}; }
  int64_t extent(const ReduceLevel& level) const;
  int64_t row_length() const;
  std::string holes() const;
  std::string finish_holes() const;
  std::string name() const;

  Reduction reduction_;
  ReduceOpPtr custom_;
  std::vector<Window> read_, written_;
  codegen::LoadStage load_;
  std::optional<codegen::LoadStage> indices_;
  std::optional<codegen::LoadStage> epilogue_;
  std::optional<codegen::StoreStage> store_;
  int partials_binding_ = -1;
  int partials_base_slot_ = -1;
  int partials_pitch_slot_ = -1;
  int left_binding_ = -1, counters_binding_ = -1;
  int length_slot_ = -1;  ///< of the rows of a column that one invocation takes
  GroupPlan plan_;
};

}  // namespace eglantine::lower
