#pragma once

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

}  // namespace eglantine
