#include "backend/gl/execution/gl_runtime.hpp"

#include <algorithm>

#include "backend/gl/context/environment.hpp"
#include "backend/gl/context/make_target.hpp"
#include "backend/gl/memory/host_memory.hpp"
#include "backend/gl/memory/imported_allocator.hpp"
#include "eglantine/error.hpp"
#include "graph/kernel/parts.hpp"
#include "lower/program_dispatch.hpp"
#include "system/main_memory.hpp"

namespace eglantine::gl {
namespace {

const GlStorage& gl_storage(const Storage& storage) { return static_cast<const GlStorage&>(storage); }

int64_t written_bytes(const Dispatch& dispatch) {
  int64_t bytes = 0;
  for (size_t i = 0; i < dispatch.ranges.size(); ++i)
    if ((dispatch.written >> i & 1U) != 0) bytes += dispatch.ranges[i].size;
  return bytes;
}

int64_t copied_bytes(std::span<const CopyRange> ranges) {
  int64_t bytes = 0;
  for (const CopyRange& range : ranges) bytes += range.size;
  return bytes;
}

bool wants_staging(const Context& context, const Driver& driver, TransferPath path) {
  if (context.gl().BufferStorage == nullptr || path == TransferPath::direct) return false;
  return path == TransferPath::staging || !in_force(Quirk::slow_staging, driver);
}

int64_t memory_budget(const Driver& driver, const Options& options) {
  if (options.memory_budget) return *options.memory_budget;
  return in_force(Quirk::memory_of_the_host, driver) ? host_memory() / 2 : 0;
}

std::unique_ptr<ExportedMemory> source_of(const Context& context, const Driver& driver, const Candidate& candidate,
                                          const Options& options) {
  if (options.exported_memory) return options.exported_memory();
  return in_force(Quirk::small_pages, driver) ? cuda_memory(uuid_of(context, candidate)) : nullptr;
}

IdleClock::Hold clock_holder(const Context& context, const Driver& driver, const Candidate& candidate,
                             const Options& options) {
  if (options.hold_clock) return options.hold_clock;
  const ClockKind kind = clock_setting();
  if (kind == ClockKind::free || !in_force(Quirk::idle_clock, driver)) return nullptr;
  return cuda_context(uuid_of(context, candidate), kind == ClockKind::kept ? 0 : memory_to_spare);
}

/// glBufferSubData cannot write imported memory, which therefore needs staging.
std::unique_ptr<Allocator> make_allocator(Context& context, const Driver& driver, bool staged,
                                          const Candidate& candidate, const Options& options) {
  auto plain = std::make_unique<GlAllocator>(context, !staged);
  const MemoryKind kind = options.memory == MemoryKind::automatic ? memory_setting() : options.memory;
  const bool possible = staged && context.gl().BufferStorageMemEXT != nullptr;
  if (kind == MemoryKind::plain || (kind == MemoryKind::automatic && !possible)) return plain;
  auto source = possible ? source_of(context, driver, candidate, options) : nullptr;
  if (source != nullptr) return std::make_unique<ImportedAllocator>(context, std::move(plain), std::move(source));
  if (kind == MemoryKind::automatic) return plain;
  throw DeviceError(
      "[Device::open] this device imports no memory: that takes GL_EXT_memory_object_fd, staging, and the CUDA "
      "driver's "
      "libcuda.so.1; unset EGLANTINE_MEMORY");
}

/// What tells one driver's programs from another's, and GL's from GLES's.
std::string origin_of(const Context& context) {
  std::string text;
  for (const GLenum part : {GL_VENDOR, GL_RENDERER, GL_VERSION, GL_SHADING_LANGUAGE_VERSION})
    text += context.text(part) + "\n";
  return text;
}

ProgramStore store_for(const Context& context, const Driver& driver) {
  return {gives_binaries(context) ? programs_folder(driver.software) : "", origin_of(context)};
}

ProgramSettings settings_of(const Context& context, const Driver& driver, const Target& target,
                            const Options& options) {
  const bool parallel = context.version().has("GL_KHR_parallel_shader_compile") ||
                        context.version().has("GL_ARB_parallel_shader_compile");
  return {.windowed = target.software,
          .computed_uniforms = in_force(Quirk::stale_uniforms, driver),
          .in_background = options.compiles_in_background.value_or(parallel)};
}

/// The largest buffer of the kernel in bytes, of those it reads and those it writes.
int64_t largest_buffer(const Kernel& kernel) {
  int64_t bytes = 0;
  for_each_buffer(kernel, [&](const BufferPtr& buffer) { bytes = std::max(bytes, buffer->bytes()); });
  return bytes;
}

}  // namespace

GlRuntime::GlRuntime(const Candidate& candidate, bool gles, const Options& options)
    : context_(candidate, gles, options),
      driver_(make_driver(context_, candidate)),
      target_(make_target(context_, driver_)),
      staged_(wants_staging(context_, driver_, options.transfer)),
      fences_(context_, options.timeout_nanoseconds.value_or(fence_timeout(in_force(Quirk::slow_kernels, driver_))),
              kernel_spin_factor * spin_nanoseconds(target_)),
      run_ahead_(context_, fences_),
      hazards_(context_, target_.texel_reads),
      pool_(std::make_shared<Pool>(context_, make_allocator(context_, driver_, staged_, candidate, options),
                                   memory_budget(driver_, options), target_.software ? nullptr : &hazards_)),
      results_(staged_ ? std::make_shared<Pool>(context_, std::make_unique<MappedAllocator>(context_), 0) : nullptr),
      programs_(context_, target_, settings_of(context_, driver_, target_, options), store_for(context_, driver_),
                options.most_programs.value_or(ProgramCache::most_programs),
                [this](const lower::ProgramPtr& program) { remove_program(program); }),
      lowerings_(target_, &unstored),
      transfer_(staged_ ? make_staged_transfer(context_, hazards_, fences_)
                        : make_direct_transfer(context_, hazards_, fences_)),
      clock_(context_, fences_),
      kernel_timer_(context_, clock_, target_),
      launcher_(context_, fences_, clock_, programs_, target_,
                options.longest_dispatch_nanoseconds.value_or(longest_dispatch())),
      idle_clock_(clock_holder(context_, driver_, candidate, options)) {
  target_.large_pages = pool_->large_pages() || (driver_.software && !target_.software);  // a GPU's forms
  target_.maps_memory = target_.software && !staged_;
}

GlRuntime::~GlRuntime() {
  pool_->close();
  if (results_) results_->close();
}

void GlRuntime::dispatch(const Dispatch& dispatch) {
  context_.require_not_lost();
  if (std::find(dispatch.groups.begin(), dispatch.groups.end(), 0U) != dispatch.groups.end()) return;
  validate(dispatch);
  idle_clock_.work_begins();
  LinkedProgram& program = use_program(dispatch);
  bind(dispatch);
  fences_.note_kernel(dispatch.name);
  const bool timing = kernel_timer_.is_timing();
  if (timing) kernel_timer_.before_dispatch(dispatch);
  dispatches_ += launcher_.launch(dispatch, program);
  const std::chrono::nanoseconds expected = launcher_.expected(program);
  unflushed_time_ += expected;
  if (programs_.has_new_code()) newest_program_ = dispatches_;
  if (programs_.has_new_code() && in_force(Quirk::late_compilation, driver_)) fences_.wait(fences_.insert());
  programs_.dispatched();
  if (timing) kernel_timer_.end_interval();
  unfinished_ = true;
  context_.check(dispatch.name);
  flush_if_due();
  run_ahead_.submitted(written_bytes(dispatch), expected);
}

bool GlRuntime::looks_ahead() const {
  constexpr int64_t few = 16;  // known programs among new ones
  return programs_.compiles_in_background() && dispatches_ - newest_program_ < few && !context_.lost();
}

/// Of what exceeds a block it is not known whether any memory holds it, and each block of it has steps of its own.
void GlRuntime::prepare(const Kernel& kernel) {
  if (largest_buffer(kernel) > target_.max_block_bytes) return;
  const Lowered* lowered = lowerings_.lower(kernel);
  if (lowered == nullptr) return;  // not cached: it would be lowered twice
  for (const lower::Step& step : lowered->steps)
    if (const auto* dispatch = std::get_if<Dispatch>(&step)) programs_.begin(*dispatch);
}

void GlRuntime::copy(const Storage& from, const Storage& to, std::span<const CopyRange> ranges) {
  const GLuint source = gl_storage(from).block().name, result = gl_storage(to).block().name;
  copy(from, to, copied_bytes(ranges), [&] {
    for (const CopyRange& range : ranges) copy_buffer(context_.gl(), source, result, range.from, range.to, range.size);
  });
}

void GlRuntime::copy(const Storage& from, const Storage& to, int64_t bytes, const std::function<void()>& run) {
  context_.require_alive();
  hazards_.before_copy(gl_storage(from).block(), false);
  hazards_.before_copy(gl_storage(to).block(), true);
  const bool timing = kernel_timer_.is_timing();
  if (timing) kernel_timer_.before_copies();
  run();
  if (timing) kernel_timer_.end_interval();
  unfinished_ = true;
  context_.check("copy");
  run_ahead_.submitted(bytes, {});
}

void GlRuntime::copy_by_host(const lower::Copy& rows) {
  const Storage &from = rows.from->storage(), &to = rows.to->storage();
  copy(from, to, rows.rows() * rows.bytes, [&] {
    fences_.wait(fences_.insert());  // mapping would wait without a time-out
    row_copies_.run(rows, gl_storage(from).block(), gl_storage(to).block());
  });
}

LinkedProgram& GlRuntime::use_program(const Dispatch& dispatch) {
  if (!kernel_timer_.is_timing()) return programs_.use(dispatch);
  const int64_t start = profile::host_now(), compiled = programs_.compiled();
  LinkedProgram& program = programs_.use(dispatch);
  if (programs_.compiled() > compiled) kernel_timer_.compiled(dispatch.name, start);
  return program;
}

void GlRuntime::remove_program(const lower::ProgramPtr& program) { kernel_timer_.remove_program(program); }

/// No driver checks all of these, and llvmpipe reads past the end of a buffer silently.
void GlRuntime::validate(const Dispatch& dispatch) const {
  const auto fail = [&](const std::string& what) { throw DeviceError("[" + dispatch.name + "] " + what); };
  const auto& groups = dispatch.groups;
  if (groups[0] > target_.max_groups_x || std::max(groups[1], groups[2]) > target_.max_groups) {
    fail("a dispatch of (" + std::to_string(groups[0]) + ", " + std::to_string(groups[1]) + ", " +
         std::to_string(groups[2]) + ") groups; the device takes " + std::to_string(target_.max_groups_x) +
         " along x and " + std::to_string(target_.max_groups) + " in any dimension");
  }
  if (static_cast<int64_t>(dispatch.ranges.size()) > target_.max_bindings) {
    fail(std::to_string(dispatch.ranges.size()) + " buffers in a kernel; the device binds " +
         std::to_string(target_.max_bindings));
  }
  for (const Range& range : dispatch.ranges) {
    const int64_t capacity = gl_storage(storage_of(range.storage)).block().capacity;
    const bool inside = range.offset >= 0 && range.size > 0 && range.offset + range.size <= capacity;
    if (inside && range.size <= target_.max_block_bytes && range.offset % target_.binding_alignment == 0) continue;
    fail("binds " + std::to_string(range.size) + " bytes at offset " + std::to_string(range.offset) +
         " of a buffer of " + std::to_string(capacity) + "; offsets are multiples of " +
         std::to_string(target_.binding_alignment) + " and a binding holds at most " +
         std::to_string(target_.max_block_bytes));
  }
}

void GlRuntime::bind(const Dispatch& dispatch) {
  const auto writes = [&](size_t i) { return (dispatch.written >> i & 1U) != 0; };
  for (size_t i = 0; i < dispatch.ranges.size(); ++i) {
    const Range& range = dispatch.ranges[i];
    const MemoryBlock& block = gl_storage(storage_of(range.storage)).block();
    hazards_.before_shader(block, writes(i), (dispatch.beside >> i & 1U) != 0);
    const auto place = static_cast<GLuint>(i);
    if (range.texels.width > 0)
      texels_.bind(place, block.name, range);
    else
      context_.gl().BindBufferRange(GL_SHADER_STORAGE_BUFFER, place, block.name, range.offset, range.size);
  }
  hazards_.begin_dispatch();
  for (size_t i = 0; i < dispatch.ranges.size(); ++i) {
    hazards_.after_shader(gl_storage(storage_of(dispatch.ranges[i].storage)).block(), writes(i));
  }
}

/// A GPU starts work at a flush, which costs as much as several small kernels, so intervals grow while nobody waits;
/// a wait or an idle queue flushes the rest. Long kernels do not overlap across a flush: work that runs over four times
/// as long as its submission took gets the longest interval at once.
void GlRuntime::flush_if_due() {
  if (in_force(Quirk::flushes, driver_)) return;
  const auto now = std::chrono::steady_clock::now();
  if (!unflushed_) first_unflushed_ = now;
  unflushed_ = true;
  if (now - first_unflushed_ < flush_interval_) return;
  const bool is_ahead = unflushed_time_ > 4 * (now - first_unflushed_);
  flush();
  flush_interval_ =
      is_ahead ? flush_interval_of_long_kernels : std::min(flush_interval_ * 3 / 2, longest_flush_interval);
}

void GlRuntime::flush() {
  if (!unflushed_ || context_.lost()) return;
  context_.gl().Flush();
  unflushed_ = false;
  unflushed_time_ = {};
}

std::unique_ptr<Storage> GlRuntime::allocate(int64_t bytes) {
  context_.require_not_lost();
  return pool_->allocate(bytes);
}

/// In host memory: kernels write it more slowly than device memory, but it saves the copy.
std::unique_ptr<Storage> GlRuntime::allocate_for_reading(int64_t bytes) {
  constexpr int64_t few = 256;
  return bytes > few ? allocate(bytes) : allocate_where_host_sees(bytes);
}

std::unique_ptr<Storage> GlRuntime::allocate_where_host_sees(int64_t bytes) {
  if (!results_) return allocate(bytes);
  context_.require_not_lost();
  try {
    return results_->allocate(bytes);
  } catch (const OutOfMemoryError&) {
    return allocate(bytes);
  }
}

std::unique_ptr<Storage> GlRuntime::copy_for_kernels(const Storage& from) {
  const GlStorage& source = gl_storage(from);
  if (source.block().host == nullptr) return nullptr;
  std::unique_ptr<GlStorage> copy = pool_->allocate(source.bytes());
  hazards_.before_copy(source.block(), false);
  hazards_.before_copy(copy->block(), true);
  copy_buffer(context_.gl(), source.block().name, copy->block().name, 0, 0, source.bytes());
  return copy;
}

BufferPtr GlRuntime::open_exchange() {
  BufferPtr& exchange = exchanges_[next_exchange_++ % exchanges_.size()];
  if (exchange) return exchange;
  const std::array<uint32_t, lower::exchange_counters> zeros{};
  BufferPtr made = unstored(lower::exchange_words * int64_t{sizeof(uint32_t)});
  made->set_storage(allocate(made->bytes()));
  upload(made->storage(), 0, std::as_bytes(std::span(zeros)));
  return exchange = std::move(made);
}

MemoryInfo GlRuntime::memory() const {
  MemoryInfo all = pool_->memory();
  if (!results_) return all;
  const MemoryInfo results = results_->memory();
  all.live += results.live;
  all.pooled += results.pooled;
  all.peak += results.peak;
  return all;
}

void GlRuntime::reset_peak() {
  pool_->reset_peak();
  if (results_) results_->reset_peak();
}

void GlRuntime::upload(const Storage& to, int64_t offset, std::span<const std::byte> data) {
  context_.require_alive();
  if (data.empty()) return;
  unfinished_ = true;
  transfer_->upload(gl_storage(to).block(), offset, data);
}

void GlRuntime::upload_read(const Storage& to, int64_t bytes, const ReadBytes& read) {
  context_.require_alive();
  unfinished_ = true;
  transfer_->upload_read(gl_storage(to).block(), bytes, read);
}

void GlRuntime::download(const Storage& from, int64_t offset, std::span<std::byte> data) {
  context_.require_not_lost();  // the transfer checks that the device is alive after its wait
  if (data.empty()) return;
  transfer_->download(gl_storage(from).block(), offset, data);
  unflushed_ = false;
  if (staged_) note_waited();  // its fence came after all other work
}

void GlRuntime::synchronize() {
  context_.require_alive();
  if (!unfinished_) return;
  fences_.wait(fences_.insert());
  note_waited();
}

void GlRuntime::note_waited() {
  unfinished_ = unflushed_ = false;
  run_ahead_.clear();
  unflushed_time_ = {};
  flush_interval_ = first_flush_interval;
}

void GlRuntime::trim() {
  context_.require_not_lost();
  exchanges_ = {};
  lowerings_.clear();
  pool_->trim();
  if (results_) results_->trim();
  transfer_->trim();
  texels_.release();
  programs_.clear();
  give_back_freed_memory();
}

}  // namespace eglantine::gl
