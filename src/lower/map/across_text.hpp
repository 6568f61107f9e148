#pragma once

#include <string>
#include <vector>

#include "codegen/addresses.hpp"
#include "codegen/bindings.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// Operands that lie across a map's output, by tiles in shared memory: the hole eg_fetch of map_across.comp, and the
/// arrays `eg_tile<operand>` from which a LoadStage takes what it is told is held.
class AcrossText {
 public:
  /// `operands` are numbers of expr's, whose stride along axis `lines` is 1 or -1.
  AcrossText(const Expr& expr, std::vector<int> operands, int lines, bool vectors);

  const std::vector<int>& operands() const { return numbers_; }
  void bind(Bindings& bindings);
  /// After every bind() of the program.
  void place(const Bindings& bindings, Uniforms& uniforms);
  /// slots: of four elements, in a tile. pitch: slots of a line.
  std::string text(const Bindings& bindings, int64_t slots, int64_t pitch) const;

 private:
  struct Held {
    Strided operand;
    bool vectors;  ///< four lines are read at once
    int binding = -1, line_slot = -1, column_slot = -1;
  };
  int64_t elements() const;
  std::string column(const Bindings& bindings, size_t i, int j) const;

  std::vector<int> numbers_;
  std::vector<Held> held_;
  int lines_, columns_;
  Addresses addresses_;
};

}  // namespace eglantine::codegen
