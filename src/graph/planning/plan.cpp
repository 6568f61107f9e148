#include "graph/planning/plan.hpp"

#include "graph/planning/fusion.hpp"
#include "graph/planning/planner.hpp"

namespace eglantine {

Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate) {
  if (roots.size() == 1 && stands_alone(*roots.front())) {
    Ownership owners;
    owners.order = roots;
    owners.materialized.insert(roots.front().get());
    owners.kernels.push_back(roots.front().get());
    return Planner(owners, device, allocate).run();
  }
  Ownership owners = assign_owners(roots, {});
  std::unordered_set<const Node*> forced = too_long_fusions(owners);
  if (!forced.empty()) owners = assign_owners(roots, forced);
  while (true) {
    try {
      return Planner(owners, device, allocate).run();
    } catch (const Cut& cut) {
      forced.insert(cut.materialize);
      owners = assign_owners(roots, forced);
    }
  }
}

}  // namespace eglantine
