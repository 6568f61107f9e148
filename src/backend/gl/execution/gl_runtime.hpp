#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>

#include "backend/gl/context/workarounds.hpp"
#include "backend/gl/execution/index_flags.hpp"
#include "backend/gl/execution/launcher.hpp"
#include "backend/gl/execution/programs/program_cache.hpp"
#include "backend/gl/execution/texel_buffers.hpp"
#include "backend/gl/execution/timing/clock.hpp"
#include "backend/gl/execution/timing/kernel_timer.hpp"
#include "backend/gl/execution/timing/run_ahead.hpp"
#include "backend/gl/lowered.hpp"
#include "backend/gl/memory/hazards.hpp"
#include "backend/gl/memory/pool.hpp"
#include "backend/gl/memory/row_copies.hpp"
#include "backend/gl/memory/transfer.hpp"
#include "lower/lowering_cache.hpp"

namespace eglantine::gl {

/// A GL device: its context and everything that lives in it.
class GlRuntime {
 public:
  GlRuntime(const Candidate& candidate, bool gles, const Options& options);  ///< on this thread; throws DeviceError
  ~GlRuntime();

  const Target& target() const { return target_; }
  /// Lowers a kernel, or finds it in the lowering cache, and runs its steps.
  void run(const Kernel& kernel);
  void run(const Lowered& lowered, const CheckedIndex& checked = {});
  /// Compiles the program if it is new, inserts a barrier for hazards, binds, dispatches. Throws ShaderError,
  /// DeviceError.
  void dispatch(const Dispatch& dispatch);
  /// Copies by GL, after the kernels submitted so far.
  void copy(const Storage& from, const Storage& to, std::span<const CopyRange> ranges);
  /// An exchange buffer whose counters are zero. Several alternate, so that dispatches need not wait for each other.
  BufferPtr open_exchange();
  /// Whether the next kernels are worth a prepare(): a program among the last dispatches was new.
  bool looks_ahead() const;
  /// Begins to compile, in the background, what run() of the kernel will need. Throws what lowering throws.
  void prepare(const Kernel& kernel);
  void flush();  ///< submits what was dispatched
  std::unique_ptr<Storage> allocate(int64_t bytes);
  std::unique_ptr<Storage> allocate_for_reading(int64_t bytes);
  std::unique_ptr<Storage> allocate_where_host_sees(int64_t bytes);  ///< if there is such memory for kernels to write
  std::unique_ptr<Storage> copy_for_kernels(const Storage& from);
  IndexFlags& flags() { return flags_; }

  void upload(const Storage& to, int64_t offset, std::span<const std::byte> data);
  void upload_read(const Storage& to, int64_t bytes, const ReadBytes& read);
  void download(const Storage& from, int64_t offset, std::span<std::byte> data);
  void synchronize();
  void trim();
  MemoryInfo memory() const;
  void reset_peak();
  int64_t timestamp() { return clock_.now(); }
  Clock& clock() { return clock_; }
  KernelTimer& kernel_timer() { return kernel_timer_; }
  Launcher& launcher() { return launcher_; }
  const Driver& driver() const { return driver_; }
  int64_t dispatches() const { return dispatches_; }
  int64_t programs() const { return programs_.compiled(); }
  int64_t loaded_programs() const { return programs_.loaded(); }
  size_t held_programs() const { return programs_.size(); }

  Context& context() { return context_; }
  const Context& context() const { return context_; }

 private:
  /// A buffer of a lowered kernel, and the flag word or exchange that is bound in its place.
  struct Placeholder {
    const Buffer* buffer;
    Flag flag;
  };
  std::vector<Placeholder> placeholders(const Lowered& lowered, const CheckedIndex& checked);
  void run_step(const Dispatch& step, const std::vector<Placeholder>& bound);
  void run_step(const lower::Copy& step, const std::vector<Placeholder>& bound);
  void run_step(const lower::GatherRows& step, const std::vector<Placeholder>& bound);
  void copy_by_host(const lower::Copy& rows);
  /// What both ways to copy so many bytes have in common.
  void copy(const Storage& from, const Storage& to, int64_t bytes, const std::function<void()>& run);
  void validate(const Dispatch& dispatch) const;
  LinkedProgram& use_program(const Dispatch& dispatch);
  void remove_program(const lower::ProgramPtr& program);
  void bind(const Dispatch& dispatch);
  void flush_if_due();
  void note_waited();

  static constexpr std::chrono::microseconds first_flush_interval{20}, longest_flush_interval{100},
      flush_interval_of_long_kernels{300};

  Context context_;
  Driver driver_;
  Target target_;
  bool staged_;
  Fences fences_;
  RunAhead run_ahead_;
  HazardTracker hazards_;
  TexelBuffers texels_{context_};
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<Pool> results_;  ///< small buffers that the host sees; null where it sees all memory
  ProgramCache programs_;
  lower::LoweringCache lowerings_;
  std::unique_ptr<Transfer> transfer_;
  RowCopies row_copies_{context_};
  Clock clock_;
  KernelTimer kernel_timer_;
  Launcher launcher_;
  IdleClock idle_clock_;
  int64_t dispatches_ = 0;
  int64_t newest_program_ = 0;                             ///< number of the last dispatch whose program was new
  bool unfinished_ = true;                                 ///< work was submitted since the last wait for all
  bool unflushed_ = false;                                 ///< dispatches may not have been submitted to the device
  std::chrono::steady_clock::time_point first_unflushed_;  ///< when the first of them was dispatched
  std::chrono::nanoseconds unflushed_time_{};              ///< their expected time on the device, where it is known
  std::chrono::microseconds flush_interval_ = first_flush_interval;  ///< how long dispatches gather before a flush
  IndexFlags flags_{*this};
  std::array<BufferPtr, 32> exchanges_;  ///< each null until its first use
  size_t next_exchange_ = 0;
};

}  // namespace eglantine::gl
