#include "graph/planning/plan.hpp"

#include "graph/planning/fusion.hpp"
#include "graph/planning/kernel_graph.hpp"
#include "graph/planning/planner.hpp"

namespace eglantine {

namespace {

Plan planned(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate) {
  Ownership owners = assign_owners(roots, {}, device);
  std::unordered_set<const Node*> forced = too_long_fusions(owners);
  if (!forced.empty()) owners = assign_owners(roots, forced, device);
  while (true) {
    Planner planner(owners, device, allocate);
    if (std::optional<Plan> made = planner.run()) return std::move(*made);
    forced.insert(planner.too_large());
    owners = assign_owners(roots, forced, device);
  }
}

}  // namespace

/// Where row kernels would wait for others that wait for them, their reductions are kernels of their own.
Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate) {
  try {
    return planned(roots, device, allocate);
  } catch (const KernelCycle&) {
    DeviceLimits without_rows = device;
    without_rows.longest_row = 0;
    return planned(roots, without_rows, allocate);
  }
}

}  // namespace eglantine
