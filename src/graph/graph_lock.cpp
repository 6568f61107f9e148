#include "graph/graph_lock.hpp"

#include "system/forked.hpp"

namespace eglantine {

namespace {

/// Made before anything runs, and never destroyed where that does nothing: tensors in static storage may be older than
/// any other static, and outlive it.
constinit std::mutex mutex;

}  // namespace

GraphLock::GraphLock() {
  require_own_process("Device");
  lock_ = std::unique_lock(mutex);
}

}  // namespace eglantine
