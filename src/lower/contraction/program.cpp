#include "lower/contraction/program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/contraction/schedule/outer.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

namespace {

/// Where four results are stored at once, rows are whole vec4s, or the four lie anywhere in a row. of_rows: the axes of
/// rows, where a result's address is that of its row and what its column adds; else 0.
codegen::AddressSpec spec_of(const char* name, const Shape& domain, bool vectors, int of_rows, bool anywhere) {
  codegen::AddressSpec spec{name, domain, {{0, domain.rank()}}, vectors ? 4 : 1};
  if (of_rows > 0) {
    spec.spans = {{0, of_rows}, {of_rows, domain.rank() - of_rows}};
    spec.vector_span = 1;
  }
  spec.whole = vectors && !anywhere;
  spec.in_rows = anywhere;
  return spec;
}

/// Of results that are stored in their order, whose vectors may lie in two rows.
codegen::AddressSpec spec_in_order(const char* name, const Shape& domain, bool vectors) {
  return {name, domain, {{0, domain.rank()}}, vectors ? 4 : 1};
}

/// Whether four results can be stored at once: rows of the output and of the epilogue's domain are whole vec4s, or a
/// group's results, in their order, are.
bool stores_vectors(const MatmulShader& shader, const Contraction& product) {
  if (shader.results_in_order) return shader.ordered_vectors;
  if (shader.form == MatmulForm::outer || shader.form == MatmulForm::matrices || shader.form == MatmulForm::fitted)
    return shader.vector_store;
  return shader.b_mn_major && !shader.b_spread() && product.n() % 4 == 0 && shader.columns % 4 == 0;
}

/// An operand's layout where the first batch axis is chunks of k: the last chunk may be shorter, and nothing lies
/// behind.
Layout over_all_chunks(Layout x, const Contraction& product) {
  x.shape[product.k_axis()] = product.end_k;
  x.shape.erase(0);
  x.strides.erase(x.strides.begin());
  return x;
}

bool reads_texels(const Target& target, const MatmulShader& shader) {
  return target.texel_reads && shader.form == MatmulForm::registers;
}

/// A program that goes through rows counts a row's share of addresses once; of others 0.
int rows_in_results(const MatmulShader& shader, const Contraction& product, const MatmulKernel* fused) {
  if (fused == nullptr || shader.form != MatmulForm::outer) return 0;
  return axes_of_rows(fused->epilogue.domain, product.batches() * product.m());
}

}  // namespace

int axes_of_rows(const Shape& domain, int64_t rows) {
  int64_t count = 1;
  for (int axis = 0; axis < domain.rank(); ++axis) {
    if (count == rows && axis > 0) return axis;
    count *= domain[axis];
  }
  return 0;
}

MatmulProgram::MatmulProgram(const Target& target, const Contraction& product, const MatmulShader& shader,
                             const layout::Box& box, const MatmulKernel* fused, const JoinedChunks* joined)
    : shader_(shader), bindings_(target.max_block_bytes, target.binding_alignment, reads_texels(target, shader)) {
  shader_.accumulates = box.start[product.k_axis()] > 0;
  shader_.whole_columns = shader_.saves_registers && box.length[product.n_axis()] % shader.tile_columns() == 0;
  shader_.whole_tiles = shader.form == MatmulForm::registers && box.length[product.m_axis()] % shader.rows == 0 &&
                        box.length[product.n_axis()] % shader.columns == 0;
  shader_.splits_k = product.end_k > 0;
  if (shader.form == MatmulForm::outer) shader_.depth = static_cast<int>(box.length[product.k_axis()]);
  const auto reach = [&](const Layout& x) { return layout::reach(layout::restrict_to(x, box)); };
  const auto read = [&](const Strided& x, MatmulRead form) {
    return bindings_.add_read(x.buffer.get(), x.storage,
                              form != MatmulRead::single || shader.form == MatmulForm::matrices,
                              shader_.splits_k ? layout::reach(over_all_chunks(x.layout, product)) : reach(x.layout));
  };
  blocks_.a = read(product.a, shader.a);
  blocks_.b = read(product.b, shader.b);
  const int of_rows = rows_in_results(shader, product, fused);
  shader_.results_in_rows = of_rows > 0;
  std::vector<Window> all{{0, fused != nullptr ? fused->epilogue.domain.elements() : 0}};
  if (of_rows > 0) all = {{0, product.batches() * product.m()}, {0, product.n()}};
  if (fused != nullptr) {
    shader_.rows_anywhere = stores_rows_anywhere(*fused, product, shader);
    shader_.vector_store = shader_.rows_anywhere || stores_vectors(shader, product);
    shader_.parked = shader.form == MatmulForm::tile && !unrolls_epilogue(target, shader.dtype, fused->epilogue);
    // Whoever parked a result reads it back.
    shader_.exchanges = shader.exchanges && !shader_.parked;
    const auto spec = [&](const char* name) {
      const Shape& domain = fused->epilogue.domain;
      if (shader.results_in_order) return spec_in_order(name, domain, shader_.vector_store);
      return spec_of(name, domain, shader_.vector_store, of_rows, shader_.rows_anywhere);
    };
    store_.apply_epilogue.emplace(spec("eg_epilogue"), fused->epilogue,
                                  vectors_read(target, true, reads_texels(target, shader)));
    store_.store.emplace(spec("eg_store"), fused->out, true);
    store_.apply_epilogue->bind(bindings_, all);
    store_.store->bind(bindings_, all);
    blocks_.out = store_.store->binding();
  } else {
    shader_.results_in_order = false;
    blocks_.out = bindings_.add_write(product.out.buffer.get(), product.out.storage, shader.vector_store,
                                      reach(product.out.layout));
  }
  if (joined != nullptr) bind(*joined, shader_, bindings_, blocks_);
  add_product_uniforms(product, box);
  if (store_.fused()) {
    store_.apply_epilogue->add_uniforms(bindings_, all, uniforms_);
    store_.store->add_uniforms(bindings_, all, uniforms_);
  }
  // A row may begin at the last element of a vector.
  const int64_t before = shader_.rows_anywhere ? vector_width - 1 : 0;
  column_groups_ = ceil_divide(box.length[product.n_axis()] + before, shader_.tile_columns());
  row_groups_ = ceil_divide(box.length[product.m_axis()], shader_.tile_rows());
  tiles_ = ceil_divide(box.length[product.n_axis()], shader_.columns) *
           ceil_divide(box.length[product.m_axis()], shader_.rows);
  matrices_ = product.batch_rank > 0 ? box.length[product.batch_rank - 1] : 1;
  batches_ = box.length.elements() /
             (box.length[product.m_axis()] * box.length[product.n_axis()] * box.length[product.k_axis()]);
}

