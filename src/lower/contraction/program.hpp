#pragma once

#include <memory>

#include "layout/split.hpp"
#include "lower/contraction/schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The program of a product over one box of its domain, and the numbers its dispatches give it.
class MatmulProgram {
 public:
  /// fused: the kernel whose epilogue and output take the results, for a box that is the whole domain; else null, and
  /// results go (with a box that starts past k = 0, are added) to product.out.
  MatmulProgram(const Target& target, const Contraction& product, const MatmulShader& shader, const layout::Box& box,
                const MatmulKernel* fused);

  /// Whether one range covers what each operand and the output reach, and the device binds as many.
  bool fits(const Target& target) const;
  /// Dispatches the box, its batches in as many dispatches as the group limit asks for.
  void dispatch(Lowering& lowering) const;

 private:
  void add_product_uniforms(const Contraction& product, const layout::Box& box);

  MatmulShader shader_;
  MatmulStore store_;
  MatmulBlocks blocks_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t column_groups_, row_groups_, batches_;
};

}  // namespace eglantine::lower
