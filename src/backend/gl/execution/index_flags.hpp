#pragma once

#include <utility>
#include <vector>

#include "backend/gl/lowered.hpp"

namespace eglantine::gl {

class GlRuntime;

/// The checks that are still open: a word for each, which a kernel lowers to the smallest place of an index out of
/// range, or when a group of it waited for another in vain (an alarm). Nothing waits for the device until somebody
/// wants to know; then one download tells of all of them.
class IndexFlags {
 public:
  /// A check keeps its indices until it is settled, so few are open at a time.
  static constexpr int64_t capacity = 64;

  explicit IndexFlags(GlRuntime& runtime) : runtime_(runtime) {}

  /// Settles those open when there are too many.
  Flag open(const Expr& index, const IndexCheck& check);
  /// A kernel has at most one alarm, which is part of its check where it has one.
  Flag open_stall_error(const std::string& function);
  /// The check opened since the last call, or null.
  CheckPtr take() {
    stall_error_ = {};
    return std::exchange(opened_, nullptr);
  }
  /// Throws DeviceError; the checks stay open then.
  void settle();

 private:
  struct PendingCheck {
    CheckPtr check;
    Expr index;
    IndexCheck about;  ///< of an alarm: the function alone
    int64_t number;    ///< of its word
    bool is_stall = false;
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
