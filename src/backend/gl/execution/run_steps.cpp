#include <utility>

#include "backend/gl/execution/gl_runtime.hpp"
#include "lower/copies.hpp"

namespace eglantine::gl {

namespace {

/// Allocates a kernel's temporaries step by step; frees those that are left in its destructor.
class TemporaryStorage {
 public:
  TemporaryStorage(GlRuntime& runtime, const Lowered& lowered) : runtime_(runtime), lowered_(lowered) {}
  ~TemporaryStorage() {
    for (const lower::Temporary& x : lowered_.temporaries) x.buffer->set_storage(nullptr);
  }
  TemporaryStorage(const TemporaryStorage&) = delete;
  TemporaryStorage& operator=(const TemporaryStorage&) = delete;

  void before(size_t step) {
    for (const lower::Temporary& x : lowered_.temporaries)
      if (x.first == step) x.buffer->set_storage(runtime_.allocate(x.buffer->bytes()));
  }
  void after(size_t step) {
    for (const lower::Temporary& x : lowered_.temporaries)
      if (x.last == step) x.buffer->set_storage(nullptr);
  }

 private:
  GlRuntime& runtime_;
  const Lowered& lowered_;
};

}  // namespace

/// The buffers that stand for a flag or an exchange, and what to bind instead.
std::vector<GlRuntime::Placeholder> GlRuntime::placeholders(const Lowered& lowered, const CheckedIndex& checked) {
  std::vector<Placeholder> bound;
  if (lowered.index_flag) bound.push_back({lowered.index_flag.get(), flags_.open(checked)});
  if (lowered.stall_error)
    bound.push_back({lowered.stall_error->flag.get(), flags_.open_stall_error(lowered.stall_error->function)});
  if (lowered.exchange) bound.push_back({lowered.exchange.get(), {open_exchange(), 0}});
  return bound;
}

void GlRuntime::run(const Kernel& kernel) {
  const CheckedIndex checked = checked_index_of(kernel);
  if (const Lowered* known = lowerings_.lower(kernel)) return run(*known, checked);
  run(lower::lower(kernel, target_, &unstored), checked);  // not cached: it holds the kernel's buffers
}

void GlRuntime::run(const Lowered& lowered, const CheckedIndex& checked) {
  const std::vector<Placeholder> bound = placeholders(lowered, checked);
  TemporaryStorage storage(*this, lowered);
  for (size_t i = 0; i < lowered.steps.size(); ++i) {
    storage.before(i);
    std::visit([&](const auto& step) { run_step(step, bound); }, lowered.steps[i]);
    storage.after(i);
  }
}

void GlRuntime::run_step(const Dispatch& step, const std::vector<Placeholder>& bound) {
  if (bound.empty()) return dispatch(step);
  Dispatch with_flags = step;
  for (Range& range : with_flags.ranges)
    for (const auto& [buffer, flag] : bound)
      if (range.storage.buffer() == buffer) {
        range.storage = flag.buffer.get();
        range.offset += flag.element * int64_t{sizeof(uint32_t)};
      }
  dispatch(with_flags);
}

void GlRuntime::run_step(const lower::Copy& step, const std::vector<Placeholder>&) {
  if (lower::is_by_host(target_, step)) return copy_by_host(step);
  copy(step.from->storage(), step.to->storage(), lower::ranges_of(step));
}

void GlRuntime::run_step(const lower::GatherRows& step, const std::vector<Placeholder>&) {
  const layout::Reach reach = lower::indices_of_rows(*step.kernel);
  std::vector<int32_t> indices(static_cast<size_t>(reach.count()));
  download(step.kernel->index.operands.front().buffer->storage(), reach.first * int64_t{sizeof(int32_t)},
           std::as_writable_bytes(std::span(indices)));
  const GatherKernel& kernel = *step.kernel;
  if (const auto ranges = lower::copies_of_rows(kernel, indices))
    return copy(kernel.source.buffer->storage(), kernel.out.buffer->storage(), *ranges);
  run(*step.otherwise, {&step.kernel->index, step.kernel->check, &step.kernel->place});
}

}  // namespace eglantine::gl
