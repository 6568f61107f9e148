#pragma once

#include <array>
#include <optional>

#include "lower/attention/gradient/schedule.hpp"
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
  /// A result in memory. Variable `at` of the text has where the lines of head `head`, a variable too, begin.
  struct Result {
    const char *at = "", *head = "";
    Layout layout;     ///< (batches, heads, lines, elements)
    int64_t part = 0;  ///< how far its parts are apart
    bool vectors = false;
    int block = -1, base = -1, heads = -1, part_slot = -1;  ///< in the bindings; of the uniforms, as the next
    std::array<int, 3> pitches{-1, -1, -1};
    int width = -1;
  };

  template <class Visit>
  void for_each_operand(Visit visit);
  void bind_results();
  void bind_results_of_all();
  void bind_result(Result& result, const Strided& x, int64_t width);
  void add_uniforms(Result& result);
  void add_uniforms();
  int slot(int64_t value) { return uniforms_.add(value); }
  std::string defines() const;
  std::string tile_number() const;
  std::string head_text() const;
  std::string line_value_text() const;
  std::string range_text() const;
  std::string share_text() const;
  std::string head_of_result(const Result& result) const;
  std::string result_text(const std::string& function, const Result& result) const;
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
