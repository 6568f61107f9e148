#include "graph/planning/recomputation/fusion.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "graph/op/op_info.hpp"
#include "graph/traversal.hpp"

namespace eglantine {

namespace {

/// Whether reading a view of x at `elements` places costs next to nothing.
bool is_far_smaller(const Node& x, int64_t elements) {
  constexpr int64_t times = 8;
  return x.as<nodes::Iota>() || x.as<nodes::Constant>() || x.shape.elements() * times <= elements;
}

/// Elements of memory that reading a view takes: a sector for each of its elements where they lie apart.
int64_t elements_read(const Layout& view) {
  constexpr int64_t sector = 8;
  int64_t apart = sector;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    const int64_t stride = std::abs(view.strides[static_cast<size_t>(axis)]);
    if (view.shape[axis] > 1 && stride > 0) apart = std::min(apart, stride);
  }
  return apart * view.shape.elements();
}

/// Whether a kernel that reads x reads it from memory.
bool ends_fusion(const Node& x) {
  const bool transparent = x.as<nodes::View>() || x.as<nodes::Remap>();
  return !transparent && !x.is_elementwise() && !x.as<nodes::Constant>() && !x.as<nodes::Iota>();
}

/// Whether several kernels that read x read what one has stored: x is no step of theirs, as a sum of floats may be.
bool is_stored_for_readers(const Node& x) {
  return x.as<nodes::Gather>() || (x.as<nodes::Reduce>() && x.dtype == DType::i32);
}

/// The pending nodes of a kind below x down to what is materialized.
template <class Is>
std::vector<const Node*> pending_below(const Node& x, const std::unordered_set<const Node*>& materialized, Is is) {
  std::vector<const Node*> found;
  for (const NodePtr& node : sources_first(sources_of(x), [&](const Node& each) { return !materialized.count(&each); }))
    if (is(*node)) found.push_back(node.get());
  return found;
}

}  // namespace

bool is_short_function(Op op) {
  return op == Op::exp || op == Op::log || op == Op::div || op == Op::reciprocal || op == Op::sqrt || op == Op::rsqrt;
}

std::vector<const Node*> fused_below(const Node& x, const std::unordered_set<const Node*>& materialized) {
  return pending_below(x, materialized, [](const Node& node) { return node.is_elementwise(); });
}

std::vector<const Node*> loads_below(const Node& x, const std::unordered_set<const Node*>& materialized) {
  return pending_below(x, materialized, [](const Node& node) { return node.as<nodes::LoadAt>() != nullptr; });
}

bool is_elementwise_to_memory(const Node& x, const std::unordered_set<const Node*>& materialized) {
  return x.is_elementwise() && pending_below(x, materialized, ends_fusion).empty();
}

bool is_elementwise_to_less(const Node& x, const std::unordered_set<const Node*>& materialized) {
  const auto is_entered = [&](const Node& node) {
    return materialized.count(&node) == 0 && !is_far_smaller(node, x.shape.elements());
  };
  const std::vector<NodePtr> below = sources_first(sources_of(x), is_entered);
  return x.is_elementwise() && std::ranges::none_of(below, [](const NodePtr& node) { return ends_fusion(*node); });
}

bool is_recomputed(const Node& x, const std::unordered_set<const Node*>& materialized,
                   const std::unordered_set<const Node*>& forced, const Recomputing& most) {
  // What a copy is of lies in memory already, where it is read as well.
  const auto* copy = x.as<nodes::Elementwise>();
  if (copy != nullptr && copy->op == Op::copy && copy->args[0]->is_computed()) return true;
  int operations = 0, functions = 0;
  int64_t bytes = 0;  // that are read instead of x's
  const auto is_narrower = [&](const Node& node, const Layout* view = nullptr) {
    if (!node.is_computed()) return false;
    const int64_t all = node.shape.elements(),
                  read = view != nullptr && most.of_views ? std::min(all, elements_read(*view)) : all;
    bytes += read * bytes_of(node.stored().storage);
    return most.times * bytes <= x.shape.elements() * bytes_of(dense_storage(x.dtype));
  };
  const std::function<bool(const Node&)> is_cheap = [&](const Node& node) {
    if (node.as<nodes::Constant>() || node.as<nodes::Iota>()) return true;
    if (const auto* view = node.as<nodes::View>()) {
      const Node& source = *view->source;
      if (is_far_smaller(source, x.shape.elements()) || is_narrower(source, &view->layout)) return true;
      return source.is_elementwise() && source.shape.elements() <= x.shape.elements() && is_cheap(source);
    }
    if (node.is_computed()) return is_narrower(node);
    if (most.of_kernels && is_stored_for_readers(node)) return true;
    const auto* elementwise = node.as<nodes::Elementwise>();
    if (elementwise == nullptr || materialized.count(&node) || forced.count(&node)) return false;
    const auto is_constant = [](const NodePtr& arg) { return !arg || arg->as<nodes::Constant>(); };
    const bool is_uniform = std::all_of(elementwise->args.begin(), elementwise->args.end(), is_constant);
    const bool is_long = !is_uniform && has_many_steps(elementwise->op, elementwise->args[0]->dtype);
    if (is_long && (++functions > most.functions || !is_short_function(elementwise->op))) return false;
    return ++operations <= most.operations && std::all_of(elementwise->args.begin(), elementwise->args.end(),
                                                          [&](const NodePtr& arg) { return !arg || is_cheap(*arg); });
  };
  return is_cheap(x);
}

