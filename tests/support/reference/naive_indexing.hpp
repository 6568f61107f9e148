#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "eglantine/index.hpp"
#include "support/array.hpp"

/// NumPy's indexing, element by element.
namespace eglantine::test::naive {

using Item = std::variant<int64_t, Slice, NewAxis, Ellipsis, Array>;
using Items = std::vector<Item>;

/// Where each element of x[items] comes from, as row-major numbers in x, in i32; nothing for an index out of range.
std::optional<Array> positions(const Dims& shape, const Items& items);

/// The same items for the library.
std::vector<Index> to_indices(const Items& items);

}  // namespace eglantine::test::naive
