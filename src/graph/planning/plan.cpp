#include "graph/planning/plan.hpp"

#include "graph/planning/fusion.hpp"
#include "graph/planning/planner.hpp"

namespace eglantine {

Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate) {
  GraphStructure graph;
  graph.read(roots);
  return plan(graph, roots, device, allocate);
}

Plan plan(const GraphStructure& graph, const std::vector<NodePtr>& roots, const DeviceLimits& device,
          const Allocate& allocate) {
  Ownership owners = assign_owners(roots, {}, device);
  std::unordered_set<const Node*> forced = too_long_fusions(owners);
  if (!forced.empty()) owners = assign_owners(roots, forced, device);
  while (true) {
    Planner planner(graph, owners, device, allocate);
    if (std::optional<Plan> made = planner.run()) return std::move(*made);
    forced.insert(planner.too_large());
    owners = assign_owners(roots, forced, device);
  }
}

}  // namespace eglantine
