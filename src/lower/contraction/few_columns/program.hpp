#pragma once

#include "codegen/stage/stage.hpp"
#include "lower/contraction/few_columns/factor.hpp"
#include "lower/contraction/few_columns/text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// What one dispatch covers. Rows are those of each of its batches; several batches have all of theirs.
struct FewColumnsWindow {
  Window batches, rows, chunks;
};

/// Where results go: those of chunk i from number i * pitch on.
struct FewColumnsResults {
  Expr epilogue;
  Strided out;
  int64_t pitch = 0;
  bool columns_first = false;  ///< their order: (batch, column, row), else (batch, row, column)
  bool vectors = false;        ///< those of each group are whole vectors of four
};

/// The program of a window of a product, with its bindings and uniforms.
class FewColumnsProgram : public BoundProgram {
 public:
  FewColumnsProgram(const Target& target, const FewColumnsProduct& product, const FewColumnsPlan& plan,
                    const FewColumnsWindow& window, const FewColumnsResults& results, bool vectors);

  /// Dispatches the window: several dispatches where its groups pass the limit.
  void dispatch(Lowering& lowering) const;

 private:
  void dispatch_together(Lowering& lowering, Dispatch dispatch) const;
  void add_uniforms(const FewColumnsProduct& product);
  std::string holes() const;

  std::optional<FactoredMatrix> factored_;
  FewColumnsShader shader_;
  FewColumnsWindow window_;
  std::vector<Window> read_, columns_read_, written_;
  int64_t pitch_;
  codegen::LoadStage matrix_;
  std::optional<codegen::LoadStage> factor_;
  codegen::LoadStage columns_, epilogue_;
  codegen::StoreStage store_;
};

}  // namespace eglantine::lower
