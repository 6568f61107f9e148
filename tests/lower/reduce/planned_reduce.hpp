#pragma once

#include <map>

#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "lower/schedules.hpp"

namespace eglantine::test {

using MovedBuffers = std::map<BufferPtr, BufferPtr>;

/// The kernel of x, a pending reduction on the CPU, with other buffers.
inline ReduceKernel planned_reduce(const Tensor& x, const MovedBuffers& moved) {
  const GraphLock lock;
  auto kernel = std::get<ReduceKernel>(plan({x.node()}, {}, gl::unstored).kernels.front());
  for (Expr* expr : {&kernel.prologue, &kernel.epilogue})
    for (Strided& operand : expr->operands) operand.buffer = moved.at(operand.buffer);
  return kernel;
}

/// The bits of x's elements.
inline Words bits_of(const Tensor& x) {
  Words bits;
  if (x.dtype() == DType::i32) {
    for (const int32_t value : x.to_vector<int32_t>()) bits.push_back(static_cast<uint32_t>(value));
    return bits;
  }
  for (const float value : x.to_vector<float>()) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

/// Expects of a kernel as `target` runs it the dispatches `names` and the bits `expected`.
inline void expect_reduce(gl::GlRuntime& device, AsTarget& target, ReduceKernel kernel, const std::string& names,
                          const Words& expected) {
  kernel.out.buffer = buffer_of(device, Words(expected.size()));
  target.run(kernel);
  EXPECT_EQ(target.names, names);
  EXPECT_EQ(download(device, kernel.out.buffer->storage(), expected.size()), expected) << names;
}

}  // namespace eglantine::test
