#include "lower/contraction/groups_program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "graph/contraction.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// A product as the schedule knows it, of operands that lie as the sides mostly do, with chunks as batches.
Contraction stand_in(const ContractionKernel& kernel, const StepChunks& chunks) {
  const auto over = [&](const Expr& side, int kept, bool of_rows) {
    const int64_t lines = of_rows ? kernel.rows : kernel.columns;
    const bool along = lies_along_kept(side, kept);
    const int64_t line = along ? 1 : chunks.depth, k = along ? lines : 1;
    return Strided{nullptr, word_storage(side.dtype()),
                   Layout{{}, {lines * chunks.depth, of_rows ? line : 0, of_rows ? 0 : line, k}, 0}};
  };
  Contraction product;
  product.domain = {kernel.batches * chunks.count(), kernel.rows, kernel.columns, chunks.depth};
  product.batch_rank = 1;
  product.a = over(kernel.left, kernel.left_kept, true);
  product.b = over(kernel.right, kernel.right_kept, false);
  product.out = {nullptr, word_storage(kernel.left.dtype()),
                 Layout{{}, {kernel.rows * kernel.columns, kernel.columns, 1, 0}, 0}};
  for (Strided* x : {&product.a, &product.b, &product.out}) x->layout.shape = product.domain;
  return product;
}

MatmulShader shader_of(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks) {
  MatmulShader shader = shader_for(target, stand_in(kernel, chunks), false);
  shader.a = shader.b = MatmulRead::staged;
  shader.saves_registers = false;
  shader.splits_k = chunks.count() > 1 || chunks.first > 0;
  return shader;
}

/// The longest k of an invocation's loops: four steps a trip, and up to three single steps.
int64_t longest_loop(const Target& target) {
  return target.max_loop_trips > 0 ? (target.max_loop_trips - 64) * 4 : int64_t{1} << 30;
}

AddressSpec side_spec(const char* name, const Expr& side, int kept) {
  return {name, side.domain, {{0, kept}, {kept, side.domain.rank() - kept}}, 1, 1};
}

AddressSpec result_spec(const char* name, const Shape& domain) { return {name, domain, {{0, domain.rank()}}, 1}; }

}  // namespace

int64_t StepChunks::count() const { return ceil_divide(end - first, depth); }

StepChunks chunks_for(const Target& target, const ContractionKernel& kernel) {
  constexpr int64_t multiple = 16;
  const StepChunks whole{0, kernel.length, kernel.length};
  const int64_t splits = splits_of_k(target, stand_in(kernel, whole), shader_of(target, kernel, whole));
  const int64_t depth = std::min(ceil_divide(kernel.length, splits), longest_loop(target));
  return depth == kernel.length ? whole : StepChunks{0, kernel.length, round_up(depth, multiple)};
}

GroupsProgram::GroupsProgram(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks,
                             bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      shader_(shader_of(target, kernel, chunks)),
      rows_(kernel.rows),
      columns_(kernel.columns),
      batches_(kernel.batches * chunks.count()) {
  shader_.whole_tiles =
      shader_.form == MatmulForm::registers && rows_ % shader_.rows == 0 && columns_ % shader_.columns == 0;
  store_.a.emplace(side_spec("eg_a", kernel.left, kernel.left_kept), kernel.left, reads_);
  store_.b.emplace(side_spec("eg_b", kernel.right, kernel.right_kept), kernel.right, reads_);
  const Shape& results = kernel.epilogue.domain;
  store_.apply_epilogue.emplace(result_spec("eg_epilogue", results), kernel.epilogue, reads_);
  store_.store.emplace(result_spec("eg_store", results), kernel.out, vectors);
  const Window steps{chunks.first, chunks.end - chunks.first}, all{0, results.elements()};
  const std::vector<Window> rows{{0, kernel.batches * rows_}, steps}, columns{{0, kernel.batches * columns_}, steps};
  store_.a->bind(bindings_, rows);
  store_.b->bind(bindings_, columns);
  store_.apply_epilogue->bind(bindings_, {all});
  store_.store->bind(bindings_, {all});
  for (int64_t word : {rows_, columns_, chunks.depth, kernel.batches, chunks.first, chunks.end}) uniforms_.add(word);
  for (int slot = u_end_k + 1; slot <= u_first_batch; ++slot) uniforms_.add(0);
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
