#pragma once

#include <cstdint>
#include <string>

namespace eglantine::lower {

/// Keys that an invocation sorts in registers: at most 543 comparisons. Longer texts take it long to compile.
inline constexpr int64_t longest_network = 64;
/// Records that it ranks: at most 496 comparisons, of three instructions.
inline constexpr int64_t most_ranked_records = 32;

/// EG_EACH_KEY(F) and EG_EACH_PAIR(F): the keys and the comparisons of a network that sorts so many.
std::string network_defines(int64_t keys);

}  // namespace eglantine::lower