namespace {

/// Counts the operations of an expression that reads far fewer elements than it has, or at most half of those of its
/// sums.
class StepsOfBroadcast {
 public:
  StepsOfBroadcast(int64_t elements, int64_t sums, int64_t most, const std::unordered_set<const Node*>& materialized,
                   const std::unordered_set<const Node*>& forced)
      : elements_(elements), sums_(sums), most_(most), materialized_(materialized), forced_(forced) {}

  /// Whether x is one, of at most so many operations with those counted before.
  bool count(const Node& x) {
    if (is_far_smaller(x, elements_) || 2 * x.shape.elements() <= sums_) return true;
    if (const auto* view = x.as<nodes::View>()) return count(*view->source);
    const auto* elementwise = x.as<nodes::Elementwise>();
    if (elementwise == nullptr || x.is_computed() || materialized_.count(&x) != 0 || forced_.count(&x) != 0)
      return false;
    constexpr int64_t many = 8;
    steps_ += has_many_steps(elementwise->op, elementwise->args[0]->dtype) ? many : 1;
    return steps_ <= most_ && std::all_of(elementwise->args.begin(), elementwise->args.end(),
                                          [&](const NodePtr& arg) { return !arg || count(*arg); });
  }

 private:
  int64_t elements_, sums_, most_, steps_ = 0;
  const std::unordered_set<const Node*>&materialized_, &forced_;
};

}  // namespace

bool is_short_sum(const Node& x, const std::unordered_set<const Node*>& materialized,
                  const std::unordered_set<const Node*>& forced) {
  constexpr int64_t most_steps = 12;  // of all elements: more take a software device longer than an access of memory
  const auto* reduce = x.as<nodes::Reduce>();
  if (reduce == nullptr || reduce->reduction != Reduction::sum || x.dtype != DType::f32 ||
      reduce->arg->dtype != DType::f32 || reduce->order.reduced.rank() != 1)
    return false;
  const Shape& shape = reduce->arg->shape;
  const int64_t length = shape[static_cast<int>(reduce->order.reduced[0])];
  return length > 0 && length <= layout::longest_pairwise_sum &&
         StepsOfBroadcast(shape.elements(), x.shape.elements(), most_steps / length, materialized, forced)
             .count(*reduce->arg);
}

namespace {

/// Halves of a fused node: a step of a sum of products is the same text again and again.
size_t halves_of(const Node& x) {
  const auto* elementwise = x.as<nodes::Elementwise>();
  if (elementwise != nullptr && elementwise->op == Op::multiply_add) return 1;
  return x.is_elementwise() ? 2 : 0;
}

size_t halves_below(const Node& x, const std::unordered_set<const Node*>& materialized) {
  size_t halves = 0;
  for (const Node* node : fused_below(x, materialized)) halves += halves_of(*node);
  return halves;
}

}  // namespace

std::unordered_set<const Node*> too_long_fusions(const Ownership& owners) {
  std::unordered_set<const Node*> cut, materialized = owners.materialized;
  std::unordered_map<const Node*, size_t> size;  // bounds the halves below: shared ones count several times
  for (const NodePtr& node : owners.order) {
    size_t& below = size[node.get()];
    below = halves_of(*node);
    for (const NodePtr& source : sources_of(*node))
      if (is_pending(*source) && !materialized.count(source.get())) below += size[source.get()];
    if (below <= 2 * max_fused || materialized.count(node.get())) continue;
    below = halves_below(*node, materialized) + halves_of(*node);
    const size_t most = max_fused + more_for_loads(loads_below(*node, materialized).size());
    if (below <= 2 * most || !node->is_elementwise()) continue;
    cut.insert(node.get());
    materialized.insert(node.get());
  }
  return cut;
}

}  // namespace eglantine
