#pragma once

#include <cstdint>
#include <string>

namespace eglantine::lower {

/// Records that an invocation sorts in registers: at most 191 comparisons of a network, or 496 of ranks. Longer texts
/// take it long to compile, and to fetch.
inline constexpr int64_t longest_network = 32;

/// EG_EACH_KEY(F) and EG_EACH_PAIR(F): the keys and the comparisons of a network that sorts so many.
std::string network_defines(int64_t keys);

}  // namespace eglantine::lower
