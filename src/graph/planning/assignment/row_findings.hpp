#pragma once

#include <unordered_set>

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

/// What one assignment of owners finds out about rows for the next one. Readers are assigned first: only once all of
/// them are does it show that what they read would have been a row kernel's.
namespace eglantine {

struct RowFindings {
  std::unordered_set<const Node*> alone;       ///< reductions that no other one of the same rows joins
  std::unordered_set<const Node*> results;     ///< of rows, whose readers cannot compute rows: materialized
  std::unordered_set<const Node*> values;      ///< of rows, from which such readers compute elements (row_values.hpp)
  std::unordered_set<const Node*> recomputed;  ///< RowValues::recomputed of these
  std::unordered_set<const Node*> without_folds;  ///< kernels of values of rows that no reduction joined

  size_t size() const { return alone.size() + results.size() + values.size() + without_folds.size(); }
};

/// Finds during one assignment what the readers of reductions make of their rows.
class RowResults {
 public:
  RowResults(RowFindings& found, const Ownership& owners, const DeviceLimits& device)
      : found_(found), owners_(owners), device_(device) {}

  /// The reader of x, whose rows these are, cannot compute rows. What it makes of them is materialized next time: their
  /// elements or the values that it computes those from, or what is one for each of them where several steps of a row
  /// are below it. `kernel`: the reader's.
  void note(const Node& x, const Node& kernel, const RowFolds& rows);

 private:
  void find_elements(const Node& elements, const Node& x, const Node& reader, const RowFolds& rows);
  void find_rows(const Node& x, const Node& reader, const RowFolds& rows);
  void find(const Node& result, std::unordered_set<const Node*>& results);
  void doubt(const Node& result);

  RowFindings& found_;
  const Ownership& owners_;
  const DeviceLimits& device_;
  std::unordered_set<const Node*> doubtful_;  ///< below results that this assignment found
};

}  // namespace eglantine
