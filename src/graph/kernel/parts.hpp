#pragma once

#include <variant>

#include "graph/kernel/kernel.hpp"

/// Every expression, input, output and buffer of any kernel, without lists: the worker visits them for each kernel.
namespace eglantine {

namespace kernel_parts {

template <class K, class Visit>
void expressions(K& kernel, Visit visit) {
  if constexpr (requires { kernel.value; }) {  // map, row
    visit(kernel.value);
  } else if constexpr (requires { kernel.keys; }) {  // sort
    visit(kernel.keys);
    if (kernel.payload) visit(*kernel.payload);
    visit(kernel.epilogue);
  } else if constexpr (requires { kernel.updates; }) {  // scatter
    visit(kernel.index);
    visit(kernel.updates);
  } else if constexpr (requires { kernel.index; }) {  // gather
    visit(kernel.index);
    visit(kernel.epilogue);
  } else if constexpr (requires { kernel.prologue; }) {  // reduce, scan, tile, few columns
    visit(kernel.prologue);
    visit(kernel.epilogue);
  } else if constexpr (requires { kernel.left; }) {  // contraction
    visit(kernel.left);
    visit(kernel.right);
    visit(kernel.epilogue);
  } else if constexpr (requires { kernel.epilogue; }) {  // matmul, attention
    visit(kernel.epilogue);
  }
}

/// The index of what a row kernel gathers, over a domain of its own.
template <class K, class Visit>
void index_of_rows(K& kernel, Visit visit) {
  if constexpr (requires { kernel.gathered; })
    if (kernel.gathered) visit(kernel.gathered->index);
}

template <class K, class Visit>
void inputs(K& kernel, Visit visit) {
  if constexpr (requires { kernel.a; }) {
    visit(kernel.a.buffer);
    visit(kernel.b.buffer);
  }
  if constexpr (requires { kernel.mask; }) {
    for (auto* operand : {&kernel.q, &kernel.k, &kernel.v}) visit(operand->buffer);
    if (kernel.mask.buffer) visit(kernel.mask.buffer);
  }
  if constexpr (requires { kernel.cotangent; })
    for (auto* operand : {&kernel.cotangent, &kernel.logsumexp, &kernel.delta}) visit(operand->buffer);
  if constexpr (requires { kernel.vectors; }) visit(kernel.vectors.buffer);
  if constexpr (requires { kernel.source; }) visit(kernel.source.buffer);
  if constexpr (requires { kernel.gathered; })
    if (kernel.gathered) visit(kernel.gathered->source.buffer);
  if constexpr (requires { kernel.ends; })
    if (kernel.ends.buffer) visit(kernel.ends.buffer);
  const auto operands = [&](auto& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i)
      if (!expr.stores(i)) visit(expr.operands[i].buffer);
  };
  expressions(kernel, operands);
  index_of_rows(kernel, operands);
}

template <class K, class Visit>
void outputs(K& kernel, Visit visit) {
  visit(kernel.out.buffer);
  if constexpr (requires { kernel.second; })
    if (kernel.second.buffer) visit(kernel.second.buffer);
  expressions(kernel, [&](auto& expr) {
    for (size_t operand : expr.stored) visit(expr.operands[operand].buffer);
  });
}

}  // namespace kernel_parts

// `AnyKernel`: Kernel, or const Kernel; what is visited is const where the kernel is.

template <class AnyKernel, class Visit>
void for_each_expression(AnyKernel& kernel, Visit visit) {
  std::visit(
      [&](auto& family) {
        kernel_parts::expressions(family, visit);
        kernel_parts::index_of_rows(family, visit);
      },
      kernel);
}

/// Each scalar that the kernel has as bits in a uniform: of its expressions, what is read outside of a piecewise read's
/// bounds, and attention's scale. A fill of 0 is none: lowering may choose by it.
template <class AnyKernel, class Visit>
void for_each_parameter(AnyKernel& kernel, Visit visit) {
  for_each_expression(kernel, [&](auto& expr) {
    for (auto& parameter : expr.parameters) visit(parameter.bits);
    for (auto& read : expr.piecewise)
      if (read.otherwise != 0) visit(read.otherwise);
  });
  if (auto* attention = std::get_if<AttentionKernel>(&kernel)) visit(attention->scale);
  if (auto* gradient = std::get_if<AttentionGradientKernel>(&kernel)) visit(gradient->scale);
}

/// Each buffer that the kernel reads, perhaps more than once.
template <class AnyKernel, class Visit>
void for_each_input(AnyKernel& kernel, Visit visit) {
  std::visit([&](auto& family) { kernel_parts::inputs(family, visit); }, kernel);
}

/// Each buffer that the kernel writes, once.
template <class AnyKernel, class Visit>
void for_each_output(AnyKernel& kernel, Visit visit) {
  std::visit([&](auto& family) { kernel_parts::outputs(family, visit); }, kernel);
}

/// Each handle to a buffer that the kernel has: those of its inputs and of what it writes.
template <class AnyKernel, class Visit>
void for_each_buffer(AnyKernel& kernel, Visit visit) {
  for_each_input(kernel, visit);
  for_each_output(kernel, visit);
}

}  // namespace eglantine
