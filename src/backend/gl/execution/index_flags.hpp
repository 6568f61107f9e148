#pragma once

#include <utility>
#include <vector>

#include "backend/gl/lowered.hpp"

namespace eglantine::gl {

class GlRuntime;

/// The unsettled checks: a word for each, which a kernel lowers to the smallest place of an index out of range, or when
/// a work group gave up waiting for another one (a stall error). Nothing waits for the device until a result is read;
/// one download then settles all of them.
class IndexFlags {
 public:
  /// Few, as a check keeps its index operands alive until it is settled.
  static constexpr int64_t capacity = 64;

  explicit IndexFlags(GlRuntime& runtime) : runtime_(runtime) {}

  /// Settles the open checks when no word is left.
  Flag open(const Expr& index, const IndexCheck& check);
  /// At most one for each kernel; part of the kernel's check where it has one.
  Flag open_stall_error(const std::string& function);
  /// The check opened since the last call, or null.
  CheckPtr take() {
    stall_error_ = {};
    return std::exchange(opened_, nullptr);
  }
  /// Throws DeviceError, which leaves the checks unsettled.
  void settle();

 private:
  struct PendingCheck {
    CheckPtr check;
    Expr index;
    IndexCheck about;  ///< of a stall error: the function alone
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
