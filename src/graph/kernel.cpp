#include "graph/kernel.hpp"

#include <algorithm>

#include "graph/op_info.hpp"

namespace eglantine {

namespace {

void add_buffers(const Expr& expr, std::vector<BufferPtr>& out) {
  for (const Strided& operand : expr.operands) out.push_back(operand.buffer);
}

std::string operations(const Expr& expr) {
  std::string text;
  for (const Instruction& step : expr.code) {
    if (step.op == Op::load || step.op == Op::parameter || step.op == Op::index || step.op == Op::core) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(step.op));
  }
  return text.empty() ? "copy" : text;
}

std::string count_of(size_t operands) { return std::to_string(operands) + (operands == 1 ? " operand" : " operands"); }

std::string then(const Expr& consumer) { return consumer.code.size() == 1 ? "" : ", then " + operations(consumer); }

std::string text_of(const MapKernel& map) {
  return "map " + std::string(name_of(map.out.dtype)) + " " + to_string(map.value.domain) + ": " +
         operations(map.value) + " of " + count_of(map.value.operands.size());
}

std::string text_of(const ReduceKernel& reduce) {
  Shape kept, reduced;
  for (int i = 0; i < reduce.producer.domain.rank(); ++i)
    (i < reduce.kept_rank ? kept : reduced).push_back(reduce.producer.domain[i]);
  const char* tree = reduce.tree == layout::ReduceTree::row ? "row tree" : "column tree";
  return "reduce " + std::string(name_of(reduce.reduction)) + " " + std::string(name_of(reduce.out.dtype)) + " " +
         to_string(reduced) + " for each of " + to_string(kept) + " (" + tree + "): " + operations(reduce.producer) +
         " of " + count_of(reduce.producer.operands.size()) + then(reduce.consumer);
}

std::string text_of(const MatmulKernel& matmul) {
  const auto size = [](int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  };
  const std::string batch = matmul.batch.empty() ? "" : " batch " + to_string(matmul.batch);
  return "matmul " + std::string(name_of(matmul.out.dtype)) + batch + " " + size(matmul.m, matmul.k) + " x " +
         size(matmul.k, matmul.n) + then(matmul.consumer);
}

}  // namespace

const Strided& output_of(const Kernel& kernel) {
  return std::visit([](const auto& k) -> const Strided& { return k.out; }, kernel);
}

std::vector<BufferPtr> inputs_of(const Kernel& kernel) {
  std::vector<BufferPtr> buffers;
  if (const auto* map = std::get_if<MapKernel>(&kernel)) {
    add_buffers(map->value, buffers);
  } else if (const auto* reduce = std::get_if<ReduceKernel>(&kernel)) {
    add_buffers(reduce->producer, buffers);
    add_buffers(reduce->consumer, buffers);
  } else {
    const auto& matmul = std::get<MatmulKernel>(kernel);
    buffers = {matmul.a.buffer, matmul.b.buffer};
    add_buffers(matmul.consumer, buffers);
  }
  std::sort(buffers.begin(), buffers.end());
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  return buffers;
}

std::string describe(const Kernel& kernel) {
  return std::visit([](const auto& k) { return text_of(k); }, kernel);
}

}  // namespace eglantine
