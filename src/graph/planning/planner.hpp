#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/expression.hpp"
#include "graph/planning/ownership.hpp"
#include "graph/planning/plan.hpp"
#include "layout/layout.hpp"

namespace eglantine {

/// Plans the kernels of nodes whose owners are known: each materialized node gets one, into which the others fuse.
class Planner {
 public:
  Planner(const Ownership& owners, const DeviceLimits& device, const Allocate& allocate)
      : owners_(owners), device_(device), allocate_(allocate) {}

  /// The plan; or nothing when a kernel would be too large: then too_large() has to be materialized as well.
  std::optional<Plan> run();
  const Node* too_large() const { return too_large_; }

 private:
  using Done = std::unordered_multimap<const Node*, std::pair<Layout, int>>;

  /// An expression being written, the materialized node whose kernel's result it is (or null), and the node whose value
  /// is the kernel's accumulator (or null).
  struct Writing {
    ExpressionBuilder builder;
    const Node* self;
    const Node* accumulator;
    Done done;
  };

  /// Where x lies. The kernels run in an order in which what is materialized is there when it is read; a view that no
  /// strides express is copied where it is met.
  const Stored& in_memory(const Node& x);
  /// The kernel of x, and of the epilogue that it takes in.
  void compute(const Node& x, const Node* epilogue);

  // One function a kind of node (planner_families.cpp).
  void map(const Node& x);
  void scan(const Node& x, const Node* epilogue);
  void row(const Node& x, const Node* epilogue);
  void sort(const Node& x, const Node* epilogue);
  void take_second(const Node& x, const Node& sort);
  void gather(const Node& x, const Node* epilogue);
  void scatter(const Node& x);
  void tiles(const Node& x, const Node* epilogue);
  void reduce(const Node& x, const Node* epilogue);
  void matmul(const Node& x, const Node* epilogue);
  void placement(const Node& x);

  const Stored& produce(const Node& x, StorageType storage) {
    return plan_.produced[&x] = {allocate_(x.shape.elements() * bytes_of(storage)), storage};
  }
  /// The result of x's kernel, a word an element: where the domain's coordinates lie in it.
  Strided output(const Node& x, const Layout& at) { return at_layout(produce(x, word_storage(x.dtype)), at); }
  static Strided at_layout(const Stored& x, const Layout& at) { return {x.buffer, x.storage, at}; }
  template <class K>
  void emit(K kernel, const Node& x) {
    collapse(kernel);
    Kernel whole = std::move(kernel);
    if (bindings_of(whole) > device_.max_bindings) return split_at(x);
    plan_.kernels.push_back(std::move(whole));
  }
  /// The kernel of x reads too much.
  void split_at(const Node& x) {
    if (too_large_ == nullptr) too_large_ = what_to_materialize(x);
  }

  /// The expression of x at the positions `at`: of a materialized node's own kernel (`self` is that node) or of what
  /// one reads, and of what an accumulator's value becomes.
  Expr write(const Node& x, const Layout& at, const Node* self, const Node* accumulator);
  Expr argument(const Node& x, const Layout& at) { return write(x, at, nullptr, nullptr); }
  Expr epilogue_of(const Node& accumulator, const Node* epilogue);
  Expr epilogue_at(const Node& accumulator, const Node* epilogue, const Layout& at);
  /// A product's operand where it lies in memory; what is in no memory is computed into some.
  Strided operand(const Node& x);
  /// Where x lies if it is computed, or will be by a kernel that is planned; else null.
  const Stored* stored_of(const Node& x) const;
  /// Writes x's value at the positions `at` gives for the domain's coordinates; returns its instruction.
  int lower(Writing& out, const Node& x, const Layout& at);
  int lower_new(Writing& out, const Node& x, const Layout& at);
  int lower_elementwise(Writing& out, const Node& x, const Layout& at);
  /// `value`, which is x's, stored as well if the kernel is to.
  int stored(Writing& out, const Node& x, const Layout& at, int value);
  /// Whether x is materialized by the kernel being written, though not its result.
  bool is_stored(const Writing& out, const Node& x) const;
  int lower_view(Writing& out, const Node& x, const nodes::View& view, const Layout& at);
  /// What to give a kernel of its own when x's reads too much: what that stores beside x; else of the element-wise
  /// nodes fused into it, the one with half of them below. Where nothing fused in, the reduction or product that it
  /// takes in.
  const Node* what_to_materialize(const Node& x) const;

  const Ownership& owners_;
  const DeviceLimits& device_;
  const Allocate& allocate_;
  Plan plan_;
  const Node* too_large_ = nullptr;
};

}  // namespace eglantine
