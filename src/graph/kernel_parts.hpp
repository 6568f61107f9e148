#pragma once

#include <variant>

#include "graph/kernel.hpp"

/// Every expression, input, output and buffer of any kernel, without lists: the worker visits them for each kernel.
namespace eglantine {

namespace kernel_parts {

template <class Visit>
void expressions(const MapKernel& map, Visit visit) {
  visit(map.value);
}
template <class Visit>
void expressions(const MatmulKernel& matmul, Visit visit) {
  visit(matmul.epilogue);
}
template <class Visit>
void expressions(const GatherKernel& gather, Visit visit) {
  visit(gather.index);
  visit(gather.epilogue);
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
  visit(sort.epilogue);
}
template <class K, class Visit>  // reduce, scan, tile, row
void expressions(const K& kernel, Visit visit) {
  visit(kernel.prologue);
  visit(kernel.epilogue);
}

template <class K, class Visit>
void inputs(const K& kernel, Visit visit) {
  if constexpr (requires { kernel.a; }) {
    visit(kernel.a.buffer);
    visit(kernel.b.buffer);
  }
  if constexpr (requires { kernel.source; }) visit(kernel.source.buffer);
  expressions(kernel, [&](const Expr& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i)
      if (!expr.stores(i)) visit(expr.operands[i].buffer);
  });
}

template <class K, class Visit>
void outputs(const K& kernel, Visit visit) {
  visit(kernel.out.buffer);
  if constexpr (requires { kernel.second; })
    if (kernel.second.buffer) visit(kernel.second.buffer);
  expressions(kernel, [&](const Expr& expr) {
    for (size_t operand : expr.stored) visit(expr.operands[operand].buffer);
  });
}

}  // namespace kernel_parts

template <class Visit>
void for_each_expression(const Kernel& kernel, Visit visit) {
  std::visit([&](const auto& family) { kernel_parts::expressions(family, visit); }, kernel);
}

/// Each scalar that the kernel has as bits in a uniform: of its expressions, and a row operation's own.
template <class Visit>
void for_each_parameter(const Kernel& kernel, Visit visit) {
  for_each_expression(kernel, [&](const Expr& expr) {
    for (const uint32_t& parameter : expr.parameters) visit(parameter);
  });
  if (const auto* row = std::get_if<RowKernel>(&kernel)) visit(row->parameter);
}

/// Each buffer that the kernel reads, perhaps more than once.
template <class Visit>
void for_each_input(const Kernel& kernel, Visit visit) {
  std::visit([&](const auto& family) { kernel_parts::inputs(family, visit); }, kernel);
}

/// Each buffer that the kernel writes, once.
template <class Visit>
void for_each_output(const Kernel& kernel, Visit visit) {
  std::visit([&](const auto& family) { kernel_parts::outputs(family, visit); }, kernel);
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
