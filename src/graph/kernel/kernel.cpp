#include "graph/kernel/kernel.hpp"

#include <algorithm>
#include <cstdlib>

#include "eglantine/own.hpp"
#include "graph/kernel/parts.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine {

namespace {

template <class K>
ReduceOpPtr custom_combine(const K& kernel) {
  if constexpr (requires { kernel.custom; }) return kernel.custom;
  return nullptr;
}

/// The name of an instruction's operation; "" of one that only brings a value.
std::string name_of(const Expr& expr, const Instruction& step) {
  if (step.op == Op::load || step.op == Op::parameter || step.op == Op::iota || step.op == Op::accumulator) return "";
  if (step.op == Op::custom) return expr.calls[static_cast<size_t>(step.args[0])].op->name;
  if (step.op == Op::fold) return std::string(name_of(static_cast<Reduction>(step.args[1]))) + " of the row";
  return step.op == Op::store ? "(stored)" : std::string(name_of(step.op));
}

/// "mul, add (stored), exp": a store follows what it stores, the accumulator's where nothing stands before it.
std::string operations(const Expr& expr) {
  std::string text;
  for (const Instruction& step : expr.code)
    if (const std::string name = name_of(expr, step); !name.empty())
      text += (text.empty() ? "" : step.op == Op::store ? " " : ", ") + name;
  return text.empty() ? "copy" : text;
}

std::string count_of(const Expr& expr) {
  const size_t operands = expr.operands.size() - expr.stored.size();
  return std::to_string(operands) + (operands == 1 ? " operand" : " operands");
}

std::string then(const Expr& epilogue) { return epilogue.code.size() == 1 ? "" : ", then " + operations(epilogue); }

std::string name_of_combine(Reduction reduction, const ReduceOpPtr& custom) {
  return custom ? custom->name : std::string(name_of(reduction));
}

/// What the result is in memory: a kernel that computes in f32 may give f16.
std::string dtype_of_result(const Strided& out) { return std::string(name_of(dtype_of(out.storage))); }

std::string text_of(const MapKernel& map) {
  return "map " + dtype_of_result(map.out) + " " + to_string(map.value.domain) + ": " + operations(map.value) + " of " +
         count_of(map.value);
}

std::string text_of(const ReduceKernel& reduce) {
  Shape kept, reduced;
  for (int i = 0; i < reduce.prologue.domain.rank(); ++i)
    (i < reduce.kept_rank ? kept : reduced).push_back(reduce.prologue.domain[i]);
  const char* tree = reduce.tree == layout::ReduceTree::row      ? "row tree"
                     : reduce.tree == layout::ReduceTree::column ? "column tree"
                                                                 : "any order";
  return "reduce " + name_of_combine(reduce.reduction, reduce.custom) + " " + dtype_of_result(reduce.out) + " " +
         to_string(reduced) + " for each of " + to_string(kept) + " (" + tree + "): " + operations(reduce.prologue) +
         " of " + count_of(reduce.prologue) + then(reduce.epilogue);
}

std::string text_of(const MatmulKernel& matmul) {
  const auto size = [](int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  const std::string batch = matmul.batch.empty() ? "" : " batch " + to_string(matmul.batch);
  return "matmul " + dtype_of_result(matmul.out) + batch + " " + size(matmul.m, matmul.k) + " x " +
         size(matmul.k, matmul.n) + then(matmul.epilogue);
}

std::string text_of(const FewColumnsKernel& product) {
  Shape batch, rows, summed;
  for (int i = 0; i < product.prologue.domain.rank(); ++i)
    (i < product.batch_rank ? batch : i < product.kept_rank ? rows : summed).push_back(product.prologue.domain[i]);
  const std::string k = std::to_string(summed.elements());
  return "few_columns " + dtype_of_result(product.out) + (batch.empty() ? "" : " batch " + to_string(batch)) + " (" +
         std::to_string(rows.elements()) + ", " + k + ") x (" + k + ", " +
         std::to_string(product.columns.shape.elements()) + "): " + operations(product.prologue) + " of " +
         count_of(product.prologue) + then(product.epilogue);
}

std::string text_of(const ContractionKernel& product) {
  const auto size = [](int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  const auto side = [](const Expr& x) { return operations(x) + " of " + count_of(x); };
  const std::string batch = product.batches == 1 ? "" : " batch (" + std::to_string(product.batches) + ")";
  return "contraction " + dtype_of_result(product.out) + batch + " " + size(product.rows, product.length) + " x " +
         size(product.length, product.columns) + ": " + side(product.left) + ", " + side(product.right) +
         then(product.epilogue);
}

/// " (4096) for each of (16): exp of 1 operand": rows along the last axis.
std::string rows(const Expr& prologue, int kept_rank) {
  Shape kept, row;
  for (int i = 0; i < prologue.domain.rank(); ++i) (i < kept_rank ? kept : row).push_back(prologue.domain[i]);
  return " " + to_string(row) + " for each of " + to_string(kept) + ": " + operations(prologue) + " of " +
         count_of(prologue);
}

std::string text_of(const ScanKernel& scan) {
  return "scan " + name_of_combine(scan.reduction, scan.custom) + (scan.exclusive ? " exclusive " : " ") +
         dtype_of_result(scan.out) + rows(scan.prologue, scan.kept_rank) + then(scan.epilogue);
}

std::string places_read(const SortKernel& sort) {
  std::string places;
  for (const int64_t place : sort.read) places += (places.empty() ? " at " : ", ") + std::to_string(place);
  return places;
}

std::string text_of(const SortKernel& sort) {
  const int64_t length = sort.keys.domain[sort.keys.domain.rank() - 1];
  const std::string results = sort.second.buffer ? "keys and values" : sort.places ? "places" : "keys";
  return "sort " + std::string(name_of(sort.keys.dtype())) + (sort.descending ? " descending" : "") +
         rows(sort.keys, sort.kept_rank) + ", " +
         (sort.keep < length && sort.read.empty() ? "the first " + std::to_string(sort.keep) + " " : "") + results +
         places_read(sort) + then(sort.epilogue);
}

std::string text_of(const RowKernel& row) {
  return "row " + dtype_of_result(row.out) + (is_of_rows(row.out.layout, row.kept_rank) ? " of each row," : "") +
         rows(row.value, row.kept_rank);
}

std::string text_of(const GatherKernel& gather) {
  static constexpr std::array<std::string_view, 3> names{"gather ", "lower_bound ", "upper_bound "};
  return std::string(names[static_cast<size_t>(gather.lookup)]) + dtype_of_result(gather.out) + " " +
         to_string(gather.index.domain) + " from " + std::to_string(gather.length) +
         " places: " + operations(gather.index) + then(gather.epilogue);
}

std::string text_of(const ScatterKernel& scatter) {
  if (scatter.is_compaction())
    return "compact " + dtype_of_result(scatter.out) + " " + std::to_string(scatter.length) + " of " +
           to_string(scatter.coordinates.empty() ? scatter.index.domain : scatter.coordinates) + ": " +
           (scatter.coordinates.empty() ? operations(scatter.updates) : "coordinates");
  const std::string combine = !scatter.combine                     ? ""
                              : *scatter.combine == Reduction::sum ? "add "
                                                                   : std::string(name_of(*scatter.combine)) + " ";
  return "scatter " + combine + dtype_of_result(scatter.out) + " " + to_string(scatter.index.domain) + " to " +
         std::to_string(scatter.length) + " places: " + operations(scatter.updates);
}

std::string text_of(const TileKernel& tile) {
  return "tiles " + name_of_combine(tile.reduction, tile.custom) + " " + dtype_of_result(tile.out) + " " +
         to_string(tile.tile) + " of " + to_string(tile.prologue.domain) + ": " + operations(tile.prologue) + " of " +
         count_of(tile.prologue) + then(tile.epilogue);
}

std::string text_of(const AttentionKernel& attention) {
  const auto size = [](int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  const std::string mask = !attention.mask.buffer ? "" : ", " + std::string(name_of(attention.mask.dtype())) + " mask";
  return "attention " + dtype_of_result(attention.out) + " " + std::to_string(attention.heads) + " x " +
         size(attention.rows, attention.features) + " to " + size(attention.columns, attention.results) +
         (attention.causal ? ", causal" : "") + mask + (attention.second.buffer ? ", and logsumexp" : "") +
         then(attention.epilogue);
}

/// "attention gradient of q f32 16 x (40, 16) to (50, 24), causal"
std::string text_of(const AttentionGradientKernel& gradient) {
  const auto size = [](int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  const std::string mask = !gradient.mask.buffer ? "" : ", " + std::string(name_of(gradient.mask.dtype())) + " mask",
                    together =
                        gradient.together > 1 ? ", " + std::to_string(gradient.together) + " heads together" : "";
  const char* of = gradient.is_of_all() ? "q, k and v " : gradient.is_of_keys() ? "k and v " : "q ";
  return std::string("attention gradient of ") + of + dtype_of_result(gradient.out) + " " +
         std::to_string(gradient.heads) + " x " + size(gradient.rows, gradient.features) + " to " +
         size(gradient.columns, gradient.results) + (gradient.causal ? ", causal" : "") + mask + together;
}

}  // namespace

bool is_of_rows(const Layout& x, int kept_rank) {
  for (int axis = kept_rank; axis < x.shape.rank(); ++axis)
    if (x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] != 0) return false;
  return true;
}

CheckedIndex checked_index_of(const Kernel& kernel) {
  const auto of = [](const auto& family) -> CheckedIndex {
    if constexpr (requires { family.check; }) return {&family.index, family.check, &family.place};
    if constexpr (requires { family.gathered; })
      if (const auto& gathered = family.gathered) return {&gathered->index, gathered->check, &gathered->place};
    return {};
  };
  return std::visit(of, kernel);
}

const Strided& output_of(const Kernel& kernel) {
  return std::visit([](const auto& k) -> const Strided& { return k.out; }, kernel);
}

std::vector<CustomText> custom_texts_of(const Kernel& kernel) {
  std::vector<CustomText> texts;
  for_each_expression(kernel, [&](const Expr& expr) {
    for (const CustomCall& call : expr.calls) texts.push_back({call.op->name, call.op->glsl});
  });
  if (const ReduceOpPtr custom = std::visit([](const auto& family) { return custom_combine(family); }, kernel))
    texts.push_back({custom->name, custom->glsl});
  return texts;
}

std::string describe(const Kernel& kernel) {
  return std::visit([](const auto& k) { return text_of(k); }, kernel);
}

}  // namespace eglantine
