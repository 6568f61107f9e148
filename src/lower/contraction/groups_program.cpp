#include "lower/contraction/groups_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "codegen/source.hpp"
#include "graph/kernel/contraction.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"
#include "lower/contraction/program.hpp"
#include "lower/contraction/schedule/columns.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// An operand in memory as a matrix of each batch: strides between batches, lines and k.
struct Matrices {
  int64_t batch = 0, line = 0, k = 0;
};

/// A side that is read in place: a bare load at one stride along each group; nothing for others.
std::optional<Matrices> matrices_of(const Expr& side, int kept, int64_t batches, int64_t lines) {
  const int rank = side.domain.rank();
  if (!is_only(side, Op::load) || !side.piecewise.empty() || rank - kept > 1 || kept > 2) return std::nullopt;
  if (is_narrow(side.operands.front().storage) || side.dtype() == DType::boolean) return std::nullopt;
  const std::vector<int64_t>& strides = side.operands.front().layout.strides;
  Matrices found;
  if (rank > kept) found.k = strides.back();
  if (kept == 2) {
    if (side.domain[0] != batches) return std::nullopt;
    found.batch = strides[0], found.line = strides[1];
  } else if (kept == 1) {
    found.line = lines > 1 ? strides[0] : 0;
    found.batch = lines > 1 ? strides[0] * lines : strides[0];
  }
  return found;
}

Strided over_product(const Expr& side, const Matrices& x, bool of_rows, const Shape& domain) {
  const int64_t offset = side.operands.empty() ? 0 : side.operands.front().layout.offset;
  return {nullptr, word_storage(side.dtype()),
          Layout{domain, {x.batch, of_rows ? x.line : 0, of_rows ? 0 : x.line, x.k}, offset}};
}

/// Strides as a side that is staged mostly lies.
Matrices as_it_lies(const Expr& side, int kept, int64_t lines, int64_t length) {
  return lies_along_kept(side, kept) ? Matrices{0, 1, lines} : Matrices{0, length, 1};
}

struct GroupSides {
  std::optional<Matrices> a, b;
};

GroupSides sides_of(const ContractionKernel& kernel) {
  return {matrices_of(kernel.left, kernel.left_kept, kernel.batches, kernel.rows),
          matrices_of(kernel.right, kernel.right_kept, kernel.batches, kernel.columns)};
}

/// A product as the schedule knows it.
Contraction stand_in(const ContractionKernel& kernel) {
  const GroupSides sides = sides_of(kernel);
  const auto over = [&](const Expr& side, int kept, const std::optional<Matrices>& in_place, bool of_rows) {
    const Matrices lies = as_it_lies(side, kept, of_rows ? kernel.rows : kernel.columns, kernel.length);
    return over_product(side, in_place.value_or(lies), of_rows,
                        {kernel.batches, kernel.rows, kernel.columns, kernel.length});
  };
  Contraction product;
  product.domain = {kernel.batches, kernel.rows, kernel.columns, kernel.length};
  product.batch_rank = 1;
  product.a = over(kernel.left, kernel.left_kept, sides.a, true);
  product.b = over(kernel.right, kernel.right_kept, sides.b, false);
  product.out = {nullptr, word_storage(kernel.left.dtype()),
                 Layout{product.domain, {kernel.rows * kernel.columns, kernel.columns, 1, 0}, 0}};
  return product;
}

/// How a side is read. Vectors along k must not reach past its end.
MatmulRead read_of(const std::optional<Matrices>& in_place, MatmulRead vectors, int64_t length) {
  if (!in_place) return MatmulRead::staged;
  return vectors == MatmulRead::k_major && length % 4 != 0 ? MatmulRead::single : vectors;
}

/// Where windows of neighbouring columns overlap, and are read one by one by invocations that go through all of k, in
/// steps that are whole windows: how many neighbours share what they read.
void share_windows(const ContractionKernel& kernel, MatmulShader& shader) {
  const Expr& side = kernel.right;
  const int columns = kernel.right_kept - 1, steps = side.domain.rank() - 1;
  if (shader.form != MatmulForm::registers || shader.batches_together || shader.splits_k ||
      shader.a != MatmulRead::k_major || shader.b != MatmulRead::staged || !is_only(side, Op::load) ||
      !side.piecewise.empty() || columns < 0 || steps == columns)
    return;
  const Layout& x = side.operands.front().layout;
  const int64_t window = x.shape[steps], length = x.shape[columns];
  const bool whole =
      MatmulShader::steps_of_windows % window == 0 && kernel.length % MatmulShader::steps_of_windows == 0;
  // Of batches of one column the axis before the steps is no run of columns.
  if (window == 1 || !whole || kernel.columns % length != 0 || stride(x, steps) != stride(x, columns) ||
      length % 2 != 0)
    return;
  shader.window = static_cast<int>(window);
  shader.window_columns = shader.columns;
  while (length % shader.window_columns != 0) shader.window_columns /= 2;
}

