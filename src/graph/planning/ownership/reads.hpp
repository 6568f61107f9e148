#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/node.hpp"

/// How kernels read a node, while kernels are assigned (ownership.hpp).
namespace eglantine {

/// One reading of a node.
struct Read {
  const void* expression;       ///< that reads it, by name
  const Node* kernel;           ///< that the expression belongs to
  bool in_order = true;         ///< at the expression's own row-major position
  bool in_memory = false;       ///< by the kernel itself, from memory, through no expression
  bool ends_kernel = false;     ///< by the kernel's last expression, that of a materialized element-wise node
  bool as_piece = false;        ///< as it is, as a piece of the placement that is the kernel
  int64_t times = 1;            ///< by one expression, through so many views
  const Node* piece = nullptr;  ///< of a placement, whose expression it is

  bool is_extra_output() const { return ends_kernel && in_order; }
};
using Reads = std::vector<Read>;

inline Read read_by(const Node& kernel) { return {.expression = &kernel, .kernel = &kernel, .ends_kernel = true}; }

/// through_view: one more of those through which an expression reads the node.
inline void add_read(Reads& reads, const Read& read, bool through_view = false) {
  for (Read& known : reads)
    if (known.expression == read.expression && known.kernel == read.kernel && known.in_memory == read.in_memory &&
        known.in_order == read.in_order) {
      known.times = through_view ? known.times + read.times : std::max(known.times, read.times);
      return;
    }
  reads.push_back(read);
}

inline Reads out_of_order(Reads reads) {
  for (Read& read : reads) read.in_order = false;
  return reads;
}

inline bool by_several(const Reads& reads) {
  return std::any_of(reads.begin(), reads.end(),
                     [&](const Read& read) { return read.expression != reads.front().expression; });
}

inline bool read_in_memory(const Reads& reads) {
  return std::any_of(reads.begin(), reads.end(), [](const Read& read) { return read.in_memory; });
}

/// The reads of each pending node, as the kernels that read it become known.
class ReadsOfNodes {
 public:
  void add(const NodePtr& x, const Read& read, bool through_view = false) {
    if (is_pending(*x)) add_read(reads_[x.get()], read, through_view);
  }
  Reads take(const Node& x) { return std::move(reads_[&x]); }

 private:
  std::unordered_map<const Node*, Reads> reads_;
};

/// How a node is used, once all of its readers are assigned.
struct Uses {
  Reads reads;
  bool wanted = false;  ///< in memory, whatever reads it
  bool kept = false;    ///< computed once though it is read once here: it was fused before, or a derivative reads it

  bool again() const { return kept || by_several(reads); }
};

}  // namespace eglantine
