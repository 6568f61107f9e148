#include "graph/planning/plan.hpp"

#include "graph/planning/assignment/assign_owners.hpp"
#include "graph/planning/decomposition/decompose.hpp"
#include "graph/planning/planner.hpp"
#include "graph/planning/recomputation/fusion.hpp"

namespace eglantine {

namespace {

/// Without the parts of decomposed nodes among its results, which are nodes for this plan alone.
Plan without_parts(Plan plan, const GraphStructure& graph) {
  const auto is_part = [&](const Node* node) { return graph.number_of(*node) < 0; };
  for (auto* results : {&plan.produced, &plan.seconds})
    std::erase_if(*results, [&](const auto& result) { return is_part(result.first); });
  std::erase_if(plan.fused, is_part);
  std::erase_if(plan.in_place, is_part);
  return plan;
}

/// Such placements are what is stored where they are read again, and not their pieces.
void note_taken_in(const std::vector<const Node*>& placements, Plan& plan) {
  std::unordered_set<const Node*> pieces;
  for (const Node* x : placements)
    for (const NodePtr& piece : x->as<nodes::Placement>()->pieces) pieces.insert(piece.get());
  std::erase_if(plan.fused, [&](const Node* node) { return pieces.count(node) != 0; });
  plan.fused.insert(plan.fused.end(), placements.begin(), placements.end());
}

}  // namespace

Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate) {
  GraphStructure graph;
  graph.read(roots);
  return plan(graph, roots, device, allocate);
}

Plan plan(const GraphStructure& graph, const std::vector<NodePtr>& roots, const DeviceLimits& device,
          const Allocate& allocate) {
  const Decomposition decomposed(roots, device);
  std::unordered_set<const Node*> forced = decomposed.stored();
  std::vector<NodePtr> results = roots;
  results.insert(results.end(), decomposed.compared().begin(), decomposed.compared().end());
  Ownership owners = assign_owners(results, forced, device);
  if (const std::unordered_set<const Node*> cut = too_long_fusions(owners); !cut.empty()) {
    forced.insert(cut.begin(), cut.end());
    owners = assign_owners(results, forced, device);
  }
  while (true) {
    Planner planner(graph, owners, device, allocate);
    if (std::optional<Plan> made = planner.run()) {
      note_taken_in(decomposed.taken_in(), *made);
      return without_parts(std::move(*made), graph);
    }
    forced.insert(planner.too_large());
    owners = assign_owners(results, forced, device);
  }
}

}  // namespace eglantine
