#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "eglantine/shape.hpp"
#include "graph/kernel/kernel.hpp"
#include "graph/op/op.hpp"
#include "graph/op/storage_type.hpp"
#include "layout/axis_map.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine {

class DeviceState;
class GraphLock;
class Node;
using NodePtr = std::shared_ptr<const Node>;
using DevicePtr = std::shared_ptr<DeviceState>;

/// A derivative being taken, or a function being mapped over an axis. While it is active, nodes made from its inputs
/// keep what they were made from, also after they are computed.
struct History;
struct Trace {
  std::atomic<bool> active{true};
  std::atomic<bool> unwinding{false};             ///< no longer active, but cotangents are on their way back
  bool maps = false;                              ///< no derivative: it also goes through values that count as constant
  std::atomic<bool> read{false};                  ///< the host has read a node made from its inputs
  std::vector<std::weak_ptr<History>> histories;  ///< of its nodes that are computed; under the GraphLock
};
using TracePtr = std::shared_ptr<Trace>;
using Traces = std::vector<TracePtr>;

/// Which values a derivative of one's own reads; of the others it asks for shape, dtype and device alone.
enum class OwnReads : uint8_t { both, inputs, results };

/// The derivative of results that were computed from inputs which no trace goes through: of each result's cotangent
/// (null: none) those of the inputs.
struct OwnDerivative {
  std::vector<NodePtr> inputs, results;
  OwnReads reads;
  std::function<std::vector<NodePtr>(const std::shared_ptr<const OwnDerivative>& self,
                                     const std::vector<NodePtr>& cotangents)>
      backward;
};

/// Where movements do not compose and constants do not fold: an input of a derivative, a value that counts as constant
/// (neither of the members), or a result with a derivative of its own.
struct Boundary {
  TracePtr trace = nullptr;
  std::shared_ptr<const OwnDerivative> own = nullptr;
  size_t result = 0;  ///< which of its results
};
using BoundaryPtr = std::shared_ptr<const Boundary>;

