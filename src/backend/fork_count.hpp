#pragma once

#include <cstdint>

namespace eglantine {

/// How many forks there have been on the way to this process, since this was first asked: another number in a child
/// than in its parent. getpid() would tell as much, but by a system call, which may cost as much as all the rest of
/// submitting a kernel.
int64_t fork_count();

}  // namespace eglantine
