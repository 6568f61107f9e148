#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/gl/lowered.hpp"

namespace eglantine::gl {

class GlRuntime;

/// Unsettled checks, a word each: kernels lower it to the smallest place of an index out of range, or when a work group
/// gave up waiting for another (a stall error). They are read, all at once, when a result is.
class IndexFlags {
 public:
  static constexpr int64_t capacity = 64;  ///< few: a check keeps its index operands alive until settled

  explicit IndexFlags(GlRuntime& runtime) : runtime_(runtime) {}

  Flag open(const CheckedIndex& checked);              ///< settles the open checks when no word is left
  Flag open_stall_error(const std::string& function);  ///< at most one a kernel; part of its check, if any
  /// The check opened since the last call, or null.
  CheckPtr take() {
    stall_error_ = {};
    return std::exchange(opened_, nullptr);
  }
  void settle();                                 ///< throws DeviceError, which leaves the checks unsettled
  void settle_readers_of(const Buffer& buffer);  ///< settle(), if a check's index is computed from it

 private:
  struct PendingCheck {
    CheckPtr check;
    int64_t number;  ///< of its word
    Expr index = {};
    IndexCheckPtr about = nullptr;  ///< null of a stall error
    Layout place = {};
    std::string stalled = {};  ///< the function of a stall error
  };
  int64_t stride() const;
  Flag next();
  BufferPtr stored(int64_t words);
  void make_space(int64_t words);
  Failure error_of(const PendingCheck& pending, uint32_t place);
  int32_t index_at(const PendingCheck& pending, uint32_t place);
  void clear();

  GlRuntime& runtime_;
  BufferPtr words_;
  int64_t used_ = capacity;  ///< of the words
  std::vector<PendingCheck> pending_;
  CheckPtr opened_;
  Flag stall_error_;
};

}  // namespace eglantine::gl
