#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "eglantine/error.hpp"

/// A backend that computes nothing and fails as it is told.
namespace eglantine::test {

/// What the backend is told, and what it was asked.
struct Orders {
  std::map<int64_t, std::string> outcome;  ///< by the number of the kernel: what its check comes to; "" is well
  int64_t failing = -1;                    ///< the kernel that throws at once
  int64_t room = 1000;                     ///< allocations before memory runs out, until the checks are settled
  int live = 0;                            ///< allocations that have not come back
  bool lost = false;
  int settled = 0;
  std::function<void()> in_run, in_idle;  ///< faults of any kind
};

class NoMemory : public Storage {
 public:
  explicit NoMemory(std::shared_ptr<Orders> orders) : orders_(std::move(orders)) { ++orders_->live; }
  ~NoMemory() override { --orders_->live; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

 private:
  std::shared_ptr<Orders> orders_;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(std::shared_ptr<Orders> orders) : orders_(std::move(orders)) {}

  const DeviceInfo& info() const override { return info_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::string explain(const Kernel&) const override { return ""; }
  std::unique_ptr<Storage> allocate(int64_t) override {
    if (orders_->room-- <= 0) throw OutOfMemoryError("no room");
    return std::make_unique<NoMemory>(orders_);
  }
  void upload(Storage&, int64_t, std::span<const std::byte>) override {}
  void download(const Storage&, int64_t, std::span<std::byte>) override {}
  CheckPtr run(const Kernel&) override {
    const int64_t number = kernels_++;
    if (orders_->in_run) orders_->in_run();
    if (number == orders_->failing) throw ShaderError("fails");
    if (!orders_->outcome.count(number)) return nullptr;
    open_.emplace_back(std::make_shared<Check>(), orders_->outcome[number]);
    return open_.back().first;
  }
  void settle() override {
    if (orders_->lost) throw DeviceError("lost");
    if (open_.empty()) return;
    ++orders_->settled;
    for (const auto& [check, error] : open_) check->settle(error.empty() ? Failure() : Failure::of<IndexError>(error));
    open_.clear();
    orders_->room = 1000;
  }
  void synchronize() override {
    if (orders_->lost) throw DeviceError("lost");
  }
  void idle() override {
    if (orders_->in_idle) orders_->in_idle();
  }
  MemoryInfo memory() const override { return {}; }
  void trim() override {}
  Statistics statistics() const override { return {}; }
  int64_t timestamp() override { return 0; }
  Mark mark() override { return {}; }
  int64_t time_of(const Mark&) override { return 0; }

 private:
  std::shared_ptr<Orders> orders_;
  DeviceInfo info_;
  Capabilities capabilities_;
  int64_t kernels_ = 0;
  std::vector<std::pair<CheckPtr, std::string>> open_;
};

}  // namespace eglantine::test
