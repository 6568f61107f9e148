#pragma once

#include <string>
#include <vector>

#include "support/array.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {

/// Shapes of the lengths that a pattern names: "a?b bc>2 4..." are those of three arguments.
///
///   4     that length
///   b     a drawn length of 1 or more, the same wherever the letter stands
///   c>2   one above 2, wherever c stands further on
///   a?    one that may also be 0
///   ...   up to three further axes, the same wherever they stand; no more than a rank of 5
///
/// Most lengths are at most 7, some up to 33; all shapes together have at most `most` elements. Throws logic_error for
/// a pattern without such shapes.
std::vector<Dims> drawn_shapes(const std::string& pattern, Random& random, int64_t most);

/// " (2, 3) (3,)".
std::string text_of(const std::vector<Dims>& shapes);

}  // namespace eglantine::test
