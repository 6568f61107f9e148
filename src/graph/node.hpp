#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
struct Iota {};
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
  ReduceOpPtr custom = nullptr;  ///< of Reduction::custom
};
/// a (batch..., m, k) times b (batch..., k, n); both have the same batch lengths.
struct Matmul {
  NodePtr a, b;
};
/// Pieces side by side: piece i goes to the positions that regions[i] (of the piece's shape) gives; the rest is `fill`.
struct Placement {
  std::vector<NodePtr> pieces;
  std::vector<Layout> regions;
  std::optional<uint32_t> fill;
};
/// A user's operation of the arguments, element by element; they have this node's shape. f32.
struct Custom {
  ElementwiseOpPtr op;
  std::vector<NodePtr> args;
};
/// The argument combined along one axis, from its start (or end) up to each element, itself included or not.
struct Scan {
  Reduction reduction;
  NodePtr arg;
  int axis;
  bool exclusive, reverse;
  ReduceOpPtr custom = nullptr;  ///< of Reduction::custom
};
/// What a sort gives: the keys in order; what lay at their places (the payload, or the places themselves as i32); both,
/// the keys as this node's value and the others as that of a SecondOutput.
enum class Sorted : uint8_t { keys, places, both };
/// Rows of keys along `axis`, in order; this node's shape has the first few of each row.
struct Sort {
  NodePtr keys, payload;  ///< payload may be null
  int axis;
  bool descending;
  Sorted wanted;
};
/// The second result of a Sort that gives both.
struct SecondOutput {
  NodePtr sort;
};
/// Element c is the source's element at c's coordinates; axis i of this node's shape is axis axes[i] of the source, or
/// none (-1), and the coordinate along the source's `axis` is index[c]. The index has this node's shape.
struct Gather {
  NodePtr source, index;
  IntList axes;
  int axis;
  IndexCheck check;
};
/// The base with updates put (or added) to it in row-major order: axis i of the updates is axis axes[i] of the base, or
/// none (-1), and the coordinate along the base's `axis` is index[c]. The index has the updates' shape. No base where
/// the updates fill every element. `distinct` and `partial`: see ScatterKernel.
struct Scatter {
  NodePtr base, index, updates;
  IntList axes;
  int axis;
  bool add = false, distinct = false, partial = false;
  IndexCheck check;
};
/// One value for each tile of the argument, combined over its elements.
struct Tiles {
  Reduction reduction;
  NodePtr arg;
  Shape tile;                    ///< no longer than the argument along any axis
  ReduceOpPtr custom = nullptr;  ///< of Reduction::custom
};
/// The rows of the argument along `axes`: each element's share of its row, or, where the op reduces, one value for each
/// row (those axes are gone from this node's shape then).
struct Row {
  RowOp op;
  NodePtr arg;
  Axes axes;
  bool strided;  ///< RowKernel::strided
};
using Value = std::variant<Leaf, Constant, Iota, View, Elementwise, Reduce, Matmul, Placement, Custom, Scan, Sort,
                           SecondOutput, Gather, Scatter, Tiles, Row>;
}  // namespace nodes

/// The layout, over a node's shape, of what computing it reads the most memory of: what the order of a sum of it is
/// chosen from (layout/reduce_tree.hpp). It follows from how the node was made alone: a computed node keeps it, though
/// its own buffer lies contiguous, so that a sum's bits do not depend on when its operand was computed.
struct Dominant {
  int64_t reach = 0;                       ///< elements from the first to the last; 0 of a constant
  std::shared_ptr<const Layout> layout{};  ///< null where it is row-major without gaps; without an offset
  bool computed = false;                   ///< of places alone, which nothing need be read for
};

/// A value of the expression graph: what it is, and, once a kernel that computes it was submitted, the buffer that
/// holds it. dtype, shape and device never change. The rest changes once, from pending to computed, under a
/// GraphLock.
class Node {
 public:
  Node(DevicePtr on, DType type, const Shape& lengths, nodes::Value what, Dominant read_most)
      : dtype(type), shape(lengths), device(std::move(on)), dominant(std::move(read_most)), value(std::move(what)) {}

  const DType dtype;
  const Shape shape;
  const DevicePtr device;
  const Dominant dominant;

