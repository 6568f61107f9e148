#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/expression.hpp"
#include "graph/planning/ownership.hpp"
#include "graph/planning/plan.hpp"
#include "layout/layout.hpp"

namespace eglantine {

/// Thrown inside the planner alone: this kernel reads too much, so this node must be kept; plan again.
struct Cut {
  const Node* keep;
};

/// Plans the kernels of nodes whose owners are known: each kept node gets one, into which what it does not keep melts.
/// Throws Cut when a kernel would be too large.
class Planner {
 public:
  Planner(const Ownership& owners, const DeviceLimits& device, const Allocate& allocate)
      : owners_(owners), device_(device), allocate_(allocate) {}

  Plan run();

 private:
  using Done = std::unordered_multimap<const Node*, std::pair<Layout, int>>;

  /// An expression being written, the kept node whose kernel's result it is (or null), and the node whose value its
  /// consumer gets from the kernel's core.
  struct Writing {
    ExpressionBuilder builder;
    const Node* self;
    const Node* core;
    Done done;
  };

  /// Where x lies. The kernels run in an order in which what is kept is there when it is read; a view that no strides
  /// express is copied where it is met.
  const BufferPtr& in_memory(const Node& x);
  /// The kernel of x, and of the consumer that it takes in.
  void compute(const Node& x, const Node* consumer);

  // One function a kind of node (planner_families.cpp).
  void map(const Node& x);
  void scan(const Node& x, const Node* consumer);
  void row(const Node& x, const Node* consumer);
  void sort(const Node& x, const Node* consumer);
  void take_second(const Node& x, const Node& sort);
  void gather(const Node& x, const Node* consumer);
  void scatter(const Node& x);
  void tiles(const Node& x, const Node* consumer);
  void reduce(const Node& x, const Node* consumer);
  void matmul(const Node& x, const Node* consumer);
  void assemble(const Node& x);

  BufferPtr produce(const Node& x, bool is_packed = false) {
    return plan_.produced[&x] = allocate_(x.shape.elements() * size_of(x.dtype), is_packed);
  }
  Strided output(const Node& x) { return {produce(x), x.dtype, layout::contiguous(x.shape)}; }
  template <class K>
  void emit(K kernel, const Node& x) {
    collapse(kernel);
    Kernel whole = std::move(kernel);
    if (bindings_of(whole) > device_.max_bindings) throw Cut{what_to_keep(x)};
    plan_.kernels.push_back(std::move(whole));
  }

  /// The expression of x at the positions `at`: of a kept node's own kernel (`self` is that node) or of what one reads,
  /// and of what a core's value becomes.
  Expr write(const Node& x, const Layout& at, const Node* self, const Node* core);
  Expr argument(const Node& x, const Layout& at) { return write(x, at, nullptr, nullptr); }
  Expr consumer_of(const Node& core, const Node* consumer);
  Expr consumer_at(const Node& core, const Node* consumer, const Layout& at);
  /// A product's operand where it lies in memory; what is in no memory is computed into some.
  Strided operand(const Node& x);
  BufferPtr buffer_of(const Node& x) const;
  /// Writes x's value at the positions `at` gives for the domain's coordinates; returns its instruction.
  int lower(Writing& out, const Node& x, const Layout& at);
  int lower_new(Writing& out, const Node& x, const Layout& at);
  int lower_elementwise(Writing& out, const Node& x, const Layout& at);
  /// `value`, which is x's, stored as well if the kernel is to.
  int stored(Writing& out, const Node& x, const Layout& at, int value);
  /// Whether x is kept by the kernel being written, though not its result.
  bool is_stored(const Writing& out, const Node& x) const;
  int lower_view(Writing& out, const Node& x, const nodes::View& view, const Layout& at);
  /// What to give a kernel of its own when x's reads too much: what that stores beside x; else of the element-wise
  /// nodes melted into it, the one with half of them below. Where nothing melted in, the reduction or product that it
  /// takes in.
  const Node* what_to_keep(const Node& x) const;

  const Ownership& owners_;
  const DeviceLimits& device_;
  const Allocate& allocate_;
  Plan plan_;
};

}  // namespace eglantine
