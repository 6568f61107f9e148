#pragma once

#include <string>

#include "codegen/addresses/addresses.hpp"
#include "codegen/bindings.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// Whether each four elements of a line, the last axis, are an aligned vec4.
bool reads_vectors(const Layout& x);

/// An operand of attention in memory, (heads..., lines, elements), as the functions `void eg_<name>_head(uint head)`,
/// `vec4 eg_<name>(uint line, uint element)`, four elements of the selected head, with zeros past a line's last one,
/// and for masks `eg_<name>_at(uint line, uint element)`, one.
class AttentionOperand {
 public:
  /// share: neighbouring heads that have one of its matrices. vectors: vec4s may be read.
  AttentionOperand(const char* name, const Strided& x, int64_t share, bool vectors);

  void bind(codegen::Bindings& bindings, const codegen::Window& heads);
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);  ///< after every bind()

  /// The first two functions. guarded: the first of the four may be past the last as well.
  std::string text(const codegen::Bindings& bindings, bool guarded) const;
  std::string text_of_one(const codegen::Bindings& bindings) const;  ///< the first and the last

 private:
  std::string head_function() const;
  std::string address() const;
  std::string element(const codegen::Bindings& bindings, int j) const;

  std::string name_;
  Strided x_;
  int64_t share_;
  Layout leading_;
  codegen::Addresses addresses_;
  bool vectors_;
  int block_ = -1, share_slot_ = -1, line_slot_ = -1, step_slot_ = -1, length_slot_ = -1;
};

}  // namespace eglantine::lower
