#include "graph/planning/recomputation/repeated_values.hpp"

#include <algorithm>

#include "graph/op/op_info.hpp"

namespace eglantine {
namespace {

/// Follows an expression along one axis.
class AlongAxis {
 public:
  explicit AlongAxis(int axis) : axis_(axis) {}

  bool repeats(const Node& x) {
    if (x.as<nodes::Constant>() || seen_.count(&x) != 0) return true;
    if (const auto* view = x.as<nodes::View>()) return view->layout.strides[static_cast<size_t>(axis_)] == 0;
    constexpr size_t most = 8;
    if (x.is_computed() || seen_.size() == most) return false;
    seen_.insert(&x);
    if (const auto* remap = x.as<nodes::Remap>())
      return remap->axes[static_cast<size_t>(axis_)].is_total() && repeats(*remap->source);
    const auto* elementwise = x.as<nodes::Elementwise>();
    return elementwise != nullptr && !has_many_steps(elementwise->op, elementwise->args[0]->dtype) &&
           std::ranges::all_of(elementwise->args, [&](const NodePtr& arg) { return !arg || repeats(*arg); });
  }

  const std::unordered_set<const Node*>& seen() const { return seen_; }

 private:
  int axis_;
  std::unordered_set<const Node*> seen_;  ///< operations
};

}  // namespace

bool repeats_along(const Node& x, int axis) { return AlongAxis(axis).repeats(x); }

bool is_computed_once(const Node& x, const std::unordered_set<const Node*>& materialized) {
  constexpr int64_t fewest_elements = int64_t{1} << 22, fewest_repeats = 32;
  if (x.shape.elements() < fewest_elements) return false;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    AlongAxis along(axis);
    const auto is_read = [&](const Node* node) { return materialized.count(node) != 0; };
    if (x.shape[axis] >= fewest_repeats && along.repeats(x) && std::ranges::none_of(along.seen(), is_read)) return true;
  }
  return false;
}

}  // namespace eglantine
