#include "backend/gl/execution/index_flags.hpp"

#include <algorithm>
#include <utility>

#include "backend/gl/execution/gl_runtime.hpp"
#include "graph/kernel/index_check.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"

namespace eglantine::gl {
namespace {

constexpr uint32_t untouched = 0xffffffff;
constexpr int64_t word_bytes = 4;
// An index check and a stall error, reserved at once: space for the second alone would settle the first before it runs.
constexpr int64_t words_a_kernel = 2;

/// The expression at one coordinate of its domain.
Expr at(Expr expr, const Shape& coordinate) {
  const auto element = [&](const Layout& x) { return Layout{{1}, {1}, layout::address(x, coordinate)}; };
  for (Strided& operand : expr.operands) operand.layout = element(operand.layout);
  for (Layout& iota : expr.iotas) iota = element(iota);
  expr.domain = {1};
  return expr;
}

}  // namespace

Flag IndexFlags::open(const CheckedIndex& checked) {
  make_space(words_a_kernel);
  opened_ = std::make_shared<Check>();
  pending_.push_back({opened_, used_, *checked.index, checked.about, *checked.place});
  return next();
}

Flag IndexFlags::open_stall_error(const std::string& function) {
  if (stall_error_.buffer) return stall_error_;
  if (!opened_) {
    make_space(1);
    opened_ = std::make_shared<Check>();
  }
  pending_.push_back({.check = opened_, .number = used_, .stalled = function});
  return stall_error_ = next();
}

/// Each word starts where a binding may start.
int64_t IndexFlags::stride() const { return std::max<int64_t>(1, runtime_.target().binding_alignment / word_bytes); }

Flag IndexFlags::next() { return {words_, stride() * used_++}; }

/// Where the host sees them, so that whoever waits for a result reads them without a copy of its own: kernels write
/// words only where something is wrong.
BufferPtr IndexFlags::stored(int64_t words) {
  BufferPtr buffer = unstored(words * word_bytes);
  buffer->set_storage(runtime_.allocate_where_host_sees(buffer->bytes()));
  return buffer;
}

void IndexFlags::make_space(int64_t words) {
  if (used_ + words <= capacity) return;
  settle();
  clear();
}

void IndexFlags::clear() {
  if (!words_) {
    words_ = stored(capacity * stride());
    static_cast<const GlStorage&>(words_->storage()).block().apart = true;
  }
  const std::vector<uint32_t> words(static_cast<size_t>(capacity * stride()), untouched);
  runtime_.upload(words_->storage(), 0, std::as_bytes(std::span(words)));
  used_ = 0;
}

void IndexFlags::settle() {
  if (pending_.empty()) return;
  std::vector<uint32_t> words(static_cast<size_t>(used_ * stride()));
  runtime_.download(words_->storage(), 0, std::as_writable_bytes(std::span(words)));
  for (const PendingCheck& pending : std::exchange(pending_, {})) {
    const uint32_t place = words[static_cast<size_t>(pending.number * stride())];
    const Failure error = place == untouched ? Failure() : error_of(pending, place);
    if (error || !pending.check->settled()) pending.check->settle(error);
  }
}

void IndexFlags::settle_readers_of(const Buffer& buffer) {
  const auto reads = [&](const PendingCheck& pending) {
    const std::vector<Strided>& operands = pending.index.operands;
    return std::any_of(operands.begin(), operands.end(),
                       [&](const Strided& operand) { return operand.buffer.get() == &buffer; });
  };
  if (std::any_of(pending_.begin(), pending_.end(), reads)) settle();
}

Failure IndexFlags::error_of(const PendingCheck& pending, uint32_t place) {
  if (!pending.about)
    return Failure::of<DeviceError>(
        "[" + pending.stalled +
        "] a work group gave up waiting for another one: the driver does not keep resident groups running");
  try {
    return Failure::of<IndexError>(index_error(*pending.about, place, index_at(pending, place)).what());
  } catch (...) {
    return Failure::current();
  }
}

/// Kernels report only the place: the index itself is computed again, there alone.
int32_t IndexFlags::index_at(const PendingCheck& pending, uint32_t place) {
  const BufferPtr result = stored(1);
  runtime_.run(MapKernel{at(pending.index, first_reader(pending.place, place)),
                         {result, StorageType::i32, layout::contiguous(Shape{1})}});
  int32_t index = 0;
  runtime_.download(result->storage(), 0, std::as_writable_bytes(std::span(&index, 1)));
  return index;
}

}  // namespace eglantine::gl
