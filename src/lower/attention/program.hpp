#pragma once

#include <optional>

#include "codegen/stage/stage.hpp"
#include "layout/divide.hpp"
#include "lower/attention/operand.hpp"
#include "lower/attention/schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// A part of a larger kernel that is one itself: its operands begin at the part's rows and columns, but at the first
/// head of all; its results are those of the part alone.
struct AttentionPart {
  AttentionKernel kernel;
  int64_t first_head = 0;
  int64_t diagonal = 0;  ///< row r sees, under `causal`, columns up to r + diagonal
  /// Of some of the columns: results are sums, not divided by their rows' sums of shares, and `second` has of each row
  /// its largest score and that sum, side by side.
  bool partial = false;
  int64_t split = 0;  ///< columns of a split, partial, whose results lie behind those of the split before; 0: of all

  int64_t splits() const { return split == 0 ? 1 : ceil_divide(kernel.columns, split); }
};

/// The program of a part, with its bindings and uniforms.
class AttentionProgram : public BoundProgram {
 public:
  AttentionProgram(const Target& target, const AttentionPart& part, const AttentionTile& tile, bool vectors);

  Dispatch dispatch() const;

 private:
  void bind();
  void add_uniforms();
  int slot(int64_t value) { return uniforms_.add(value); }
  codegen::SourceParts parts() const;
  std::string scale_text() const;
  std::string score_text() const;
  std::string result_text() const;
  std::string logsumexp_text() const;

  const AttentionPart& part_;
  const AttentionKernel& kernel_;
  AttentionTile tile_;
  bool vector_results_;
  AttentionOperand q_, k_, v_;
  std::optional<AttentionOperand> mask_;
  codegen::LoadStage epilogue_;
  codegen::StoreStage store_;
  std::vector<Window> results_;
  int logsumexp_ = -1;  ///< its block
  struct Slots {
    int rows, columns, features, results, tiles, first_head, diagonal, scale, heads, logsumexp, split;
  } slots_{};
};

}  // namespace eglantine::lower
