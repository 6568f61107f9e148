#include "backend/cpu/cpu_backend.hpp"

#include <chrono>
#include <cstring>
#include <new>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/memory_pool.hpp"
#include "backend/profiling.hpp"
#include "eglantine/error.hpp"
#include "graph/op/op_info.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::cpu {

namespace {

// An operand costs the interpreter one pointer; the limit keeps a kernel's registers within the caches.
constexpr int64_t max_bindings = 64;
// A kernel of rows has some columns at a time in its buffers: of longer ones these pass the caches. Standardising four
// million elements of columns of 1000, 2000 and 10,389 takes it 7.7, 12 and 36 ms, and by kernels apart 8, 8 and 9.
constexpr int64_t longest_column = 1024;
// Shorter rows are sorted whole in less time.
constexpr int64_t shortest_selection = 8192;

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads)
      : info_(describe_cpu()),
        capabilities_{{.max_bindings = max_bindings,
                       .longest_column = longest_column,
                       .compacts_by_tiles = true,
                       .folds_together = false,
                       .shortest_selection = shortest_selection,
                       .row_chains = row_chains_setting()}},
        pool_(threads, "eglantine-cpu") {}

  const DeviceInfo& info() const override { return info_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::string explain(const Kernel& kernel) const override { return describe(kernel); }

  std::unique_ptr<Storage> allocate(int64_t bytes) override { return memory_->allocate(bytes); }

  void upload(Storage& to, int64_t offset, std::span<const std::byte> data) override {
    if (!data.empty()) std::memcpy(data_of(to) + offset, data.data(), data.size());
  }

  void upload_read(Storage& to, int64_t bytes, const ReadBytes& read) override {
    read({data_of(to), static_cast<size_t>(bytes)});
  }

  void download(const Storage& from, int64_t offset, std::span<std::byte> data) override {
    if (!data.empty()) std::memcpy(data.data(), data_of(from) + offset, data.size());
  }

  CheckPtr run(const Kernel& kernel) override {
    ++statistics_.kernels;
    if (output_of(kernel).layout.size() == 0) return nullptr;
    const int64_t start = profile::is_on() ? timestamp() : 0;
    const CheckPtr check = start_family(kernel);
    if (start != 0) profile::report(profile::subject_of(info_, kernel), start, {{start, timestamp()}});
    return check;
  }

  void synchronize() override {}  // run() returns after the kernel
  MemoryInfo memory() const override { return memory_->info(); }
  void reset_peak() override { memory_->reset_peak(); }
  void trim() override { memory_->trim(); }
  Statistics statistics() const override { return statistics_; }

  int64_t timestamp() override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
  Mark mark() override { return {.nanoseconds = timestamp()}; }
  int64_t time_of(const Mark& mark) override { return mark.nanoseconds; }

 private:
  /// Null where no index was out of range.
  CheckPtr start_family(const Kernel& kernel) {
    try {
      std::visit([this](const auto& family) { run_family(family); }, kernel);
      return nullptr;
    } catch (const IndexError&) {
      const auto check = std::make_shared<Check>();
      check->settle(Failure::current());
      return check;
    } catch (const std::bad_alloc&) {
      throw OutOfMemoryError("[cpu] out of memory: no room for the intermediate results of " + describe(kernel) +
                             " while tensors hold " + std::to_string(memory_->info().live) +
                             " bytes; free tensors, or work on smaller pieces");
    }
  }

  void run_family(const MapKernel& kernel) { run_map(kernel, pool_); }
  void run_family(const ReduceKernel& kernel) {
    is_arg(kernel.reduction) ? run_arg_reduce(kernel, pool_) : run_reduce(kernel, pool_);
  }
  void run_family(const MatmulKernel& kernel) { run_matmul(kernel, pool_); }
  void run_family(const FewColumnsKernel& kernel) { run_few_columns(kernel, pool_); }
  void run_family(const ContractionKernel& kernel) { run_contraction(kernel, pool_); }
  void run_family(const AttentionKernel& kernel) { run_attention(kernel, pool_); }
  void run_family(const AttentionGradientKernel& kernel) { run_attention_gradient(kernel, pool_); }
  void run_family(const ScanKernel& kernel) { run_scan(kernel, pool_); }
  void run_family(const RowKernel& kernel) { run_row(kernel, pool_); }
  void run_family(const SortKernel& kernel) { run_sort(kernel, pool_); }
  void run_family(const GatherKernel& kernel) { run_gather(kernel, pool_); }
  void run_family(const ScatterKernel& kernel) {
    if (kernel.is_compaction()) return run_compaction(kernel, pool_);
    kernel.distinct&& kernel.partial && !kernel.combine ? run_compact(kernel, pool_) : run_scatter(kernel, pool_);
  }
  void run_family(const TileKernel& kernel) { run_tiles(kernel, pool_); }

  DeviceInfo info_;
  Capabilities capabilities_;
  Statistics statistics_;
  std::shared_ptr<MemoryPool> memory_ = std::make_shared<MemoryPool>();
  ThreadPool pool_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<CpuBackend>(thread_count("Device::open")); }

}  // namespace eglantine::cpu
