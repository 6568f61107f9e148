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
  MatmulProgram(const Target& target, const Product& product, const codegen::MatmulShader& shader,
                const layout::Box& box, const MatmulKernel* fused);

  /// Whether one range covers what each operand and the output reach, and the device binds as many.
  bool fits(const Target& target) const;
  /// Dispatches the box, its batches in as many dispatches as the group limit asks for.
  void dispatch(Lowering& lowering) const;

 private:
  void place_product(const Product& product, const layout::Box& box);

  codegen::MatmulShader shader_;
  codegen::MatmulStore store_;
  codegen::MatmulBlocks blocks_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t across_, down_, batches_;
};

}  // namespace eglantine::lower
