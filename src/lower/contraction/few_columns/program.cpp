#include "lower/contraction/few_columns/program.hpp"

#include <algorithm>
#include <utility>

#include "codegen/addresses/runs.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// Words of `eg_u` that change between the dispatches of a window.
enum FewColumnsUniform { u_first_chunk = 6, u_first_row, u_first_of_batches, u_end_batch };

/// Without vectors there are no runs of them.
FewColumnsPlan served(FewColumnsPlan plan, bool vectors) {
  if (!vectors) plan.run = 1;
  return plan;
}

AddressSpec runs_spec(const FewColumnsProduct& product, const FewColumnsPlan& plan) {
  AddressSpec spec = matrix_spec(product);
  spec.run = plan.run;
  spec.in_loop = true;
  if (plan.apart) spec.width = 1;
  return spec;
}

/// Elements, of which one serves a run.
AddressSpec factor_spec(const FewColumnsProduct& product) {
  AddressSpec spec = matrix_spec(product);
  spec.name = "eg_factor";
  spec.width = 1;
  return spec;
}

std::optional<FactoredMatrix> factored_by(const FewColumnsPlan& plan, const FewColumnsProduct& product) {
  // More columns share a product of weight and factor.
  if (product.sizes.columns > 1) return std::nullopt;
  return factored(product.matrix, plan.run);
}

bool are_one_row(const Strided& columns) {
  return columns.layout.strides == layout::contiguous(columns.layout.shape).strides;
}

/// Its last span has the vectors: k, or the columns of one step, or of all where those follow each other.
AddressSpec column_spec(const FewColumnsProduct& product, const Strided& columns, bool vectors) {
  const Shape& domain = columns.layout.shape;
  const int last = domain.rank() - 1;
  AddressSpec spec{"eg_column", domain, {{0, last}, {last, 1}}, 4, 1};
  if (product.across && are_one_row(columns)) {
    spec.spans = {{0, last + 1}};
    spec.vector_span = 0;
  }
  spec.whole = product.across || product.sizes.length % vector_width == 0;
  spec.in_loop = true;
  if (!vectors || !product.across) return spec;
  const int64_t run = codegen::run_length(spec, load_of(columns));
  if (domain[last] % (vector_width * run) == 0) spec.run = run;
  return spec;
}

/// The columns in the order in which they are read.
Strided columns_as_read(const FewColumnsProduct& product) {
  Strided columns = product.vectors;
  if (!product.across) return columns;
  std::reverse(columns.layout.shape.begin(), columns.layout.shape.end());
  std::reverse(columns.layout.strides.begin(), columns.layout.strides.end());
  return columns;
}

std::vector<Window> columns_read(const FewColumnsProduct& product, const FewColumnsWindow& window,
                                 const Window& steps) {
  const int64_t columns = product.across ? product.vectors.layout.shape[0] : product.sizes.columns;
  if (product.across && are_one_row(columns_as_read(product))) return {{steps.first * columns, steps.count * columns}};
  if (product.across) return {steps, {0, columns}};
  return {{window.batches.first * product.sizes.columns, window.batches.count * product.sizes.columns}, steps};
}

AddressSpec result_spec(const Target& target, const char* name, const FewColumnsResults& results) {
  const Shape& domain = results.epilogue.domain;
  AddressSpec spec{name, domain, {{0, domain.rank()}}, results.vectors ? 4 : 1, 0};
  spec.whole = counts_on_whole_vectors(target, domain.elements());
  return spec;
}

/// k from the window's first chunk to the end of its last.
Window steps_of(const FewColumnsProduct& product, const FewColumnsPlan& plan, const Window& chunks) {
  const int64_t chunk = plan.chunk_quads * vector_width, first = chunks.first * chunk;
  return {first, std::min(product.sizes.length, first + chunks.count * chunk) - first};
}

Window rows_of(const FewColumnsProduct& product, const FewColumnsWindow& window) {
  return {window.batches.first * product.sizes.rows + window.rows.first,
          (window.batches.count - 1) * product.sizes.rows + window.rows.count};
}

/// From the first to the last result of a window.
Window results_of(const FewColumnsProduct& product, const FewColumnsWindow& window, const FewColumnsResults& results) {
  const Window rows = rows_of(product, window);
  int64_t first = rows.first * product.sizes.columns, count = rows.count * product.sizes.columns;
  if (results.columns_first) {
    first = window.batches.first * product.sizes.columns * product.sizes.rows + window.rows.first;
    count = (window.batches.count * product.sizes.columns - 1) * product.sizes.rows + window.rows.count;
  }
  return {first + window.chunks.first * results.pitch, count + (window.chunks.count - 1) * results.pitch};
}

}  // namespace

