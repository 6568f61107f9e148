#pragma once

#include <utility>
#include <vector>

#include "backend/gl/runtime.hpp"

namespace eglantine::gl {

class GlRuntime;

/// The checks of indices that are still open: a word for each, which a kernel lowers to the smallest place of an index
/// out of range. Nothing waits for the device until somebody wants to know; then one download tells of all of them.
class IndexFlags {
 public:
  /// A check keeps its indices until it is settled, so few are open at a time.
  static constexpr int64_t capacity = 64;

  explicit IndexFlags(GlRuntime& runtime) : runtime_(runtime) {}

  /// Settles those open when there are too many.
  Flag open(const Expr& index, const IndexCheck& check);
  /// The check opened since the last call, or null.
  CheckPtr take() { return std::exchange(opened_, nullptr); }
  /// Throws DeviceError; the checks stay open then.
  void settle();

 private:
  struct Open {
    CheckPtr check;
    Expr index;
    IndexCheck about;
    int64_t element;
  };
  std::exception_ptr error_of(const Open& open, uint32_t place);
  int32_t index_at(const Open& open, uint32_t place);
  void clear();

  GlRuntime& runtime_;
  BufferPtr words_;
  int64_t used_ = capacity;
  std::vector<Open> open_;
  CheckPtr opened_;
};

}  // namespace eglantine::gl
