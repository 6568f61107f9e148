#pragma once

#include "lower/contraction/few_columns/schedule.hpp"

namespace eglantine::lower {

/// Columns that a padded product has.
inline constexpr int64_t padded_columns = 16;

/// Whether a product is quicker with as many columns as the text for 16 has, of which the last are summed up and not
/// read. Of some numbers of columns NVIDIA's code is several times slower.
bool gains_by_padding(const Target& target, const FewColumnsProduct& product);

}  // namespace eglantine::lower
