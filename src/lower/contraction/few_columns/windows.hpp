#pragma once

#include <optional>
#include <vector>

#include "lower/contraction/few_columns/program.hpp"

namespace eglantine::lower {

/// A product in windows that one binding each covers, ordered by chunks.
struct FewColumnsWindows {
  std::vector<FewColumnsWindow> windows;
  int64_t chunk_quads = 0;  ///< the plan's, or shorter where a binding does not cover that much of k
  /// The columns do not fit a binding: each window has one chunk, and reads a copy of the columns' part in it.
  bool copies_columns = false;
};

/// Nothing where parts of the matrix are so scattered that only tiny windows would do.
std::optional<FewColumnsWindows> few_columns_windows(const Target& target, const FewColumnsProduct& product,
                                                     const FewColumnsPlan& plan);

}  // namespace eglantine::lower