/// What a node says of its value. Positions are row-major numbers of the elements of a node's shape.
namespace nodes {
struct Leaf {};  ///< a computed value, at Node::stored()
/// Every element has these bits.
struct Constant {
  uint32_t bits;
};
struct Iota {};  ///< element i (row-major) is i as u32, modulo 2^32
/// Element i is the source's at position layout(i), or of a Leaf its buffer's at that address. The source is no view.
struct View {
  NodePtr source;
  Layout layout;
  BoundaryPtr boundary = nullptr;  ///< else the source is no view but one with a boundary; it shows all of the source
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
  bool any_order = false;  ///< its sum need not be added by the tree: another kernel's chain may compute it on the way
};
/// a (batch..., m, k) times b (batch..., k, n); both have the same batch lengths.
struct Matmul {
  NodePtr a, b;
};
/// Sums of products over groups of axes: a's axes are `batch` batches, `rows` rows, then those that are summed over;
/// b's the same batches, `columns` columns, then the same summed ones. Axis i of this node's shape is number order[i]
/// of the batches, rows and columns, one after the other.
struct Contraction {
  NodePtr a, b;
  int batch, rows, columns;
  Axes order;
};
/// Pieces side by side: piece i goes to the positions that regions[i] (of the piece's shape) gives; the rest is `fill`.
/// Where regions overlap, the later piece wins.
struct Placement {
  std::vector<NodePtr> pieces;
  std::vector<Layout> regions;
  std::optional<uint32_t> fill;
};
/// Element c is the source's at the coordinates axes[i](c[i]), or `fill` where one of them has none: a padded or rolled
/// tensor. Read in place, as a view is.
struct Remap {
  NodePtr source;
  std::vector<layout::AxisMap> axes;
  uint32_t fill;
};
/// Element c is the source's at the coordinates indices[k][c] (i32, of this node's shape, always within the axis) along
/// its axes indexed[k], and c's own along the others: axis i of this node's shape is axis axes[i] of the source, or
/// none
/// (-1). The source is read from memory; where it lies narrow, widened.
struct LoadAt {
  NodePtr source;
  std::vector<NodePtr> indices;
  Axes indexed;
  IntList axes;
};
/// The sum, in order, of the source's elements at `at` times the factor's at `factor_at`, for each of `taps`: each of
/// its coordinates adds so many of `steps` to the offset of `at`, its row-major number to that of `factor_at`. Without
/// a factor (null) the source's elements, combined by `op`. It stands for a chain of element-wise nodes and their
/// views, which a plan of known structure does without (graph/planning/decomposition/decompose.hpp). No trace goes
/// through it.
struct Stencil {
  NodePtr source, factor;
  Layout at, factor_at;  ///< over this node's shape
  Shape taps;
  IntList steps;
  Op op = Op::add;
};
/// What `parts` makes of the arguments and of the numbers, and of nothing else: a node that is no view, over others.
/// Constants are arguments only where it does not look at their values. It stands for these (about `weight`), which a
/// plan of known structure does without (graph/planning/decomposition/decompose.hpp). No trace goes through it.
struct Composite {
  NodePtr (*parts)(const Composite& of);
  std::vector<NodePtr> args;
  std::vector<int64_t> numbers;
  int64_t weight;
  bool shares = false;  ///< `parts` are made behind those of others, of which they may share some
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
  IntList read = {};  ///< of Sorted::keys: this node has the keys at these places of a row, in order; empty: the first
};
/// softmax(scale q k^T + mask) v over the last two axes: q (batch..., heads, rows, features), k (batch..., heads of k,
/// columns, features), v (batch..., heads of v, columns, results), each one of k's and v's heads for as many neighbours
/// of q's. No length is 0. Where mask (batch..., heads, rows, columns) is false, or -infinity, a row does not see a
/// column; a float is added. Under `causal` row i sees columns 0 to i. The rest: AttentionKernel.
struct Attention {
  NodePtr q, k, v, mask;  ///< f32, or a view or widening of narrow floats; mask may be null
  bool causal;
  float scale;
  bool both;                ///< each row's logsumexp as well, (batch..., heads, rows), as the value of a SecondOutput
  bool rows_first = false;  ///< this node's axes are (batch..., rows, heads, results)
};
/// What an Attention gives back to q of a cotangent of its result; or, `together` > 0, to k, each head's that of so
/// many of q's neighbours together, and as the value of a SecondOutput to v; or `all`, to q, and as the value of a
/// SecondOutput, of one axis, to k, (batch..., heads / together, columns, features), and behind it to v; or `joined`
/// all three, side by side: (batch..., rows, 3, heads, features). The rest: AttentionGradientKernel.
struct AttentionGradient {
  NodePtr q, k, v, mask;     ///< the Attention's
  NodePtr cotangent;         ///< f32, or a view or widening of narrow floats, (batch..., heads, rows, results)
  NodePtr logsumexp, delta;  ///< f32, (batch..., heads, rows)
  bool causal;
  float scale;
  int64_t together;
  bool all = false;
  bool rows_first = false;  ///< of all: all three are (batch..., rows or columns, heads, features or results)
  bool joined = false;      ///< of all, of equal shapes, rows first
};
/// The second result of a Sort, an Attention or an AttentionGradient that gives both.
struct SecondOutput {
  NodePtr first;
};
/// Element c is the source's element at c's coordinates; axis i of this node's shape is axis axes[i] of the source, or
/// none (-1), and the coordinate along the source's `axis` is index[c]. The index has this node's shape. Of a bound it
/// is the place (i32) of the key index[c] along `axis`.
struct Gather {
  NodePtr source, index;
  IntList axes;
  int axis;
  IndexCheckPtr check;  ///< null of a bound
  Lookup lookup = Lookup::element;
};
/// The base with updates put (or combined with it) in row-major order: axis i is axis axes[i] of the base, or none
/// (-1); index[c] (of the updates' shape) is along `axis`. No base where updates fill it. Of a compaction, from one
/// axis to one, which has neither base nor check, the index is a mask. The rest: ScatterKernel.
struct Scatter {
  NodePtr base, index, updates;
  IntList axes;
  int axis;
  std::optional<Reduction> combine = {};
  bool distinct = false, partial = false;
  IndexCheckPtr check;
  NodePtr ends = nullptr;  ///< of a compaction
  Shape coordinates = {};  ///< of one that gives coordinates: the shape that its updates count places of
};
/// One value for each tile of the argument, combined over its elements.
struct Tiles {
  Reduction reduction;
  NodePtr arg;
  Shape tile;                    ///< no longer than the argument along any axis
  ReduceOpPtr custom = nullptr;  ///< of Reduction::custom
};
using Value =
    std::variant<Leaf, Constant, Iota, View, Elementwise, Reduce, Matmul, Placement, Custom, Scan, Sort, SecondOutput,
                 Gather, Scatter, Tiles, Remap, Contraction, Attention, AttentionGradient, LoadAt, Stencil, Composite>;
}  // namespace nodes

