#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/stage/stage.hpp"

namespace eglantine::lower {

/// The hole eg_load of a map. By rows, a vector that lies in one row reads by vectors, and what shifted views of one
/// storage have in common once; one that lies across the end of a row gathers its elements from both.
class MapLoad {
 public:
  MapLoad(const codegen::AddressSpec& spec, const Expr& expr, codegen::Vectors vectors, bool by_rows);

  void bind(codegen::Bindings& bindings, const std::vector<codegen::Window>& windows);
  void add_uniforms(const codegen::Bindings& bindings, const std::vector<codegen::Window>& windows,
                    codegen::Uniforms& uniforms);

  DType dtype() const { return load_.dtype(); }
  std::string text(const codegen::Bindings& bindings) const;

 private:
  Shape domain_;
  codegen::LoadStage load_;                   ///< of any vector
  std::optional<codegen::LoadStage> in_row_;  ///< by rows
  int last_slot_ = -1, row_slot_ = -1;
};

/// Whether a map of vectors is faster by rows: where enough of its loads serve several operands, or elements, at a
/// time.
bool reads_by_rows(const Expr& expr);

}  // namespace eglantine::lower
