#pragma once

#include <optional>

#include "lower/contraction/schedule/tile_choice.hpp"
#include "lower/contraction/text/text.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// One product with batches, m, n and k as its domain, so that windows cut operands and results alike.
struct Contraction {
  Shape domain;  ///< batch axes (at most five), m, n, k
  int batch_rank = 0;
  Strided a, b, out;  ///< layouts over the domain: a has stride 0 along n, b along m, out along k
  int64_t end_k = 0;  ///< where the first batch axis is chunks of k: of all together, the last may be shorter; else 0
  bool of_chunks = false;  ///< its first batch axis is chunks of k, which a later dispatch adds up

  int m_axis() const { return batch_rank; }
  int n_axis() const { return batch_rank + 1; }
  int k_axis() const { return batch_rank + 2; }
  int64_t m() const { return domain[m_axis()]; }
  int64_t n() const { return domain[n_axis()]; }
  int64_t k() const { return domain[k_axis()]; }
  int64_t batches() const { return domain.elements() / (m() * n() * k()); }
};

/// The class under which tuning stores a choice; the reads are the shader's.
ProductClass class_of(const Contraction& product, const MatmulShader& shader);

/// The kernel's product, stored to `out` (contiguous), with batch axes merged; several products where more than five
/// remain.
std::vector<Contraction> products_of(const MatmulKernel& kernel, const Strided& out);

/// How both operands are read.
struct MatmulReads {
  MatmulRead a = MatmulRead::single, b = MatmulRead::single;
};

/// The program's structure for a product on this device.
MatmulShader shader_for(const Target& target, const Contraction& product, const MatmulReads& reads);
/// The same of operands in memory. vectors: they may be read by vec4.
MatmulShader shader_for(const Target& target, const Contraction& product, bool vectors);
/// Whether four neighbouring results of a row can be stored at once to the product's own output.
bool output_takes_vectors(const Contraction& product, const MatmulShader& shader);

/// Whether the tile form applies the epilogue to each of an invocation's results, of this dtype, where it is stored:
/// few instructions. Many would be compiled for each result, and want its operands' registers beside all results.
bool unrolls_epilogue(const Target& target, DType dtype, const Expr& epilogue);
/// Whether products are added by fma(): of f32, where the language has it.
inline bool has_fused_steps(const Target& target, DType dtype) { return dtype == DType::f32 && !target.gles; }

/// The number of chunks for split k, which fills the device for few results and a long k; 1: no split.
int64_t splits_of_k(const Target& target, const Contraction& product, const MatmulShader& shader);

/// A product with one row or one column as a sum of products, which the reduce family reads at full bandwidth; nothing
/// for others.
std::optional<ReduceKernel> as_reduction(const MatmulKernel& kernel);

}  // namespace eglantine::lower