/// The layout, over a node's shape, of what computing it reads the most memory of, from which a sum's order is chosen
/// (layout/reduce_tree.hpp). A computed node keeps it: a sum's bits do not depend on when its operand was computed.
struct Dominant {
  int64_t reach = 0;                       ///< elements from the first to the last; 0 of a constant
  std::shared_ptr<const Layout> layout{};  ///< null where it is row-major without gaps; without an offset
  bool computed = false;                   ///< of places alone, which nothing need be read for
};

/// Where a computed value lies: contiguous from the start of `buffer`, null while it is not computed.
struct Stored {
  BufferPtr buffer{};
  StorageType storage{};
};

/// What bounds the memory and the number of pending nodes (evaluate/pend.hpp, pending.hpp).
struct PendingAccount {
  int64_t weight = 0;         ///< bound of the pending nodes below and itself, shared ones repeated; 0 before pend()
  bool holds_memory = false;  ///< of a pending node: it, or one it is computed from, reads a large tensor
  int64_t counted = 0;        ///< of a pending node: the count below another one that last met it
  int64_t noted = 0;          ///< of a computed node: the look of the ledger at which it was last counted
  int64_t handles = 0;        ///< that pending nodes have of it, as of the count of the ledger's `handles_counted`
  int64_t handles_counted = 0;
  int64_t met = 0;                        ///< the last of the ledger's counts that it was part of
  std::weak_ptr<const Node> beside = {};  ///< of a gradient: what is computed with it (evaluate/beside.hpp)
};

/// What a computed node was, for as long as one of its traces is active.
struct History {
  nodes::Value value;
  Traces traces;
};

/// Known to its traces, which end it (end_trace).
std::shared_ptr<History> history_of(nodes::Value value, const Traces& traces);
/// A derivative's function has returned, or thrown: nodes that are computed, also those that lead to no result and live
/// on, forget what they were, but for what another active trace may ask. Returns that.
std::vector<nodes::Value> end_trace(Trace& trace, const GraphLock&);

/// A value of the expression graph: what it is and, once a kernel computing it was submitted, where it lies. Const
/// members never change. The rest changes on any thread under the GraphLock (a parameter of each change): once from
/// pending to computed, and what bounds pending nodes. Reading it takes the lock too, except that a Constant stays one.
class Node {
 public:
  Node(DevicePtr on, DType type, const Shape& lengths, nodes::Value what, Dominant read_most, Stored lies = {},
       Traces through = {})
      : dtype(type),
        shape(lengths),
        device(std::move(on)),
        dominant(std::move(read_most)),
        traces(std::move(through)),
        value_(std::move(what)),
        stored_(std::move(lies)) {}

  const DType dtype;
  const Shape shape;
  const DevicePtr device;
  const Dominant dominant;
  const Traces traces;  ///< that were active when it was made, and whose inputs it is made from

