#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "eglantine/error.hpp"

/// A backend that computes nothing and fails on request.
namespace eglantine::test {

/// The faults to produce, and a record of the calls.
struct FakeScript {
  std::map<int64_t, std::string> outcome;  ///< by the number of the kernel: its check's error; "" for success
  int64_t failing = -1;                    ///< the kernel that throws at once
  int64_t allocations_left = 1000;         ///< allocations before memory runs out, until the checks are settled
  int live = 0;                            ///< allocations that are not yet freed
  bool lost = false;
  int settled = 0;
  std::function<void()> in_run, in_idle;  ///< arbitrary faults
};

class NoMemory : public Storage {
 public:
  explicit NoMemory(std::shared_ptr<FakeScript> script) : script_(std::move(script)) { ++script_->live; }
  ~NoMemory() override { --script_->live; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

 private:
  std::shared_ptr<FakeScript> script_;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(std::shared_ptr<FakeScript> script) : script_(std::move(script)) {}

  const DeviceInfo& info() const override { return info_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::string explain(const Kernel&) const override { return ""; }
  std::unique_ptr<Storage> allocate(int64_t) override {
    if (script_->allocations_left-- <= 0) throw OutOfMemoryError("no memory");
    return std::make_unique<NoMemory>(script_);
  }
  void upload(Storage&, int64_t, std::span<const std::byte>) override {}
  void upload_read(Storage&, int64_t, const ReadBytes&) override {}
  void download(const Storage&, int64_t, std::span<std::byte>) override {}
  CheckPtr run(const Kernel&) override {
    const int64_t number = kernels_++;
    if (script_->in_run) script_->in_run();
    if (number == script_->failing) throw ShaderError("fails");
    if (!script_->outcome.count(number)) return nullptr;
    open_.emplace_back(std::make_shared<Check>(), script_->outcome[number]);
    return open_.back().first;
  }
  void settle() override {
    if (script_->lost) throw DeviceError("lost");
    if (open_.empty()) return;
    ++script_->settled;
    for (const auto& [check, error] : open_) check->settle(error.empty() ? Failure() : Failure::of<IndexError>(error));
    open_.clear();
    script_->allocations_left = 1000;
  }
  void synchronize() override {
    if (script_->lost) throw DeviceError("lost");
  }
  void idle() override {
    if (script_->in_idle) script_->in_idle();
  }
  MemoryInfo memory() const override { return {}; }
  void reset_peak() override {}
  void trim() override {}
  Statistics statistics() const override { return {}; }
  int64_t timestamp() override { return 0; }
  Mark mark() override { return {}; }
  int64_t time_of(const Mark&) override { return 0; }

 private:
  std::shared_ptr<FakeScript> script_;
  DeviceInfo info_;
  Capabilities capabilities_;
  int64_t kernels_ = 0;
  std::vector<std::pair<CheckPtr, std::string>> open_;
};

}  // namespace eglantine::test
