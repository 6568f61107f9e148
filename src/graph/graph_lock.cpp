#include "graph/graph_lock.hpp"

#include "system/forked.hpp"

namespace eglantine {

namespace {

/// Initialised before any static tensor, and not destroyed where that does nothing, as such tensors may outlive it.
constinit std::mutex mutex;

}  // namespace

GraphLock::GraphLock() {
  require_own_process("Device");
  lock_ = std::unique_lock(mutex);
}

}  // namespace eglantine
