#pragma once

#include <utility>

#include "lower/runtime.hpp"

namespace eglantine::gl {

/// Another runtime, and what it was told to dispatch, if that was one dispatch.
class OnlyDispatch : public Runtime {
 public:
  explicit OnlyDispatch(Runtime& runtime) : runtime_(runtime) {}

  bool is_there() const { return count_ == 1; }
  Dispatch take() { return std::move(first_); }

  const Target& target() const override { return runtime_.target(); }
  void dispatch(const Dispatch& dispatch) override {
    runtime_.dispatch(dispatch);
    if (++count_ == 1) first_ = dispatch;
  }
  void copy(const Buffer& from, const Buffer& to, std::span<const Stretch> stretches) override {
    runtime_.copy(from, to, stretches);
  }
  void read(const Buffer& from, int64_t offset, std::span<std::byte> data) override {
    runtime_.read(from, offset, data);
  }
  std::unique_ptr<Storage> allocate(int64_t bytes) override { return runtime_.allocate(bytes); }
  BufferPtr open_exchange() override { return runtime_.open_exchange(); }
  Flag open_check(const Expr& index, const IndexCheck& check) override { return runtime_.open_check(index, check); }
  Flag open_alarm(const std::string& function) override { return runtime_.open_alarm(function); }

 private:
  Runtime& runtime_;
  int64_t count_ = 0;
  Dispatch first_;
};

}  // namespace eglantine::gl