  const nodes::Value& value() const { return value_; }
  /// value(); of a computed node what it was, while one of its traces is active.
  const nodes::Value& origin() const { return history_ ? history_->value : value_; }
  bool is_traced() const {
    for (const TracePtr& trace : traces)
      if (trace->active) return true;
    return false;
  }
  /// Whether a derivative goes through it.
  bool is_differentiated() const {
    for (const TracePtr& trace : traces)
      if (trace->active && !trace->maps) return true;
    return false;
  }
  /// The same, or a derivative is being taken that may still read it.
  bool awaits_derivative() const {
    for (const TracePtr& trace : traces)
      if ((trace->active || trace->unwinding) && !trace->maps) return true;
    return false;
  }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value_);
  }
  /// Fuses into the kernel that reads it.
  bool is_elementwise() const { return as<nodes::Elementwise>() != nullptr || as<nodes::Custom>() != nullptr; }

  bool is_computed() const { return stored_.buffer != nullptr; }
  const Stored& stored() const { return stored_; }
  const Stored& second() const { return second_; }  ///< of a computed node that gives both
  /// Materialized where it is computed: an earlier kernel fused it, or a derivative of its own reads it.
  bool is_kept() const { return is_kept_; }

  /// From now on a Leaf. Returns what the value was, if no trace wants it: dropping it may end other nodes.
  nodes::Value set_computed(const GraphLock&, Stored result, Stored second = {}) const {
    stored_ = std::move(result);
    second_ = std::move(second);
    account_.weight = 0;
    nodes::Value old = std::exchange(value_, nodes::Leaf{});
    if (!is_traced()) return old;
    history_ = history_of(std::move(old), traces);
    return nodes::Leaf{};
  }
  /// Gives up a derivative of its own, once no trace is active. Returns what it was.
  nodes::Value forget(const GraphLock&) const;
  void set_kept(const GraphLock&) const { is_kept_ = true; }
  /// Says the same value by other nodes; returns what said it before. Under a GraphLock, which plans do not pass on.
  nodes::Value restate(nodes::Value same) const { return std::exchange(value_, std::move(same)); }
  PendingAccount& account(const GraphLock&) const { return account_; }

 private:
  mutable nodes::Value value_;
  mutable std::shared_ptr<History> history_;
  mutable Stored stored_, second_;
  mutable bool is_kept_ = false;
  mutable PendingAccount account_;
};

// Only builds: runs no kernel, and bounds nothing before pend() (evaluate/pend.hpp) makes the node a tensor. Arguments
// are valid (the verbs have checked them) and on one device. A node without elements is always a Constant.

NodePtr make_leaf(const DevicePtr& device, const Shape& shape, Stored stored);
NodePtr make_constant(const DevicePtr& device, DType dtype, const Shape& shape, uint32_t bits);
NodePtr make_iota(const DevicePtr& device, const Shape& shape);
/// A view of x, which may be a view itself; `layout` maps the result's coordinates to positions of x.
NodePtr make_view(const NodePtr& x, const Layout& layout);
NodePtr view_of(const NodePtr& x, const Layout& layout);  ///< the same, under a GraphLock
/// The same, of a result that was computed in another order than its own: it counts as stored row-major (Dominant).
NodePtr make_result_view(const NodePtr& x, const Layout& layout);
NodePtr make_boundary(const NodePtr& x, Boundary boundary);
NodePtr make_elementwise(Op op, DType dtype, const std::array<NodePtr, 3>& args);
layout::ReduceOrder reduce_order_of(const Node& arg, const Axes& axes);  ///< that follows from its layout (Dominant)
NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes,
                    ReduceOpPtr custom = nullptr);
NodePtr make_sum_in_any_order(const NodePtr& arg, const Axes& axes);  ///< nodes::Reduce::any_order
NodePtr make_sum_in_any_order(const NodePtr& arg, const layout::ReduceOrder& order);
/// In a given order.
NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const layout::ReduceOrder& order);
NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape);
NodePtr make_contraction(nodes::Contraction contraction);
NodePtr make_placement(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Placement placement);
/// Of x, which may be one itself. One map for each axis of x, whose coordinates lie in that axis.
NodePtr make_remap(const NodePtr& x, std::vector<layout::AxisMap> axes, uint32_t fill);
NodePtr make_load_at(nodes::LoadAt load);
/// A constant in another shape; in a plan's parts a view of it, for a copy would have one graph's number in the plan of
/// all graphs of its structure.
NodePtr make_constant_in(const NodePtr& constant, const Shape& shape);
/// Of a source and a factor without active traces that are no constants. What computing it reads the most memory of
/// counts as that of its first tap.
NodePtr make_stencil(nodes::Stencil stencil);
/// Of arguments without active traces. What its parts read the most memory of is as long as its result, and row-major.
NodePtr make_composite(DType dtype, const Shape& shape, nodes::Composite composite);
NodePtr make_custom(ElementwiseOpPtr op, std::vector<NodePtr> args);
NodePtr make_scan(nodes::Scan scan);
/// shape: of the keys, but for `axis`, whose length is how many of each row are wanted. dtype: of this node's value.
NodePtr make_sort(nodes::Sort sort, const Shape& shape, DType dtype);
NodePtr make_second_output(const NodePtr& first, DType dtype);  ///< dtype: of the second output
NodePtr make_attention(nodes::Attention attention);
NodePtr make_logsumexp(const NodePtr& attention, const Shape& rows);  ///< the second output of one, of that shape
NodePtr make_attention_gradient(nodes::AttentionGradient gradient);
NodePtr make_value_gradient(const NodePtr& first);  ///< the second output of one that has two
NodePtr make_gather(nodes::Gather gather);
NodePtr make_scatter(nodes::Scatter scatter, const Shape& shape);
NodePtr make_tiles(nodes::Tiles tiles, const Shape& tile_count);

