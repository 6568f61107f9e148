#include "lower/contraction/groups_program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "graph/contraction.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// A product as the schedule knows it, of operands that lie as the sides mostly do.
Contraction stand_in(const ContractionKernel& kernel) {
  const auto over = [&](const Expr& side, int kept, bool of_rows) {
    const int64_t lines = of_rows ? kernel.rows : kernel.columns;
    const bool along = lies_along_kept(side, kept);
    const int64_t line = along ? 1 : kernel.length, k = along ? lines : 1;
    return Strided{nullptr, word_storage(side.dtype()),
                   Layout{{}, {lines * kernel.length, of_rows ? line : 0, of_rows ? 0 : line, k}, 0}};
  };
  Contraction product;
  product.domain = {kernel.batches, kernel.rows, kernel.columns, kernel.length};
  product.batch_rank = 1;
  product.a = over(kernel.left, kernel.left_kept, true);
  product.b = over(kernel.right, kernel.right_kept, false);
  product.out = {nullptr, word_storage(kernel.left.dtype()),
                 Layout{{}, {kernel.rows * kernel.columns, kernel.columns, 1, 0}, 0}};
  for (Strided* x : {&product.a, &product.b, &product.out}) x->layout.shape = product.domain;
  return product;
}

MatmulShader shader_of(const Target& target, const ContractionKernel& kernel) {
  MatmulShader shader = shader_for(target, stand_in(kernel), false);
  shader.a = shader.b = MatmulRead::staged;
  shader.saves_registers = false;
  return shader;
}

AddressSpec side_spec(const char* name, const Expr& side, int kept) {
  return {name, side.domain, {{0, kept}, {kept, side.domain.rank() - kept}}, 1, 1};
}

AddressSpec result_spec(const char* name, const Shape& domain) { return {name, domain, {{0, domain.rank()}}, 1}; }

}  // namespace

GroupsProgram::GroupsProgram(const Target& target, const ContractionKernel& kernel, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      shader_(shader_of(target, kernel)),
      rows_(kernel.rows),
      columns_(kernel.columns),
      batches_(kernel.batches) {
  shader_.whole_tiles =
      shader_.form == MatmulForm::registers && rows_ % shader_.rows == 0 && columns_ % shader_.columns == 0;
  store_.a.emplace(side_spec("eg_a", kernel.left, kernel.left_kept), kernel.left, reads_);
  store_.b.emplace(side_spec("eg_b", kernel.right, kernel.right_kept), kernel.right, reads_);
  const Shape& results = kernel.epilogue.domain;
  store_.apply_epilogue.emplace(result_spec("eg_epilogue", results), kernel.epilogue, reads_);
  store_.store.emplace(result_spec("eg_store", results), kernel.out, vectors);
  const Window steps{0, kernel.length}, all{0, results.elements()};
  const std::vector<Window> rows{{0, batches_ * rows_}, steps}, columns{{0, batches_ * columns_}, steps};
  store_.a->bind(bindings_, rows);
  store_.b->bind(bindings_, columns);
  store_.apply_epilogue->bind(bindings_, {all});
  store_.store->bind(bindings_, {all});
  for (int64_t word : {rows_, columns_, kernel.length}) uniforms_.add(word);
  for (int slot = u_k + 1; slot <= u_first_batch; ++slot) uniforms_.add(0);
  store_.a->add_uniforms(bindings_, rows, uniforms_);
  store_.b->add_uniforms(bindings_, columns, uniforms_);
  store_.apply_epilogue->add_uniforms(bindings_, {all}, uniforms_);
  store_.store->add_uniforms(bindings_, {all}, uniforms_);
}

void GroupsProgram::dispatch(Lowering& lowering) const {
  const int64_t most = std::min<int64_t>(65535, lowering.target().max_groups);
  Dispatch dispatch = dispatch_of("contraction " + std::string(name_of(shader_.dtype)),
                                  matmul_source(shader_, store_, blocks_, bindings_), bindings_, uniforms_);
  for (int64_t first = 0; first < batches_; first += most) {
    dispatch.uniforms[u_first_batch] = static_cast<uint32_t>(first);
    dispatch.groups = {static_cast<uint32_t>(ceil_divide(columns_, shader_.tile_columns())),
                       static_cast<uint32_t>(ceil_divide(rows_, shader_.tile_rows())),
                       static_cast<uint32_t>(std::min(most, batches_ - first))};
    lowering.dispatch(dispatch);
  }
}

bool GroupsProgram::has_groups(const Target& target) const {
  return ceil_divide(columns_, shader_.tile_columns()) <= target.max_groups &&
         ceil_divide(rows_, shader_.tile_rows()) <= target.max_groups;
}

}  // namespace eglantine::lower
