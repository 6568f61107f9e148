#include "backend/gl/matmul_plan.hpp"

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine::gl {

void choose_tile(const Target& target, int64_t m, int64_t n, codegen::MatmulShader& shader) {
  shader.shared = !target.software;
  if (target.software) {
    // Long runs of multiplications for each load, and no more invocations than fill the vector units.
    shader.rows = m >= 8 ? 8 : 4;
    shader.columns = n >= 8 ? 8 : 4;
    shader.local_x = n >= 64 ? 8 : 1;
    shader.local_y = n >= 64 ? 1 : 8;
    return;
  }
  const bool large = m >= 1024 && n >= 1024 && target.max_invocations >= 256;
  shader.rows = shader.columns = large ? 8 : 4;
  shader.local_x = shader.local_y = target.max_invocations >= 256 ? 16 : 8;
  shader.depth = large ? 8 : 16;
}

std::optional<ReduceKernel> as_reduction(const MatmulKernel& kernel) {
  if (kernel.m != 1 && kernel.n != 1) return std::nullopt;
  const int rank = kernel.batch.rank();
  const bool column = kernel.n == 1;
  Shape domain = kernel.batch;
  domain.push_back(column ? kernel.m : kernel.n);
  domain.push_back(kernel.k);
  // a is (batch, m, k) and b (batch, k, n); over (batch, m or n, k) the vector does not move along the kept axis.
  const auto over = [&](const Strided& x, int kept, int reduced) {
    Layout layout{domain, {x.layout.strides.begin(), x.layout.strides.begin() + rank}, x.layout.offset};
    layout.strides.push_back(kept < 0 ? 0 : x.layout.strides[static_cast<size_t>(kept)]);
    layout.strides.push_back(x.layout.strides[static_cast<size_t>(reduced)]);
    return Strided{x.buffer, x.dtype, layout};
  };
  const Strided a = over(kernel.a, column ? rank : -1, rank + 1), b = over(kernel.b, column ? -1 : rank + 1, rank);
  ExpressionBuilder builder(domain);
  const int left = builder.load(a.buffer, a.dtype, a.layout), right = builder.load(b.buffer, b.dtype, b.layout);
  builder.operation(Op::mul, a.dtype, {left, right, -1});
  const layout::ReduceOrder order = layout::reduce_order(domain, {a.layout, b.layout}, {rank + 1});
  ReduceKernel reduce{builder.take(), rank + 1, Reduction::sum, order.tree, kernel.consumer, kernel.out};
  if (kernel.k == 1) return std::nullopt;  // nothing is reduced
  collapse(reduce);
  return reduce;
}

}  // namespace eglantine::gl
