#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "eglantine/shape.hpp"
#include "graph/kernel.hpp"
#include "graph/op.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine {

class DeviceState;
class Node;
using NodePtr = std::shared_ptr<const Node>;
using DevicePtr = std::shared_ptr<DeviceState>;

/// What a node says of its value. Positions are row-major numbers of the elements of a node's shape.
namespace nodes {
/// A computed value: Node::buffer holds it, contiguous from its start.
struct Leaf {};
/// Every element has these bits.
struct Constant {
  uint32_t bits;
};
/// Element i (row-major) is i as u32, modulo 2^32.
struct Index {};
/// Element i is the source's element at position layout(i); of a Leaf, the buffer's element at that address. The source
/// is no view.
struct View {
  NodePtr source;
  Layout layout;
};
/// op of the arguments, element by element; they have this node's shape. Unused ones are null.
struct Elementwise {
  Op op;
  std::array<NodePtr, 3> args;
};
/// The argument combined over order.reduced; those axes are gone from this node's shape.
struct Reduce {
  Reduction reduction;
  NodePtr arg;
  layout::ReduceOrder order;
};
/// a (batch..., m, k) times b (batch..., k, n); both have the same batch lengths.
struct Matmul {
  NodePtr a, b;
};
/// Pieces side by side: piece i goes to the positions that regions[i] (of the piece's shape) gives; the rest is `fill`.
struct Assemble {
  std::vector<NodePtr> pieces;
  std::vector<Layout> regions;
  std::optional<uint32_t> fill;
};
using Value = std::variant<Leaf, Constant, Index, View, Elementwise, Reduce, Matmul, Assemble>;
}  // namespace nodes

/// A value of the expression graph: what it is, and, once a kernel that computes it was submitted, the buffer that
/// holds it. dtype, shape and device never change. The rest changes once, from pending to computed, under
/// graph_mutex().
class Node {
 public:
  Node(DevicePtr on, DType type, const Shape& lengths, nodes::Value what)
      : dtype(type), shape(lengths), device(std::move(on)), value(std::move(what)) {}

  const DType dtype;
  const Shape shape;
  const DevicePtr device;

  mutable nodes::Value value;  ///< Leaf once computed, so that sources are let go
  mutable BufferPtr buffer;    ///< null while pending, and for Constant, Index and View
  mutable int64_t weight = 0;  ///< bounds the pending nodes below, this one included; a shared one counts several times
  mutable bool fused = false;  ///< a kernel that ran has computed this without keeping it

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
};

/// Guards the changing part of every node. Held while graphs are walked and planned, never while anything waits for a
/// device.
std::mutex& graph_mutex();

/// Pending nodes an expression may hold before its arguments are computed, so that a loop that never reads stays
/// bounded.
inline constexpr int64_t max_pending_nodes = 384;

// Building. Arguments are valid (the verbs have checked them) and on one device. A node without elements is always a
// Constant.

NodePtr make_leaf(const DevicePtr& device, DType dtype, const Shape& shape, BufferPtr buffer);
NodePtr make_constant(const DevicePtr& device, DType dtype, const Shape& shape, uint32_t bits);
NodePtr make_index(const DevicePtr& device, const Shape& shape);
/// A view of x, which may be a view itself; `layout` maps the result's coordinates to positions of x.
NodePtr make_view(const NodePtr& x, const Layout& layout);
NodePtr make_elementwise(Op op, DType dtype, const std::array<NodePtr, 3>& args);
NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes);
NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape);
NodePtr make_assemble(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Assemble assemble);

/// The layout a movement of x starts from: a view's own over its source, else contiguous; with the node it is over.
/// Under graph_mutex().
struct Placed {
  NodePtr source;
  Layout layout;
};
Placed placed(const NodePtr& x);

/// The nodes x is computed from, in order; none once it is computed. Under graph_mutex().
std::vector<NodePtr> sources_of(const Node& x);

/// Neither computed, nor free to compute where it is read (a constant, an index, a view of something computed). Under
/// graph_mutex().
bool is_pending(const Node& x);

}  // namespace eglantine
