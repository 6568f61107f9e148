#pragma once

#include <string>

#include "codegen/bindings.hpp"
#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// The operand of a map that is transposed in registers, by blocks of four lines and columns.
struct RegisterTranspose {
  int lines;       ///< the axis that it is contiguous along: one or two axes are behind it, at most one before
  size_t operand;  ///< its number
};

/// The holes of map_transpose_registers.comp that read the transposed operand's blocks and transpose them.
class RegisterTransposeText {
 public:
  RegisterTransposeText(const MapKernel& kernel, const RegisterTranspose& how);

  int64_t lines() const { return domain_[how_.lines]; }
  int64_t columns() const { return columns_; }
  int64_t planes() const { return how_.lines > 0 ? domain_[0] : 1; }
  void bind(codegen::Bindings& bindings);
  /// After every bind() of the program.
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string text(const codegen::Bindings& bindings) const;

 private:
  /// Uniforms of the operand.
  struct Slots {
    int base = -1, last = -1, plane = -1;
    int inner = -1, outer = -1;           ///< from a column to the next, along either axis
    int next_outer = -1, next_line = -1;  ///< what is added where such an axis ends
  };
  bool has_outer() const { return inner_ < columns_; }
  int64_t skipped(int64_t line) const;
  int64_t columns_read() const;
  std::string slot_type() const;
  std::string start() const;
  std::string column(int64_t j, bool wraps, const codegen::Bindings& bindings) const;
  std::string next(bool wraps) const;
  std::string fetch(const codegen::Bindings& bindings) const;
  std::string word(int64_t line, int64_t column) const;
  std::string transposed(int64_t line, int64_t column) const;
  std::string vectors() const;
  std::string tile() const { return "eg_tile" + std::to_string(how_.operand); }

  RegisterTranspose how_;
  Shape domain_;
  int64_t columns_ = 1, inner_;  ///< behind the lines in all; along the last axis
  Strided x_;
  bool aligned_;  ///< every column's vectors are memory's
  int binding_ = -1, inner_slot_ = -1, outer_slot_ = -1, columns_slot_ = -1;
  Slots slots_;
};

}  // namespace eglantine::lower
