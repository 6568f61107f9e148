#pragma once

#include <optional>

#include "lower/attention/gradient_schedule.hpp"
#include "lower/attention/operand.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// A part of a larger kernel that is one itself: its operands begin at the part's rows and columns, but at the first
/// head of all; its results are those of the part alone.
struct AttentionGradientPart {
  AttentionGradientKernel kernel;
  int64_t first_head = 0;  ///< of q
  int64_t diagonal = 0;    ///< row r sees, under `causal`, columns up to r + diagonal
};

/// The program of a part, with its bindings and uniforms.
class AttentionGradientProgram : public BoundProgram {
 public:
  AttentionGradientProgram(const Target& target, const AttentionGradientPart& part, const AttentionGradientTile& tile,
                           bool vectors);

  Dispatch dispatch() const;

 private:
  /// A result in memory: lines of `width` elements, `pitch` apart, from element `first` on.
  struct Result {
    int64_t width = 0, pitch = 0, first = 0;
    bool vectors = false;
    int block = -1, base = -1, width_slot = -1, pitch_slot = -1;  ///< in the bindings; of the uniforms
  };

  template <class Visit>
  void for_each_operand(Visit visit);
  void bind_results();
  Result bind_result(const Strided& x, const Shape& widths);
  void add_uniforms(Result& result, const Strided& x);
  void add_uniforms();
  int slot(int64_t value) { return uniforms_.add(value); }
  std::string defines() const;
  std::string tile_number() const;
  std::string head_text() const;
  std::string line_value_text() const;
  std::string range_text() const;
  std::string share_text() const;
  std::string result_text(const std::string& function, const Result& result, const std::string& line) const;
  codegen::SourceParts parts() const;

  const AttentionGradientPart& part_;
  const AttentionGradientKernel& kernel_;
  AttentionGradientTile tile_;
  AttentionOperand q_, k_, v_, cotangent_, logsumexp_, delta_;
  std::optional<AttentionOperand> mask_;
  Result out_, second_, others_;  ///< others_: parts of q's gradient beside those of k and v
  struct Slots {
    int rows, columns, features, results, tiles, first_head, together, diagonal, scale, parts, turns;
  } slots_{};
};

}  // namespace eglantine::lower