  mutable nodes::Value value;  ///< Leaf once computed, so that sources are let go
  mutable BufferPtr buffer;    ///< null while pending, and for Constant, Iota and View
  mutable BufferPtr second;    ///< of a computed Sort that gives both
  mutable int64_t weight =
      0;  ///< bounds the pending nodes below, this one included, a shared one several times; 0 before pend()
  mutable bool fused = false;         ///< a kernel that ran has computed this without keeping it
  mutable bool holds_memory = false;  ///< a pending one: pending.cpp counts what it keeps alive
  mutable int64_t noted = 0;          ///< a computed one: when a pending node last counted it (pending.cpp)

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  /// Fuses into the kernel that reads it.
  bool is_elementwise() const { return as<nodes::Elementwise>() != nullptr || as<nodes::Custom>() != nullptr; }
};

// Building, and nothing else: no kernel runs, and nothing bounds what pends before pend() (evaluate/pend.hpp) makes the
// node a tensor. Arguments are valid (the verbs have checked them) and on one device. A node without elements is always
// a Constant.

NodePtr make_leaf(const DevicePtr& device, DType dtype, const Shape& shape, BufferPtr buffer);
NodePtr make_constant(const DevicePtr& device, DType dtype, const Shape& shape, uint32_t bits);
NodePtr make_iota(const DevicePtr& device, const Shape& shape);
/// A view of x, which may be a view itself; `layout` maps the result's coordinates to positions of x.
NodePtr make_view(const NodePtr& x, const Layout& layout);
NodePtr make_elementwise(Op op, DType dtype, const std::array<NodePtr, 3>& args);
NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes,
                    ReduceOpPtr custom = nullptr);
NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape);
NodePtr make_placement(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Placement placement);
NodePtr make_custom(ElementwiseOpPtr op, std::vector<NodePtr> args);
NodePtr make_scan(nodes::Scan scan);
/// shape: of the keys, but for `axis`, whose length is how many of each row are wanted. dtype: of this node's value.
NodePtr make_sort(nodes::Sort sort, const Shape& shape, DType dtype);
/// dtype: of the second result of `sort`.
NodePtr make_second_output(const NodePtr& sort, DType dtype);
NodePtr make_gather(nodes::Gather gather);
NodePtr make_scatter(nodes::Scatter scatter, const Shape& shape);
NodePtr make_tiles(nodes::Tiles tiles, const Shape& tile_count);
NodePtr make_row(RowOp op, const NodePtr& arg, const Axes& axes);

/// The layout a movement of x starts from: a view's own over its source, else contiguous; with the node it is over.
/// Under a GraphLock.
struct Placed {
  NodePtr source;
  Layout layout;
};
Placed placed(const NodePtr& x);

/// The nodes x is computed from, in order; none once it is computed. Under a GraphLock.
template <class Visit>
void for_each_source(const Node& x, Visit visit) {
  const auto visit_all = [&](const auto&... sources) { ((sources ? visit(sources) : void()), ...); };
  const auto of = [&](const auto& value) {
    if constexpr (requires { value.args; }) {
      for (const NodePtr& arg : value.args)
        if (arg) visit(arg);
    } else if constexpr (requires { value.pieces; }) {
      for (const NodePtr& piece : value.pieces) visit(piece);
    } else if constexpr (requires { value.updates; }) {
      visit_all(value.base, value.index, value.updates);
    } else if constexpr (requires { value.index; }) {
      visit_all(value.source, value.index);
    } else if constexpr (requires { value.keys; }) {
      visit_all(value.keys, value.payload);
    } else if constexpr (requires { value.a; }) {
      visit_all(value.a, value.b);
    } else if constexpr (requires { value.arg; }) {
      visit(value.arg);
    } else if constexpr (requires { value.source; }) {
      visit(value.source);
    } else if constexpr (requires { value.sort; }) {
      visit(value.sort);
    }
  };
  if (!x.buffer) std::visit(of, x.value);
}
std::vector<NodePtr> sources_of(const Node& x);

/// Neither computed, nor free to compute where it is read (a constant, an index, a view of something computed). Under
/// a GraphLock.
bool is_pending(const Node& x);

/// An element-wise node of what is there already, as in a loop that asks for each result: nothing to decide about it.
/// Under a GraphLock.
bool stands_alone(const Node& x);

}  // namespace eglantine
