#pragma once

#include <string>
#include <vector>

#include "codegen/glsl_type.hpp"
#include "lower/contraction/few_columns/schedule.hpp"

namespace eglantine::lower {

inline std::string u(int64_t value) { return codegen::literal(static_cast<uint64_t>(value)); }
inline std::string u(size_t value) { return codegen::literal(value); }

/// Text that adds up the lanes' sums, GLSL variables of these names in the order of columns within rows (along rows a
/// vector for each column), and leaves the totals of each team in shared memory.
std::string text_of_gathering(const FewColumnsPlan& plan, const std::vector<std::string>& sums);

/// Along rows: columns whose sums are in shared memory at a time.
int64_t columns_at_once(const std::vector<std::string>& sums);

}  // namespace eglantine::lower
