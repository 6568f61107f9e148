#pragma once

#include <unordered_set>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/planning/assignment/extra_outputs.hpp"
#include "graph/planning/assignment/row_findings.hpp"
#include "graph/planning/assignment/row_gathers.hpp"
#include "graph/planning/assignment/row_kernels.hpp"
#include "graph/planning/assignment/source_reads.hpp"
#include "graph/planning/ownership/depths.hpp"
#include "graph/planning/ownership/kernel_graph.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"
#include "graph/planning/recomputation/rolled_reads.hpp"

namespace eglantine {

/// Assigns nodes readers first: all readers of a node are known when it is assigned.
class Assigner {
 public:
  Assigner(const std::unordered_set<const Node*>& forced, const DeviceLimits& device, RowFindings& found)
      : forced_(forced),
        device_(device),
        found_(found),
        sources_(result_),
        rows_(result_, forced, device, found),
        gathers_(rows_, result_, graph_, forced),
        extra_outputs_(result_, graph_, forced, depths_) {}

  Ownership run(const std::vector<NodePtr>& roots);

 private:
  void assign(const Node& x);
  Uses uses_of(const Node& x);
  void assign_view(const Node& x, const nodes::View& view, const Uses& uses);
  void assign_remap(const Node& x, const nodes::Remap& remap, const Uses& uses);
  void assign_elementwise(const Node& x, const Uses& uses);
  void assign_gather(const Node& x, const Node& kernel, const Uses& uses);
  void assign_accumulator(const Node& x, const Uses& uses);
  bool assign_in_place(const Node& x, const Uses& uses);
  bool may_write(const Node& piece, const Node& contraction, const nodes::Placement& placement) const;

  bool is_materialized(const Node& x, const Uses& uses) const;
  bool is_recomputed_of_rows(const Node& x, const Uses& uses) const;
  const Node& elementwise_kernel_of(const Node& x, const Reads& reads);
  const Node& kernel_of(const Node& x, bool stored, const Reads& reads);
  Reads copied(const Node& x, const Reads& reads);
  void store(const Node& x, const Node& kernel, const Reads& reads);

  const std::unordered_set<const Node*>& forced_;
  const DeviceLimits& device_;
  const RowFindings& found_;
  std::unordered_set<const Node*> kept_;  ///< for derivatives that are being taken
  Depths depths_;
  RolledReads rolled_;
  std::vector<const Node*> elementwise_;  ///< kernels, the last assigned last
  KernelGraph graph_;
  Ownership result_;
  SourceReads sources_;
  RowKernels rows_;
  RowGathers gathers_;
  ExtraOutputs extra_outputs_;
};

}  // namespace eglantine
