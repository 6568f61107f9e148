#pragma once

#include <string>

#include "codegen/bindings.hpp"
#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The function that Op::checked_index calls in a program, with the flag that it lowers.
class CheckedIndexText {
 public:
  /// places: elements of the index tensor. Rows behind the last one, which a vector of rows may have, report nothing.
  CheckedIndexText(const Flag& flag, int64_t places) : flag_(flag), places_(places) {}

  void bind(codegen::Bindings& bindings);
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string text() const;

 private:
  Flag flag_;
  int64_t places_;
  int binding_ = -1, slot_ = -1;
};

/// The same kernel without an Op::checked_index, of what a gather's own kernel reads before it.
RowKernel with_gathered_before(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