/// In the order of MatmulUniform.
void MatmulProgram::add_product_uniforms(const Contraction& product, const layout::Box& box) {
  const auto base = [&](const Strided& x, int block) {
    return layout::address(x.layout, box.start) - bindings_.first_element(block);
  };
  const Layout &a = product.a.layout, &b = product.b.layout, &out = product.out.layout;
  const int m = product.m_axis(), n = product.n_axis(), k = product.k_axis();
  for (int64_t word : {box.length[m], box.length[n], box.length[k], base(product.a, blocks_.a), stride(a, m),
                       stride(a, k), base(product.b, blocks_.b), stride(b, k), stride(b, n),
                       base(product.out, blocks_.out), stride(out, m), int64_t{0}})
    uniforms_.add(word);
  for (int axis = 0; axis < product.batch_rank; ++axis)
    for (int64_t word : {box.length[axis], stride(a, axis), stride(b, axis), stride(out, axis)}) uniforms_.add(word);
  if (product.end_k > 0) uniforms_.add(product.end_k);
}

bool MatmulProgram::fits(const Target& target) const {
  return bindings_.fits() && bindings_.size() <= target.max_bindings;
}

/// Groups along x, of which each has a number of tiles of any batches.
void MatmulProgram::dispatch_together(Lowering& lowering, Dispatch& dispatch) const {
  const int64_t tiles = tiles_ * batches_, most = lowering.target().max_groups * shader_.group_size();
  for (int64_t first = 0; first < tiles; first += most) {
    dispatch.uniforms[u_first_batch] = static_cast<uint32_t>(first);
    dispatch.groups = {static_cast<uint32_t>(ceil_divide(std::min(most, tiles - first), shader_.group_size())), 1, 1};
    lowering.dispatch(dispatch);
  }
}

/// As many groups as the device's shared memory holds: each goes on to other matrices.
void MatmulProgram::dispatch_resident(Lowering& lowering, Dispatch& dispatch) const {
  const Target& target = lowering.target();
  const int64_t bytes = shader_.shared_elements * bytes_of(StorageType::f32),
                of_invocations = invocations_of_a_multiprocessor / shader_.group_size(),
                each = std::clamp<int64_t>(target.max_shared_bytes / bytes, 1, of_invocations),
                groups = std::min(each * multiprocessors_of(target), target.max_groups);
  dispatch.groups = {static_cast<uint32_t>(std::min(groups, ceil_divide(matrices_, shader_.matrices))), 1, 1};
  lowering.dispatch(dispatch);
}

/// Groups along x, of which each has a number of matrices of the innermost batch axis; along y the other axes, and
/// along z parts of matrices.
void MatmulProgram::dispatch_matrices(Lowering& lowering, Dispatch& dispatch) const {
  if (shader_.loads_ahead) return dispatch_resident(lowering, dispatch);
  const int64_t most = lowering.target().max_groups * shader_.matrices;
  const auto parts = static_cast<uint32_t>(shader_.form == MatmulForm::fitted ? row_groups_ * column_groups_ : 1);
  for (int64_t first = 0; first < matrices_; first += most) {
    dispatch.uniforms[u_first_batch] = static_cast<uint32_t>(first);
    dispatch.groups = {static_cast<uint32_t>(ceil_divide(std::min(most, matrices_ - first), shader_.matrices)),
                       static_cast<uint32_t>(batches_ / matrices_), parts};
    lowering.dispatch(dispatch);
  }
}

void MatmulProgram::dispatch(Lowering& lowering) const {
  const Target& target = lowering.target();
  Dispatch dispatch = dispatch_of("matmul " + std::string(name_of(shader_.dtype)),
                                  matmul_source(shader_, store_, blocks_, bindings_), bindings_, uniforms_);
  if (shader_.form == MatmulForm::matrices || shader_.form == MatmulForm::fitted)
    return dispatch_matrices(lowering, dispatch);
  if (shader_.batches_together) return dispatch_together(lowering, dispatch);
  const int64_t at_once = std::min<int64_t>(65535, target.max_groups);
  for (int64_t first = 0; first < batches_; first += at_once) {
    dispatch.uniforms[u_first_batch] = static_cast<uint32_t>(first);
    dispatch.groups = {static_cast<uint32_t>(column_groups_), static_cast<uint32_t>(row_groups_),
                       static_cast<uint32_t>(std::min(at_once, batches_ - first))};
    lowering.dispatch(dispatch);
  }
}

}  // namespace eglantine::lower
