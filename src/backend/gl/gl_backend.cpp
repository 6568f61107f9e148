#include "backend/gl/gl_backend.hpp"

#include <variant>

#include "backend/gl/context/make_target.hpp"
#include "backend/gl/devices/device_search.hpp"
#include "backend/gl/execution/gl_runtime.hpp"
#include "backend/gl/execution/programs/custom_error.hpp"
#include "backend/profiling.hpp"
#include "graph/kernel/cost.hpp"
#include "lower/attention/short_schedule.hpp"
#include "lower/row/schedule/schedule.hpp"

namespace eglantine::gl {
namespace {

class GlBackend : public Backend {
 public:
  GlBackend(const Candidate& candidate, const DeviceName& name, const Options& options)
      : runtime_(candidate, name.gles, options), target_(runtime_.target()) {
    info_ = describe_device(runtime_.context(), candidate, target_, runtime_.driver());
    info_.kind = name.kind();
    info_.spec = name.spec();
    capabilities_.max_bindings = target_.max_bindings;
    capabilities_.spin_nanoseconds = spin_nanoseconds(target_);
    capabilities_.longest_row = lower::longest_row(target_);
    capabilities_.enough_columns = lower::enough_columns(target_);
    // Fewer are read across in the time of another dispatch.
    capabilities_.rows_across = target_.software ? 0 : int64_t{1} << 20;
    capabilities_.compacts_by_tiles = !target_.software;
    capabilities_.dense_pieces = target_.maps_memory;
    capabilities_.masks_on_host = target_.software;
    capabilities_.line = target_.software ? 0 : 32;
    // A cache holds fewer, which are then read a second time in little time.
    capabilities_.extremes_together = target_.software ? 0 : int64_t{1} << 24;
    capabilities_.short_heads = lower::short_heads(target_);
    capabilities_.row_chains = row_chains_setting();
  }

  const DeviceInfo& info() const override { return info_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::string explain(const Kernel& kernel) const override {
    return describe(kernel) + "\n" + text_of(lower::lower(kernel, target_, &unstored), target_);
  }
  bool lost() const override { return runtime_.context().lost(); }

  std::unique_ptr<Storage> allocate(int64_t bytes) override { return runtime_.allocate(bytes); }
  std::unique_ptr<Storage> allocate_for_reading(int64_t bytes) override { return runtime_.allocate_for_reading(bytes); }
  std::unique_ptr<Storage> copy_for_kernels(const Storage& from) override { return runtime_.copy_for_kernels(from); }
  void upload(Storage& to, int64_t offset, std::span<const std::byte> data) override {
    runtime_.upload(to, offset, data);
  }
  void upload_read(Storage& to, int64_t bytes, const ReadBytes& read) override {
    runtime_.upload_read(to, bytes, read);
  }
  void download(const Storage& from, int64_t offset, std::span<std::byte> data) override {
    runtime_.download(from, offset, data);
  }
  bool looks_ahead() const override { return runtime_.looks_ahead(); }
  void prepare(const Kernel& kernel) override { runtime_.prepare(kernel); }
  CheckPtr run(const Kernel& kernel) override {
    ++kernels_;
    runtime_.launcher().expect(work_of(kernel));
    runtime_.flags().take();  // left over from a kernel that failed
    const auto start = [&] { start_family(kernel); };
    profile::is_on() ? runtime_.kernel_timer().time(profile::subject_of(info_, kernel), start) : start();
    return runtime_.flags().take();
  }
  void settle() override { runtime_.flags().settle(); }
  void settle_readers_of(const Buffer& buffer) override { runtime_.flags().settle_readers_of(buffer); }
  void synchronize() override { runtime_.synchronize(); }
  void idle() override {
    runtime_.flush();
    if (profile::is_on()) runtime_.kernel_timer().collect();
  }
  MemoryInfo memory() const override { return runtime_.memory(); }
  void reset_peak() override { runtime_.reset_peak(); }
  void trim() override { runtime_.trim(); }
  Statistics statistics() const override {
    return {.kernels = kernels_, .dispatches = runtime_.dispatches(), .programs = runtime_.programs()};
  }
  int64_t timestamp() override { return runtime_.clock().now(); }
  Mark mark() override { return runtime_.clock().mark(); }
  int64_t time_of(const Mark& mark) override { return runtime_.clock().take(mark); }
  void settle_profile() override { runtime_.kernel_timer().settle(); }

 private:
  void start_family(const Kernel& kernel) {
    try {
      runtime_.run(kernel);
    } catch (const CompileError& error) {
      if (const std::string text = custom_error(kernel, error); !text.empty()) throw ShaderError(text);
      throw;
    }
  }

  GlRuntime runtime_;
  Target target_;
  DeviceInfo info_;
  Capabilities capabilities_;
  int64_t kernels_ = 0;
};

}  // namespace

std::unique_ptr<Backend> open_candidate(const Candidate& candidate, const DeviceName& name, const Options& options) {
  return std::make_unique<GlBackend>(candidate, name, options);
}

}  // namespace eglantine::gl