/// How many lines of memory the elements of a subgroup's neighbouring columns, at one step, lie in.
int64_t lines_of_neighbours(const Expr& side, int kept) {
  constexpr int64_t lanes = 32, line = 32;
  std::set<std::pair<size_t, int64_t>> lines;
  for (size_t i = 0; i < side.operands.size(); ++i)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const Layout& x = side.operands[i].layout;
      int64_t rest = lane, address = 0;
      for (int axis = kept - 1; axis >= 0; rest /= x.shape[axis--]) address += rest % x.shape[axis] * stride(x, axis);
      lines.insert({i, address / line});
    }
  return std::max<int64_t>(1, std::ssize(lines));
}

/// The tile is that of the product as a whole, which was chosen with its chunks.
MatmulShader shader_of(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks, bool vectors) {
  const Contraction product = stand_in(kernel);
  const GroupSides sides = sides_of(kernel);
  const MatmulReads in_memory = vectors ? reads_of(product, false) : MatmulReads{};
  MatmulShader shader = shader_for(
      target, product, {read_of(sides.a, in_memory.a, kernel.length), read_of(sides.b, in_memory.b, kernel.length)});
  if (const std::optional<MatmulShader> columns =
          rows_in_columns(target, product, shader, lines_of_neighbours(kernel.right, kernel.right_kept)))
    shader = *columns;
  shader.saves_registers = shader.vector_store = false;
  shader.groups = true;
  shader.table_bytes = target.max_shared_bytes - int64_t{16} * shader.shared_slots();
  shader.splits_k = chunks.count() > 1 || chunks.first > 0;
  share_windows(kernel, shader);
  return shader;
}

/// The longest k of an invocation's loops: four steps a trip, and up to three single steps.
int64_t longest_loop(const Target& target) {
  return target.max_loop_trips > 0 ? (target.max_loop_trips - 64) * 4 : int64_t{1} << 30;
}

AddressSpec side_spec(const MatmulShader& shader, const char* name, const Expr& side, int kept) {
  AddressSpec spec{name, side.domain, {{0, kept}, {kept, side.domain.rank() - kept}}, 1, 1};
  spec.steps = shader.form != MatmulForm::registers;
  return spec;
}

AddressSpec result_spec(const char* name, const Shape& domain, int of_rows) {
  if (of_rows == 0) return {name, domain, {{0, domain.rank()}}, 1};
  return {name, domain, {{0, of_rows}, {of_rows, domain.rank() - of_rows}}, 1, 1};
}

/// Whether no two elements are neighbours in memory.
bool lies_apart(const Layout& x) {
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (x.shape[axis] > 1 && std::abs(x.strides[static_cast<size_t>(axis)]) == 1) return false;
  return true;
}

}  // namespace

StepChunks chunks_for(const Target& target, const ContractionKernel& kernel) {
  constexpr int64_t multiple = 16;
  const StepChunks whole{0, kernel.length, kernel.length};
  const int64_t splits = splits_of_k(target, stand_in(kernel), shader_of(target, kernel, whole, true));
  const int64_t depth = std::min(ceil_divide(kernel.length, splits), longest_loop(target));
  return depth == kernel.length ? whole : StepChunks{0, kernel.length, round_up(depth, multiple)};
}

bool applies_epilogue(const Target& target, const ContractionKernel& kernel) {
  if (target.software || is_only(kernel.epilogue, Op::accumulator) || lies_apart(kernel.out.layout)) return true;
  const MatmulShader shader = shader_of(target, kernel, {0, kernel.length, kernel.length}, true);
  return shader.form == MatmulForm::columns && !is_narrow(kernel.out.storage) &&
         unrolls_epilogue(target, shader.dtype, kernel.epilogue);
}

std::optional<JoinedChunks> joined_chunks(Lowering& lowering, const ContractionKernel& kernel,
                                          const StepChunks& chunks) {
  const Target& target = lowering.target();
  const MatmulShader shader = shader_of(target, kernel, chunks, true);
  const int64_t tiles = tiles_of(stand_in(kernel), MatmulTile::of(shader));
  if (!may_join(MatmulTile::of(shader), tiles, chunks.count()) || kernel.batches * chunks.count() > target.max_groups)
    return std::nullopt;
  return joined_chunks(lowering, shader, tiles, chunks.count());
}