/// Where a movement of x starts: a view's layout over its source, unless that is a boundary; else contiguous over x.
/// Under a GraphLock.
struct Placed {
  NodePtr source;
  Layout layout;
};
Placed placed(const NodePtr& x);

/// The nodes that a value is made from, in order.
template <class Visit>
void for_each_source_of(const nodes::Value& x, Visit visit) {
  // Most values, without a jump through std::visit's table.
  if (const auto* view = std::get_if<nodes::View>(&x)) return visit(view->source), void();
  if (const auto* elementwise = std::get_if<nodes::Elementwise>(&x)) {
    for (const NodePtr& arg : elementwise->args)
      if (arg) visit(arg);
    return;
  }
  const auto visit_all = [&](const auto&... sources) { ((sources ? visit(sources) : void()), ...); };
  const auto of = [&](const auto& value) {
    if constexpr (requires { value.args; }) {
      for (const NodePtr& arg : value.args)
        if (arg) visit(arg);
    } else if constexpr (requires { value.factor; }) {
      visit_all(value.source, value.factor);
    } else if constexpr (requires { value.pieces; }) {
      for (const NodePtr& piece : value.pieces) visit(piece);
    } else if constexpr (requires { value.updates; }) {
      visit_all(value.base, value.index, value.updates, value.ends);
    } else if constexpr (requires { value.indices; }) {
      visit(value.source);
      for (const NodePtr& index : value.indices) visit(index);
    } else if constexpr (requires { value.index; }) {
      visit_all(value.source, value.index);
    } else if constexpr (requires { value.keys; }) {
      visit_all(value.keys, value.payload);
    } else if constexpr (requires { value.a; }) {
      visit_all(value.a, value.b);
    } else if constexpr (requires { value.delta; }) {
      visit_all(value.q, value.k, value.v, value.mask, value.cotangent, value.logsumexp, value.delta);
    } else if constexpr (requires { value.q; }) {
      visit_all(value.q, value.k, value.v, value.mask);
    } else if constexpr (requires { value.arg; }) {
      visit(value.arg);
    } else if constexpr (requires { value.source; }) {
      visit(value.source);
    } else if constexpr (requires { value.first; }) {
      visit(value.first);
    }
  };
  std::visit(of, x);
}

/// The nodes x is computed from, in order; none once it is computed. Under a GraphLock.
template <class Visit>
void for_each_source(const Node& x, Visit visit) {
  if (!x.is_computed()) for_each_source_of(x.value(), visit);
}
std::vector<NodePtr> sources_of(const Node& x);

/// Whether x is another node's value as its computed type: read in place where that is stored. Under a GraphLock.
bool is_widening(const Node& x);

/// Whether neighbours along a node's `axes` lie apart in memory and those along the others side by side, in what the
/// node is made of (or in the node itself, `as_stored`).
bool is_strided(const Node& x, const Axes& axes, bool as_stored);
/// The other axes as they lie in what a node is made of, the nearest neighbours last; none where neighbours in memory
/// are no neighbours along one of these, or too few.
Axes kept_by_distance(const Node& x, const Axes& axes);
/// Whether rows are strided in what x is made of and contiguous as x would be stored, or the other way round, by more
/// than a sector of memory.
bool lies_across(const Node& x, const Axes& axes);

bool keeps_order(const nodes::View& view);  ///< whether it shows all of its source in the source's order

/// Not computed, nor free where it is read (a constant, an iota, a view of something computed). Under a GraphLock.
bool is_pending(const Node& x);

}  // namespace eglantine
