#pragma once

#include <string>
#include <vector>

#include "codegen/addresses/addresses.hpp"
#include "codegen/bindings.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// Transposed operands of a map, staged in shared memory by tiles: the hole eg_fetch of map_transpose.comp, and the
/// arrays `eg_tile<operand>`, and EG_STAGED, by which a LoadStage reads staged operands from them.
class TransposeText {
 public:
  /// operands: numbers of expr's operands, whose stride along axis `lines` is 1 or -1.
  TransposeText(const Expr& expr, std::vector<int> operands, int lines);

  const std::vector<int>& operands() const { return operands_; }
  int64_t element_bytes() const;  ///< of the widest in the tiles
  void bind(codegen::Bindings& bindings);
  /// After every bind() of the program.
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  /// slots: vec4s of a tile. pitch: slots of a line. across: a vector may lie in two slots, eg_slot from its element
  /// eg_left on and eg_next, and a block has eg_right columns behind its first one.
  std::string text(const codegen::Bindings& bindings, int64_t slots, int64_t pitch, bool across) const;

 private:
  struct StagedOperand {
    Strided operand;
    codegen::VectorAccess access;  ///< of four lines: vec4, anywhere or strided
    int binding = -1, line_slot = -1, column_slot = -1;
  };
  int64_t elements() const;
  std::string column(const codegen::Bindings& bindings, size_t i, int j, bool across) const;

  std::vector<int> operands_;
  std::vector<StagedOperand> staged_;
  int lines_, columns_;
  codegen::Addresses addresses_;
};

}  // namespace eglantine::lower
