#include "lower/contraction/text/text.hpp"

#include "lower/contraction/text/parts.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

/// How many batches there are, along the axes from `first` on.
std::string batches(int rank, int first = 0) {
  std::string text = "1u";
  for (int axis = first; axis < rank; ++axis) text += " * " + u(u_batch_axes + 4 * axis);
  return "(" + text + ")";
}

/// number: of the batch, without the chunk where those are joined.
std::string batch_variables(const MatmulShader& shader, const char* bases, const std::string& number) {
  return std::string("uint ") + bases + ", eg_batch_number" + (shader.splits_k ? ", eg_first_k" : "") +
         (shader.joins_chunks ? ", eg_chunk" : "") + ";\nvoid eg_batch(uint batch) {\n  eg_batch_number = " + number +
         ";\n";
}

/// eg_batch: a batch's base addresses, the first k of its chunk, and where chunks are joined, the number of that.
std::string batch_function(const MatmulShader& shader) {
  const std::string number = shader.joins_chunks ? "batch % " + batches(shader.batch_rank, 1) : "batch";
  std::string text = batch_variables(shader, "eg_a_base, eg_b_base, eg_out_base", number) + "  eg_a_base = " + u(u_a) +
                     ";\n  eg_b_base = " + u(u_b) + ";\n  eg_out_base = " + u(u_out) + ";\n";
  for (int axis = shader.batch_rank - 1; axis >= 0; --axis) {
    const int slot = u_batch_axes + 4 * axis;
    text += "  { uint i = batch % " + u(slot) + "; batch /= " + u(slot) + ";\n    eg_a_base += i * " + u(slot + 1) +
            "; eg_b_base += i * " + u(slot + 2) + "; eg_out_base += i * " + u(slot + 3) + ";" +
            (shader.splits_k && axis == 0 ? " eg_first_k = i * " + u(u_k) + ";" : "") +
            (shader.joins_chunks && axis == 0 ? " eg_chunk = i;" : "") + " }\n";
  }
  return text + "}\n";
}

/// eg_batch for groups: the first k of its chunk, and of each operand its address, or where it is staged the number of
/// the batch's first row or column.
std::string groups_batch_function(const MatmulShader& shader) {
  const std::string chunk = "  eg_first_k = " + u(u_first_k) + " + batch / " + u(u_batches) + " * " + u(u_k) + ";\n" +
                            (shader.joins_chunks ? "  eg_chunk = batch / " + u(u_batches) + ";\n" : "") +
                            "  batch %= " + u(u_batches) + ";\n";
  const auto base = [&](const char* name, MatmulRead read, int lines, int address, int step, int k) {
    const std::string assign = std::string("  eg_") + name + "_base = ";
    if (read == MatmulRead::staged) return assign + "batch * " + u(lines) + ";\n";
    return assign + u(address) + " + batch * " + u(step) + (shader.splits_k ? " + eg_first_k * " + u(k) : "") + ";\n";
  };
  const std::string number = shader.joins_chunks ? "batch % " + u(u_batches) : "batch";
  return batch_variables(shader, "eg_a_base, eg_b_base", number) + (shader.splits_k ? chunk : "") +
         base("a", shader.a, u_m, u_a, u_a_batch, u_a_k) + base("b", shader.b, u_n, u_b, u_b_batch, u_b_k) + "}\n";
}

/// eg_put and eg_put4 into `out`. Accumulating is another program: testing a uniform after the loop slowed the loop by
/// 2 % (docs/performance-notes.md).
std::string plain_put(const MatmulShader& shader, int block) {
  const std::string scalar(value_type(shader.dtype, 1)), vector(value_type(shader.dtype, 4));
  const std::string at = "  uint at = eg_out_base + row * " + u(u_out_m) + " + column;\n";
  const auto body = [&](const std::string& place) {
    return at + "  " + place + (shader.accumulates ? " += " : " = ") + "value;\n}\n";
  };
  const std::string out = block_name(block);
  if (shader.vector_store)
    return "void eg_put4(uint row, uint column, " + vector + " value) {\n" + body(out + "[at >> 2]");
  return "void eg_put(uint row, uint column, " + scalar + " value) {\n" + body(out + "[at]");
}

/// eg_put and eg_put4 through the fused epilogue; results have row-major indices over (batch, m, n).
std::string fused_put(const MatmulShader& shader) {
  const std::string type(value_type(shader.dtype, shader.vector_store ? 4 : 1));
  const std::string name = shader.vector_store ? "eg_put4" : "eg_put",
                    shift = shader.vector_store && !shader.rows_anywhere ? " >> 2" : "";
  return "void " + name + "(uint row, uint column, " + type + " value) {\n  uint at = ((eg_batch_number * " + u(u_m) +
         " + row) * " + u(u_n) + " + column)" + shift + ";\n  eg_store(at, eg_epilogue(at, value));\n}\n";
}

