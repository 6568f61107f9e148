#pragma once

#include <string>

#include "codegen/bindings.hpp"
#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// eg_checked_index, which Op::checked_index calls in a program, and eg_report, which lowers the flag.
class CheckedIndexText {
 public:
  explicit CheckedIndexText(const Flag& flag) : flag_(flag) {}

  void bind(codegen::Bindings& bindings);
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string text() const;

 private:
  Flag flag_;
  int binding_ = -1, slot_ = -1;
};

/// The same kernel without an Op::checked_index, of what a gather's own kernel reads before it.
RowKernel with_gathered_before(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