FewColumnsProgram::FewColumnsProgram(const Target& target, const FewColumnsProduct& product, const FewColumnsPlan& plan,
                                     const FewColumnsWindow& window, const FewColumnsResults& results, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      factored_(factored_by(served(plan, vectors), product)),
      shader_{served(plan, vectors),
              product.dtype(),
              product.sizes.columns,
              results.columns_first,
              product.across ? column_spec(product, columns_as_read(product), vectors).run : 0,
              product.across && are_one_row(columns_as_read(product)),
              factored_.has_value(),
              product.sizes.length % vector_width != 0,
              results.vectors,
              !target.gles,
              target.software && window.rows.count % plan.block_rows() == 0},
      window_(window),
      read_{rows_of(product, window), steps_of(product, plan, window.chunks)},
      columns_read_(columns_read(product, window, read_[1])),
      written_{results_of(product, window, results)},
      pitch_(results.pitch),
      matrix_(runs_spec(product, shader_.plan), factored_ ? factored_->weights : product.matrix, reads_),
      columns_(column_spec(product, columns_as_read(product), vectors), load_of(columns_as_read(product)), reads_),
      epilogue_(result_spec(target, "eg_epilogue", results), results.epilogue, reads_),
      store_(result_spec(target, "eg_store", results), results.out, vectors) {
  if (factored_) factor_.emplace(factor_spec(product), factored_->factor, reads_);
  matrix_.bind(bindings_, read_);
  if (factor_) factor_->bind(bindings_, read_);
  columns_.bind(bindings_, columns_read_);
  epilogue_.bind(bindings_, written_);
  store_.bind(bindings_, written_);
  shader_.addresses = matrix_.state();
  if (factor_)
    for (std::string& name : factor_->state()) shader_.addresses.push_back(std::move(name));
  add_uniforms(product);
}

void FewColumnsProgram::add_uniforms(const FewColumnsProduct& product) {
  const FewColumnsPlan& plan = shader_.plan;
  for (int64_t word :
       {product.sizes.rows, window_.rows.first + window_.rows.count, product.sizes.length / vector_width / plan.run,
        product.sizes.length % vector_width, plan.chunk_quads / plan.run, pitch_, window_.chunks.first,
        window_.rows.first, window_.batches.first, window_.batches.first + window_.batches.count})
    uniforms_.add(word);
  matrix_.add_uniforms(bindings_, read_, uniforms_);
  if (factor_) factor_->add_uniforms(bindings_, read_, uniforms_);
  columns_.add_uniforms(bindings_, columns_read_, uniforms_);
  epilogue_.add_uniforms(bindings_, written_, uniforms_);
  store_.add_uniforms(bindings_, written_, uniforms_);
}

std::string FewColumnsProgram::holes() const {
  const std::string type(codegen::value_type(shader_.dtype, shader_.vector_results ? 4 : 1));
  const std::string factor = factor_ ? factor_->text(bindings_) : "";
  return matrix_.text(bindings_) + factor + columns_.text(bindings_) + epilogue_.text(bindings_) +
         store_.text(bindings_) + "void eg_result(uint number, " + type +
         " value) { eg_store(number, eg_epilogue(number" + (epilogue_.reads_accumulator() ? ", value" : "") + ")); }\n";
}

void FewColumnsProgram::dispatch_together(Lowering& lowering, Dispatch dispatch) const {
  const int64_t each = shader_.plan.batches, most = lowering.target().max_groups_x;
  const int64_t groups = ceil_divide(window_.batches.count, each);
  for (int64_t first = 0; first < groups; first += most) {
    dispatch.uniforms[u_first_of_batches] = static_cast<uint32_t>(window_.batches.first + first * each);
    dispatch.groups = {static_cast<uint32_t>(std::min(most, groups - first)), 1, 1};
    lowering.dispatch(dispatch);
  }
}

void FewColumnsProgram::dispatch(Lowering& lowering) const {
  const int64_t most = lowering.target().max_groups, block = shader_.plan.block_rows();
  const int64_t blocks = ceil_divide(window_.rows.count, block);
  Dispatch dispatch = dispatch_of("few_columns " + std::string(name_of(shader_.dtype)),
                                  {"few_columns.comp", few_columns_defines(shader_), holes(), shader_.plan.subgroups},
                                  bindings_, uniforms_);
  if (shader_.plan.batches > 0) return dispatch_together(lowering, std::move(dispatch));
  for (int64_t batch = 0; batch < window_.batches.count; batch += most)
    for (int64_t chunk = 0; chunk < window_.chunks.count; chunk += most)
      for (int64_t first = 0; first < blocks; first += most) {
        dispatch.uniforms[u_first_chunk] = static_cast<uint32_t>(window_.chunks.first + chunk);
        dispatch.uniforms[u_first_row] = static_cast<uint32_t>(window_.rows.first + first * block);
        dispatch.uniforms[u_first_of_batches] = static_cast<uint32_t>(window_.batches.first + batch);
        dispatch.groups = {static_cast<uint32_t>(std::min(most, blocks - first)),
                           static_cast<uint32_t>(std::min(most, window_.chunks.count - chunk)),
                           static_cast<uint32_t>(std::min(most, window_.batches.count - batch))};
        lowering.dispatch(dispatch);
      }
}

}  // namespace eglantine::lower
