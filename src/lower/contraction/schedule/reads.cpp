#include "lower/contraction/schedule/reads.hpp"

#include <cstdlib>

namespace eglantine::lower {
namespace {

MatmulRead read_of(const Layout& x, int k, int other, bool past_lines) {
  if (vectors_along(x, k)) return MatmulRead::k_major;
  const bool vectors = past_lines ? vectors_begin_along(x, other) : vectors_along(x, other);
  return vectors ? MatmulRead::mn_major : MatmulRead::single;
}

bool lies_along(const Layout& x, int axis) { return std::abs(stride(x, axis)) == 1; }

/// Vec4s of a tile lie along the axis that is contiguous in memory, maybe from its end.
bool is_mn_major(MatmulRead read, const Layout& x, int k, int other) {
  if (!one_by_one(read)) return read == MatmulRead::mn_major;
  return !lies_along(x, k) && lies_along(x, other);
}

}  // namespace

bool vectors_along(const Layout& x, int axis) { return x.shape[axis] % 4 == 0 && vectors_begin_along(x, axis); }

bool vectors_begin_along(const Layout& x, int axis) {
  if (stride(x, axis) != 1 || x.offset % 4 != 0) return false;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (i != axis && x.shape[i] > 1 && stride(x, i) % 4 != 0) return false;
  return true;
}

MatmulReads reads_of(const Contraction& product, bool past_lines) {
  const int m = product.m_axis(), n = product.n_axis(), k = product.k_axis();
  return {read_of(product.a.layout, k, m, past_lines), read_of(product.b.layout, k, n, past_lines)};
}

MatmulReads reads_for(const Target& target, const Contraction& product) {
  // 5001 x 129 x 1001 on an H200: 41 us one by one, 61 by vec4s and exchanged; 3397 x 1024 x 4099: 681 and 657.
  constexpr int64_t short_sum = 256;
  MatmulReads reads = reads_of(product, true);
  const bool odd = product.n() % codegen::vector_width != 0 && product.k() <= short_sum;
  if (!target.software && odd && reads.b == MatmulRead::mn_major) reads.b = MatmulRead::single;
  return reads;
}

bool a_is_mn_major(const Contraction& product, const MatmulShader& shader) {
  return is_mn_major(shader.a, product.a.layout, product.k_axis(), product.m_axis());
}
bool b_is_mn_major(const Contraction& product, const MatmulShader& shader) {
  return is_mn_major(shader.b, product.b.layout, product.k_axis(), product.n_axis());
}

bool a_lies_along_k(const Contraction& product, const MatmulShader& shader) {
  return shader.a == MatmulRead::staged && !a_is_mn_major(product, shader);
}
bool b_lies_along_k(const Contraction& product, const MatmulShader& shader) {
  return shader.b == MatmulRead::staged && !b_is_mn_major(product, shader);
}

}  // namespace eglantine::lower
