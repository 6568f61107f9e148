#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "eglantine/shape.hpp"
#include "graph/op.hpp"
#include "layout/reduce_tree.hpp"

/// A kernel is plain data: expressions, layouts, buffers. It is all that crosses the backend interface; every backend
/// runs the same kernels.
namespace eglantine {

class Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

/// A strided reading (or writing) of a buffer over a domain. The layout's shape is the domain's; its offset is from the
/// buffer's start.
struct Strided {
  BufferPtr buffer;
  DType dtype;
  Layout layout;
};

/// One step of an expression. `args` are numbers of earlier instructions, or an index into the expression's tables (see
/// Op). Unused ones are -1. dtype is the dtype of the result; the dtype of an argument is that of the instruction it
/// names.
struct Instruction {
  Op op;
  DType dtype;
  std::array<int32_t, 3> args{-1, -1, -1};
};

/// An element-wise program in single-assignment form over a domain: the last instruction is its value.
/// Its axes are collapsed: rank >= 1, no axis of length 1 unless it is the only one, neighbours merged where every
/// layout allows.
struct Expr {
  Shape domain;
  std::vector<Strided> operands;
  std::vector<Layout> indices;
  std::vector<uint32_t> parameters;  ///< bits, of the dtype that the parameter's instruction says
  std::vector<Instruction> code;

  DType dtype() const { return code.back().dtype; }
};

/// out[i] = value(i) for each coordinate i of value.domain. out.layout is over that domain: contiguous in most kernels,
/// strided when a piece of a concatenation or the middle of a padded tensor is written. No two coordinates write one
/// element, and no operand shares out's buffer.
struct MapKernel {
  Expr value;
  Strided out;
};

/// out[o] = consumer(core = combine over r of producer(k, r)), o the row-major number of the kept coordinates k.
/// producer.domain: `kept_rank` collapsed kept axes, then the reduced axes in the tree's order. (kept_rank may be 0;
/// there is at least one reduced axis; no length is 0.) The order of combination is that of `tree`, exactly
/// (layout/reduce_tree.hpp). argmax and argmin give the row-major number of r as i32. consumer.domain has as many
/// elements as there are kept coordinates, in the same order.
struct ReduceKernel {
  Expr producer;
  int kept_rank = 0;
  Reduction reduction;
  layout::ReduceTree tree = layout::ReduceTree::row;
  Expr consumer;
  Strided out;  ///< contiguous over consumer.domain
};

/// out[o] = consumer(core = sum over k of a(batch, m, k) * b(batch, k, n)), o the row-major number of (batch, m, n).
/// Layouts of a: (batch..., m, k); of b: (batch..., k, n); any strides, batch axes broadcast by stride 0. k may be 0:
/// the core is 0 then.
struct MatmulKernel {
  Shape batch;  ///< may be empty
  int64_t m = 0, n = 0, k = 0;
  Strided a, b;
  Expr consumer;  ///< domain has batch * m * n elements, in the same order
  Strided out;    ///< contiguous over consumer.domain
};

using Kernel = std::variant<MapKernel, ReduceKernel, MatmulKernel>;

/// The buffer a kernel writes, and those it reads (each once).
const Strided& output_of(const Kernel& kernel);
std::vector<BufferPtr> inputs_of(const Kernel& kernel);

/// One line: "map f32 (4096, 784): mul, add, exp of 3 operands".
std::string describe(const Kernel& kernel);

}  // namespace eglantine
