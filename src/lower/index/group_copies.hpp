#pragma once

#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The copies of an output in which a work group combines its updates before the output itself: in shared memory, so
/// that groups meet once for each of its elements, and several of each element, so that neighbouring invocations seldom
/// meet. On software devices each invocation has copies of its own. glsl/index/scatter.comp.
struct GroupCopies {
  int64_t places = 0;     ///< elements of the output; 0: there are no copies
  int64_t copies = 0;     ///< of each, a power of two
  int64_t words() const;  ///< of shared memory, a power of two
};

/// Where the copies fit and each of their elements has several updates of a group, whose updates are `chunk`.
GroupCopies group_copies_of(const Target& target, int64_t places, int64_t group_size, int64_t chunk);

}  // namespace eglantine::lower
