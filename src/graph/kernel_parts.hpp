#pragma once

#include <variant>

#include "graph/kernel.hpp"

/// Every expression, input, output and buffer of a kernel, whatever its family, without making lists of them: the
/// worker looks at them for each kernel it runs.
namespace eglantine {

namespace kernel_parts {

template <class Visit>
void expressions(const MapKernel& map, Visit visit) {
  visit(map.value);
}
template <class Visit>
void expressions(const MatmulKernel& matmul, Visit visit) {
  visit(matmul.consumer);
}
template <class Visit>
void expressions(const GatherKernel& gather, Visit visit) {
  visit(gather.index);
  visit(gather.consumer);
}
template <class Visit>
void expressions(const ScatterKernel& scatter, Visit visit) {
  visit(scatter.index);
  visit(scatter.updates);
}
template <class Visit>
void expressions(const SortKernel& sort, Visit visit) {
  visit(sort.keys);
  if (sort.payload) visit(*sort.payload);
  visit(sort.consumer);
}
template <class K, class Visit>  // reduce, scan, tile, row
void expressions(const K& kernel, Visit visit) {
  visit(kernel.producer);
  visit(kernel.consumer);
}

}  // namespace kernel_parts

template <class Visit>
void for_each_expression(const Kernel& kernel, Visit visit) {
  std::visit([&](const auto& family) { kernel_parts::expressions(family, visit); }, kernel);
}

/// Each buffer that the kernel reads, perhaps more than once.
template <class Visit>
void for_each_input(const Kernel& kernel, Visit visit) {
  if (const auto* matmul = std::get_if<MatmulKernel>(&kernel)) {
    visit(matmul->a.buffer);
    visit(matmul->b.buffer);
  }
  if (const auto* gather = std::get_if<GatherKernel>(&kernel)) visit(gather->source.buffer);
  for_each_expression(kernel, [&](const Expr& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i)
      if (!expr.stores(i)) visit(expr.operands[i].buffer);
  });
}

/// Each buffer that the kernel writes, once.
template <class Visit>
void for_each_output(const Kernel& kernel, Visit visit) {
  visit(output_of(kernel).buffer);
  if (const auto* sort = std::get_if<SortKernel>(&kernel); sort != nullptr && sort->second.buffer)
    visit(sort->second.buffer);
  for_each_expression(kernel, [&](const Expr& expr) {
    for (int32_t operand : expr.stored) visit(expr.operands[static_cast<size_t>(operand)].buffer);
  });
}

/// Each handle to a buffer that the kernel has: those of its inputs and of what it writes.
template <class Visit>
void for_each_buffer(Kernel& kernel, Visit visit) {
  // What belongs to a kernel that is not const is not const either.
  const auto change = [&](const BufferPtr& buffer) { visit(const_cast<BufferPtr&>(buffer)); };
  for_each_input(kernel, change);
  for_each_output(kernel, change);
}

}  // namespace eglantine
