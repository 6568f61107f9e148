#pragma once

#include <vector>

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

/// What the kernel of a node that is not element-wise reads, and how, from the node's kind and
/// whether it is a step of a row kernel. A reduction and its
/// like read each argument in an expression of its own, named by the address of a part of the node's value. A product
/// reads computed operands, but for the matrix of one with few columns, a gather a computed source; each piece of a
/// placement is a kernel.
namespace eglantine {

struct AccumulatorReads {
  struct Source {
    const NodePtr& node;
    Read read;
  };
  std::vector<Source> sources;
  const Node* materialized = nullptr;  ///< a copy that has to be in memory, whatever else reads it; or null
};

/// Of x in `kernel`; `rows`: the kernel's, if it computes rows.
AccumulatorReads accumulator_reads(const Node& x, const Node& kernel, const RowFolds* rows);

}  // namespace eglantine
