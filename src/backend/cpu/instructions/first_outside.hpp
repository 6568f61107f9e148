#pragma once

#include <mutex>
#include <optional>

#include "backend/cpu/instructions/block_ops.hpp"
#include "graph/kernel/index_check.hpp"

namespace eglantine::cpu {

/// The first index out of range over all threads: its place in the index tensor and its value.
class FirstOutside {
 public:
  void record(int64_t place, Word index) {
    const std::scoped_lock lock(mutex_);
    if (!place_ || place < *place_) {
      place_ = place;
      index_ = static_cast<int32_t>(index);
    }
  }
  void throw_if_any(const IndexCheck& check) const {
    if (place_) throw index_error(check, *place_, index_);
  }

 private:
  std::mutex mutex_;
  std::optional<int64_t> place_;
  int32_t index_ = 0;
};

}  // namespace eglantine::cpu