/// eg_result: the result, or vector of results, of that number.
std::string put_in_order(const MatmulShader& shader) {
  return "void eg_result(uint number, " + std::string(value_type(shader.dtype, shader.vector_store ? 4 : 1)) +
         " value) { eg_store(number, eg_epilogue(number, value)); }\n";
}

/// eg_row: the row's share of its results' addresses; eg_put and eg_put4 of results in it.
std::string put_in_row(const MatmulShader& shader) {
  const bool four = shader.vector_store;
  const std::string at = four && !shader.rows_anywhere ? "column >> 2" : "column";
  return "void eg_row(uint row) {\n  row += eg_batch_number * " + u(u_m) +
         ";\n  eg_epilogue_address(row);\n  eg_store_address(row);\n}\nvoid eg_put" + (four ? "4" : "") +
         "(uint row, uint column, " + std::string(value_type(shader.dtype, four ? 4 : 1)) + " value) {\n  eg_store(" +
         at + ", eg_epilogue(" + at + ", value));\n}\n";
}

/// eg_park and eg_parked: results wait for the epilogue in the elements that its results will take.
std::string park_functions(const MatmulShader& shader, int block) {
  const std::string type(value_type(shader.dtype, shader.vector_store ? 4 : 1)), four = shader.vector_store ? "4" : "";
  const std::string place = block_name(block) + (shader.vector_store ? "[at >> 2]" : "[at]");
  const std::string at = "  uint at = eg_out_base + row * " + u(u_out_m) + " + column;\n";
  return "void eg_park" + four + "(uint row, uint column, " + type + " value) {\n" + at + "  " + place +
         " = value;\n}\n" + type + " eg_parked" + four + "(uint row, uint column) {\n" + at + "  return " + place +
         ";\n}\n";
}

const char* template_of(MatmulForm form) {
  switch (form) {
    case MatmulForm::tile:
      return "matmul_tile.comp";
    case MatmulForm::registers:
      return "matmul_register.comp";
    case MatmulForm::matrices:
      return "matmul_matrices.comp";
    case MatmulForm::fitted:
      return "matmul_fitted.comp";
    case MatmulForm::outer:
      return "matmul_outer.comp";
    case MatmulForm::columns:
      return "matmul_columns.comp";
  }
  return "";
}

}  // namespace

SourceParts matmul_source(const MatmulShader& shader, const MatmulStore& store, const MatmulBlocks& blocks,
                          const Bindings& bindings) {
  std::string holes = shader.groups ? groups_batch_function(shader) : batch_function(shader);
  for (const auto* side : {&store.a, &store.b})
    if (*side) holes += (*side)->text(bindings);
  const auto put = [&] {
    if (shader.results_in_order) return put_in_order(shader);
    return shader.results_in_rows ? put_in_row(shader) : fused_put(shader);
  };
  holes += store.fused() ? store.apply_epilogue->text(bindings) + store.store->text(bindings) + put() +
                               (shader.parked ? park_functions(shader, blocks.out) : "")
                         : plain_put(shader, blocks.out);
  std::string defines;
  define(defines, "EG_LOCAL_X", number(shader.local_x));
  define(defines, "EG_LOCAL_Y", number(shader.local_y));
  const int end_k = shader.groups ? static_cast<int>(u_end_k) : u_batch_axes + 4 * shader.batch_rank;
  define(defines, "EG_LENGTH", shader.splits_k ? "min(" + u(u_k) + ", " + u(end_k) + " - eg_first_k)" : u(u_k));
  if (shader.batches_together) define(defines, "EG_BATCHES", batches(shader.batch_rank));
  switch (shader.form) {
    case MatmulForm::tile:
      define_shared_tile(defines, shader, blocks, store, bindings);
      break;
    case MatmulForm::registers:
      define_register_tile(defines, shader, blocks, store, bindings);
      break;
    case MatmulForm::matrices:
      define_matrices(defines, shader, blocks, bindings);
      break;
    case MatmulForm::fitted:
      define_fitted(defines, shader, blocks, bindings);
      break;
    case MatmulForm::outer:
      define_outer(defines, shader, blocks, bindings);
      break;
    case MatmulForm::columns:
      define_columns(defines, shader, blocks, store, bindings);
      break;
  }
  return {template_of(shader.form), defines, holes, shader.exchanges};
}

}  // namespace eglantine::lower