GroupsProgram::GroupsProgram(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks,
                             const JoinedChunks* joined, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      shader_(shader_of(target, kernel, chunks, vectors)),
      rows_(kernel.rows),
      columns_(kernel.columns),
      batches_(kernel.batches * chunks.count()) {
  shader_.whole_tiles =
      shader_.form == MatmulForm::registers && rows_ % shader_.rows == 0 && columns_ % shader_.columns == 0;
  const Shape& results = kernel.epilogue.domain;
  const int of_rows = axes_of_rows(results, kernel.batches * rows_);
  shader_.results_in_rows = of_rows > 0;
  const int span = shader_.results_in_rows ? of_rows : 0;
  const Window steps{chunks.first, chunks.end - chunks.first}, all{0, results.elements()};
  const std::vector<Window> rows{{0, kernel.batches * rows_}, steps}, columns{{0, kernel.batches * columns_}, steps};
  const std::vector<Window> written =
      span > 0 ? std::vector<Window>{{0, kernel.batches * rows_}, {0, columns_}} : std::vector<Window>{all};
  if (shader_.a == MatmulRead::staged)
    store_.a.emplace(side_spec(shader_, "eg_a", kernel.left, kernel.left_kept), kernel.left, reads_);
  if (shader_.b == MatmulRead::staged)
    store_.b.emplace(side_spec(shader_, "eg_b", kernel.right, kernel.right_kept), kernel.right, reads_);
  store_.apply_epilogue.emplace(result_spec("eg_epilogue", results, span), kernel.epilogue, reads_);
  AddressSpec stored = result_spec("eg_store", results, span);
  stored.steps = span > 0 && results.rank() - span > 1;  // which divides a column's number
  store_.store.emplace(stored, kernel.out, vectors);
  blocks_.a = bind_side(kernel.left, store_.a, shader_.a, kernel.left_kept, rows);
  blocks_.b = bind_side(kernel.right, store_.b, shader_.b, kernel.right_kept, columns);
  store_.apply_epilogue->bind(bindings_, written);
  store_.store->bind(bindings_, written);
  if (joined != nullptr) bind(*joined, shader_, bindings_, blocks_);
  const GroupSides sides = sides_of(kernel);
  const Matrices a = sides.a.value_or(Matrices{}), b = sides.b.value_or(Matrices{});
  for (int64_t word : {rows_, columns_, chunks.depth, base_of(kernel.left, store_.a, blocks_.a), a.line, a.k,
                       base_of(kernel.right, store_.b, blocks_.b), b.k, b.line, int64_t{0}, int64_t{0}, int64_t{0},
                       kernel.batches, chunks.first, chunks.end, a.batch, b.batch})
    uniforms_.add(word);
  if (store_.a) store_.a->add_uniforms(bindings_, rows, uniforms_);
  if (store_.b) store_.b->add_uniforms(bindings_, columns, uniforms_);
  store_.apply_epilogue->add_uniforms(bindings_, written, uniforms_);
  store_.store->add_uniforms(bindings_, written, uniforms_);
}

/// Binds a side's stage, or where it is read in place its operand, whose block it returns.
int GroupsProgram::bind_side(const Expr& side, std::optional<codegen::LoadStage>& stage, MatmulRead read, int kept,
                             const std::vector<Window>& windows) {
  if (stage) return stage->bind(bindings_, windows), 0;
  const Strided& x = side.operands.front();
  layout::Box box{x.layout.shape, x.layout.shape};
  for (int64_t& start : box.start) start = 0;
  if (side.domain.rank() > kept) {
    box.start[side.domain.rank() - 1] = windows.back().first;
    box.length[side.domain.rank() - 1] = windows.back().count;
  }
  return bindings_.add_read(x.buffer.get(), x.storage, read != MatmulRead::single,
                            layout::reach(layout::restrict_to(x.layout, box)));
}

/// The address of the first element of a side that is read in place.
int64_t GroupsProgram::base_of(const Expr& side, const std::optional<codegen::LoadStage>& stage, int block) const {
  return stage ? 0 : side.operands.front().layout.offset - bindings_.first_element(block);
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
  return ceil_divide(columns_, shader_.tile_columns()) <= target.max_groups_x &&
         ceil_divide(rows_, shader_.tile_rows()) <= target.max_groups;
}

}  // namespace eglantine::lower
