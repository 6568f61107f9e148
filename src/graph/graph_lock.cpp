#include "graph/graph_lock.hpp"

#include "system/forked.hpp"

namespace eglantine {

namespace {

/// Initialised before any static tensor, and not destroyed where that does nothing, as such tensors may outlive it.
constinit std::mutex mutex;

thread_local constinit bool makes_parts = false;

}  // namespace

PlanParts::PlanParts() noexcept { makes_parts = true; }
PlanParts::~PlanParts() { makes_parts = false; }
bool PlanParts::are_made() noexcept { return makes_parts; }

GraphLock::GraphLock() {
  if (makes_parts) return;
  require_own_process("Device");
  lock_ = std::unique_lock(mutex);
}

}  // namespace eglantine
