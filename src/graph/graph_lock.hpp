#pragma once

#include <memory>
#include <mutex>

namespace eglantine {

/// Holds the lock on the changing part of every node. Held while graphs are walked and planned, never while anything
/// waits for a device. Throws DeviceError in a child that was forked: another thread of its parent may have held it.
class GraphLock {
 public:
  GraphLock();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// While it lives, what this thread makes is part of the plan that it makes under the lock, and ends with it: its
/// further GraphLocks do nothing, and nothing is pending.
class PlanParts {
 public:
  PlanParts() noexcept;
  ~PlanParts();
  PlanParts(const PlanParts&) = delete;
  PlanParts& operator=(const PlanParts&) = delete;

  static bool are_made() noexcept;  ///< on this thread
  /// Keeps what further parts of the plan may share, until it ends.
  static void hold(std::shared_ptr<const void> part);
};

}  // namespace eglantine
