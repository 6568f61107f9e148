#pragma once

#include <utility>

#include "backend/gl/runtime.hpp"

namespace eglantine::gl {

/// Another runtime, with the last of what it was told to dispatch.
class LastDispatch : public Runtime {
 public:
  explicit LastDispatch(Runtime& runtime) : runtime_(runtime) {}

  int64_t count() const { return count_; }
  Dispatch take() { return std::move(last_); }

  const Target& target() const override { return runtime_.target(); }
  void dispatch(const Dispatch& dispatch) override {
    runtime_.dispatch(dispatch);
    if (++count_ == 1) last_ = dispatch;
  }
  bool copy(const Strided& from, const Strided& to) override { return runtime_.copy(from, to); }
  std::unique_ptr<Storage> allocate(int64_t bytes) override { return runtime_.allocate(bytes); }
  BufferPtr open_exchange() override { return runtime_.open_exchange(); }
  Flag open_check(const Expr& index, const IndexCheck& check) override { return runtime_.open_check(index, check); }
  Flag open_alarm(const std::string& function) override { return runtime_.open_alarm(function); }

 private:
  Runtime& runtime_;
  int64_t count_ = 0;
  Dispatch last_;
};

}  // namespace eglantine::gl
