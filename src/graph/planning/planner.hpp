#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/kernel/expression.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/plan.hpp"
#include "graph/planning/remap_frame.hpp"
#include "graph/planning/row_domain.hpp"
#include "graph/product_choice.hpp"
#include "layout/layout.hpp"

namespace eglantine {

/// Most instructions of a kernel, with scalars and loads: past this, compiling costs more than reading an intermediate.
inline constexpr size_t max_kernel_instructions = 256;

/// Plans the kernels of nodes whose owners are known: each materialized node gets one, into which the others fuse.
class Planner {
 public:
  Planner(const GraphStructure& graph, const Ownership& owners, const DeviceLimits& device, const Allocate& allocate)
      : graph_(graph), owners_(owners), device_(device), allocate_(allocate) {}

  /// The plan; or nothing when a kernel would be too large: then too_large() has to be materialized as well.
  std::optional<Plan> run();
  const Node* too_large() const { return too_large_; }

 private:
  /// The value of a node at `at`; rounds: as Writing's.
  struct Written {
    Layout at;
    int value;
    bool rounds;
  };
  using Done = std::unordered_multimap<const Node*, Written>;

  /// An expression being written, the materialized node it computes and the kernel's accumulator (both may be null).
  struct Writing {
    ExpressionBuilder builder;
    const Node* self;
    const Node* accumulator;
    Done done;
    const RemapFrame* frame = nullptr;                      ///< what layouts lead through on their way to the domain
    const RowDomain* rows = nullptr;                        ///< of a row kernel
    std::optional<GatherKernel> gathered = std::nullopt;    ///< RowKernel::gathered
    std::map<std::pair<int, int64_t>, int> multiples = {};  ///< of indices: an instruction times a stride
    bool rounds = false;  ///< what is being written: functions that each device rounds as it does are applied to it
  };

  /// Where x lies. Kernels run behind those whose results they read; a view that no strides express is copied here.
  const Stored& in_memory(const Node& x);
  void compute(const Node& x, const Node* epilogue);  ///< with the epilogue that it takes in

  // One function a kind of node (planner_families.cpp).
  void map(const Node& x);
  void scan(const Node& x, const Node* epilogue);
  void row(const Node& x, const RowFolds& folds);
  void sort(const Node& x, const Node* epilogue);
  void take_second(const Node& x, const Node& first);
  void gather(const Node& x, const Node* epilogue);
  /// Without an output. kernel: whose results are no operands of it; null: its own.
  GatherKernel gather_of(const Node& x, const Node* kernel = nullptr);
  void scatter(const Node& x);
  void tiles(const Node& x, const Node* epilogue);
  void reduce(const Node& x, const Node* epilogue);
  void matmul(const Node& x, const Node* epilogue);
  void few_columns(const Node& x, const FewColumns& few, const Node* epilogue);
  Expr side_of_contraction(const Node& x, int& kept);
  void contraction(const Node& x, const Node* epilogue, const Strided* place = nullptr);
  void placement(const Node& x);
  MapKernel map_of_pieces(const nodes::Placement& what, const std::vector<size_t>& numbers, const Strided& out);
  /// These pieces, as one kernel each takes them.
  std::vector<std::vector<size_t>> by_kernels(const nodes::Placement& what, const std::vector<size_t>& numbers,
                                              const Strided& out);
  bool interleave(const Node& x, const nodes::Placement& what, const Strided& out);
  bool select(const Node& x, const nodes::Placement& what, const Strided& out);
  bool reads_across(const Node& piece);
  void put_in_order(const nodes::Placement& what);
  void attention(const Node& x, const Node* epilogue);
  void attention_gradient(const Node& x);
  void results_of(const Node& x, AttentionGradientKernel& kernel);
  Strided operand_of_attention(const Node& x);
  struct Target {
    Strided out;
    bool taken_over;  ///< it holds the base's elements already
  };
  Target target(const Node& x, const NodePtr* base, StorageType storage);
  const Stored* memory_taken_over(const NodePtr& base, StorageType storage);

  const Stored& produce(const Node& x, StorageType storage) {
    return plan_.produced[&x] = {allocate_(x.shape.elements() * bytes_of(storage)), storage};
  }
  /// The second output of x's kernel.
  Strided second_output(const Node& x, DType dtype, const Layout& at) {
    const StorageType storage = result_storage(dtype);
    return whole_at(plan_.seconds[&x] = {allocate_(x.shape.elements() * bytes_of(storage)), storage}, at);
  }
  /// The result of x's kernel: where the domain's coordinates lie in it.
  Strided output(const Node& x, const Layout& at) { return whole_at(produce(x, result_storage(x.dtype)), at); }
  static Strided at_layout(const Stored& x, const Layout& at) { return {x.buffer, x.storage, at}; }
  static Strided whole_at(const Stored& x, const Layout& at) { return {x.buffer, x.storage, at, true}; }
  template <class K>
  void emit(K kernel, const Node& x) {
    // Products and sorts may move results without an epilogue, and then do not round.
    if constexpr (requires { kernel.value; }) drop_last_rounding(kernel.value, kernel.out.storage);
    if constexpr (requires { kernel.prologue; }) drop_last_rounding(kernel.epilogue, kernel.out.storage);
    collapse(kernel);
    Kernel whole = std::move(kernel);
    if (bindings_of(whole, covered_bytes()) > device_.max_bindings) return split_at(x);
    plan_.kernels.push_back(std::move(whole));
  }
  /// One binding covers so much wherever it begins.
  int64_t covered_bytes() const { return device_.longest_row * 4; }
  /// The kernel of x reads too much.
  void split_at(const Node& x) {
    if (too_large_ == nullptr) too_large_ = what_to_materialize(x);
  }
  static bool is_too_long(const ExpressionBuilder& x);  ///< for one kernel
  void split(const Writing& out, const Node& x) {
    if (too_large_ == nullptr) too_large_ = computed_at_many(out);
    split_at(x);
  }

