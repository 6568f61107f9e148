#include "graph/planning/recomputation/cheap_stencils.hpp"

#include <algorithm>

#include "graph/op/op_info.hpp"
#include "layout/axis_map.hpp"

namespace eglantine {

namespace {

/// What one element of an expression takes, down to memory: quick operations, and elements read.
class StepsOfStencil {
 public:
  StepsOfStencil(const std::unordered_set<const Node*>& materialized, const std::unordered_set<const Node*>& forced)
      : materialized_(materialized), forced_(forced) {}

  /// Whether x is one of a few, which rolls nothing along the axes that have `moved` already.
  bool count(const Node& x, uint32_t moved) {
    constexpr int most = 64;
    if (x.as<nodes::Constant>() || x.as<nodes::Iota>()) return true;
    if (x.is_computed() || materialized_.count(&x) != 0 || forced_.count(&x) != 0) return ++loads <= most;
    if (const auto* view = x.as<nodes::View>())
      return (view->source->is_computed() || view->source->as<nodes::Constant>()) && count(*view->source, moved);
    if (const auto* remap = x.as<nodes::Remap>()) {
      const uint32_t axes = rolled_axes(*remap);
      return (axes & moved) == 0 && count(*remap->source, moved | axes);
    }
    const auto* step = x.as<nodes::Elementwise>();
    if (step == nullptr || has_many_steps(step->op, step->args[0]->dtype)) return false;
    operations += steps_of(*step);
    return operations <= most &&
           std::ranges::all_of(step->args, [&](const NodePtr& arg) { return !arg || count(*arg, moved); });
  }

  int operations = 0, loads = 0;

 private:
  /// An order of floats tests for NaN, by operations of integers at half the rate.
  static int steps_of(const nodes::Elementwise& x) {
    constexpr int of_order = 12;
    const bool orders = x.op == Op::lt || x.op == Op::le || x.op == Op::gt || x.op == Op::ge;
    return orders && x.args[0]->dtype == DType::f32 ? of_order : 1;
  }

  const std::unordered_set<const Node*>&materialized_, &forced_;
};

}  // namespace

uint32_t rolled_axes(const nodes::Remap& x) {
  if (!layout::are_total(x.axes)) return ~uint32_t{0};
  uint32_t axes = 0;
  for (size_t axis = 0; axis < x.axes.size(); ++axis)
    if (!x.axes[axis].is_identity()) axes |= 1U << axis;
  return axes;
}

bool is_stencil_of_cheap(const Node& x, int64_t places, uint32_t moved,
                         const std::unordered_set<const Node*>& materialized,
                         const std::unordered_set<const Node*>& forced) {
  StepsOfStencil steps(materialized, forced);
  if (!x.is_elementwise() || x.shape.rank() == 0 || !steps.count(x, moved)) return false;
  // In hundredths of a picosecond an element, of a device of 4 TB/s. A dispatch decides of a few million elements or
  // fewer: life of 132,604 x 8 on an H200 23.5 us in three maps, 14.0 in one; of 24.7 million 138 and 166.
  constexpr int64_t of_byte = 24, of_dispatch = 200'000'000, of_load = 54, of_step = 3, most_loads = 16;
  const int64_t stored = 2 * of_byte * bytes_of(dense_storage(x.dtype)) + of_dispatch / x.shape.elements();
  const int64_t loads = places * steps.loads, more = loads - places;
  return loads <= most_loads && of_load * more + of_step * places * steps.operations <= stored;
}

}  // namespace eglantine
