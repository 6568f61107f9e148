#pragma once

#include <memory>

#include "layout/split.hpp"
#include "lower/contraction/joined_chunks.hpp"
#include "lower/contraction/schedule/schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The axes of the results' domain that number rows of all batches; 0 where an axis has both rows and columns.
int axes_of_rows(const Shape& domain, int64_t rows);

/// The program of a product over one box of its domain, with its bindings and uniforms.
class MatmulProgram {
 public:
  /// fused: the kernel whose epilogue and output take the results of a box that is the whole domain. Null: results are
  /// stored to product.out, or added to it where the box starts past k = 0. joined: where groups join their chunks of
  /// k, the first batch axis; else null.
  MatmulProgram(const Target& target, const Contraction& product, const MatmulShader& shader, const layout::Box& box,
                const MatmulKernel* fused, const JoinedChunks* joined = nullptr);

  /// Whether one range covers each operand and the output, and the device binds as many.
  bool fits(const Target& target) const;
  /// Dispatches the box: several dispatches where its batches exceed the group limit.
  void dispatch(Lowering& lowering) const;

 private:
  void dispatch_together(Lowering& lowering, Dispatch& dispatch) const;
  void dispatch_resident(Lowering& lowering, Dispatch& dispatch) const;
  void dispatch_matrices(Lowering& lowering, Dispatch& dispatch) const;
  void add_product_uniforms(const Contraction& product, const layout::Box& box);

  MatmulShader shader_;
  MatmulStore store_;
  MatmulBlocks blocks_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t column_groups_, row_groups_, batches_;
  int64_t matrices_;  ///< of the innermost batch axis
  int64_t tiles_;     ///< of a batch's results, each of one invocation
};

}  // namespace eglantine::lower
