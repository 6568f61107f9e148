#include "graph/graph_lock.hpp"

#include <utility>
#include <vector>

#include "system/forked.hpp"

namespace eglantine {

namespace {

/// Initialised before any static tensor, and not destroyed where that does nothing, as such tensors may outlive it.
constinit std::mutex mutex;

thread_local constinit bool makes_parts = false;

std::vector<std::shared_ptr<const void>>& held() {
  thread_local std::vector<std::shared_ptr<const void>> parts;
  return parts;
}

}  // namespace

PlanParts::PlanParts() noexcept { makes_parts = true; }
PlanParts::~PlanParts() {
  held().clear();
  makes_parts = false;
}
bool PlanParts::are_made() noexcept { return makes_parts; }
void PlanParts::hold(std::shared_ptr<const void> part) { held().push_back(std::move(part)); }

GraphLock::GraphLock() {
  if (makes_parts) return;
  require_own_process("Device");
  lock_ = std::unique_lock(mutex);
}

}  // namespace eglantine