  /// The expression of x at the positions `at`: a kernel's result (`self` is its node), an argument, or an epilogue.
  Expr write(const Node& x, const Layout& at, const Node* self, const Node* accumulator);
  Expr argument(const Node& x, const Layout& at) { return write(x, at, nullptr, nullptr); }
  Expr epilogue_of(const Node& accumulator, const Node* epilogue);
  Expr epilogue_at(const Node& accumulator, const Node* epilogue, const Layout& at);
  Strided operand(const Node& x);                ///< a product's, in memory: computed into some if it lies in none
  const Stored* stored_of(const Node& x) const;  ///< where x lies, or will once a planned kernel has run; else null
  void lower_beside(Writing& out, const Layout& at);  ///< what the kernel of out.self stores, and is not made of
  /// Writes x's value at the positions `at` gives for the domain's coordinates; returns its instruction.
  int lower(Writing& out, const Node& x, const Layout& at);
  int lower_new(Writing& out, const Node& x, const Layout& at);
  int lower_elementwise(Writing& out, const Node& x, const Layout& at);
  const nodes::Elementwise* square_in(const Writing& out, const Node& x) const;
  int plus_square(Writing& out, const nodes::Elementwise& square, const Layout& at, int sum);
  bool rounds_below(const Writing& out, const nodes::Elementwise& x) const;
  int lower_short_sum(Writing& out, const Node& x, const Layout& at);
  int lower_fold(Writing& out, const Node& x, const Layout& at);
  int lower_custom(Writing& out, const nodes::Custom& custom, const Layout& at);
  /// `value`, which is x's; stores it as well where it is an extra output.
  int stored(Writing& out, const Node& x, const Layout& at, int value);
  bool is_stored(const Writing& out, const Node& x) const;  ///< x is an extra output of the kernel being written
  /// Whether a row kernel can store x where it reads it at these positions.
  static bool can_store(const Writing& out, const Node& x, const Layout& at);
  int lower_view(Writing& out, const Node& x, const nodes::View& view, const Layout& at);
  int lower_remap(Writing& out, const Node& x, const nodes::Remap& remap, const Layout& at);
  int lower_source(Writing& out, const nodes::Remap& remap, RemapFrame& frame);
  int lower_within(Writing& out, const Node& source, const RemapFrame& frame);  ///< written over the frame's layouts
  std::optional<std::pair<int, int>> lower_piece(Writing& out, const Node& result, const NodePtr& piece,
                                                 const Shape& start);
  static int load(Writing& out, const Stored& x, const Layout& at);
  int lower_load_at(Writing& out, const Node& x, const nodes::LoadAt& what, const Layout& at);
  int lower_gather(Writing& out, const Node& x, const Layout& at);
  static int multiplied(Writing& out, int index, int64_t stride);
  int index_of(Writing& out, const nodes::LoadAt& what, const Layout& source, const Layout& at);
  Parameter parameter_of(const Node& x, const nodes::Constant& constant) const {
    return {constant.bits, graph_.number_of(x)};
  }
  /// Whether the kernel being written computes x, where it reads it or to store it.
  bool is_computed_by(const Writing& out, const Node& x) const {
    return is_pending(x) && (!owners_.materialized.count(&x) || is_stored(out, x));
  }
  /// The kernel being written needs x in memory: owners are assigned anew. Returns an instruction, which nothing reads.
  int materialize_first(const Node& x) {
    if (too_large_ == nullptr) too_large_ = &x;
    return 0;
  }
  /// What to materialize when x's kernel reads too much: an extra output; else the fused element-wise node with half of
  /// the others below it; where nothing fused in, a load at computed addresses, or the reduction or product that it
  /// takes in.
  const Node* what_to_materialize(const Node& x) const;
  /// The element-wise node that the kernel being written computes at most places, such as what a window reads: if at
  /// many, in memory it takes a load for each. Else null.
  const Node* computed_at_many(const Writing& out) const;

  const GraphStructure& graph_;
  const Ownership& owners_;
  const DeviceLimits& device_;
  const Allocate& allocate_;
  Plan plan_;
  const Node* too_large_ = nullptr;
};

/// Elements of a piece's region that follow each other in memory.
int64_t run_of(const Layout& region);

}  // namespace eglantine
