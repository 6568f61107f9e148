#include "backend/gl/execution/index_flags.hpp"

#include <algorithm>
#include <utility>

#include "backend/gl/execution/gl_runtime.hpp"
#include "graph/index_check.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"

namespace eglantine::gl {
namespace {

constexpr uint32_t untouched = 0xffffffff;
constexpr int64_t word = 4;
// A kernel's indices, and its alarm: the first must not be settled before the kernel has run, to make room for the
// other.
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

Flag IndexFlags::open(const Expr& index, const IndexCheck& check) {
  make_room(words_a_kernel);
  opened_ = std::make_shared<Check>();
  open_.push_back({opened_, index, check, used_});
  return next();
}

Flag IndexFlags::open_alarm(const std::string& function) {
  if (alarm_.buffer) return alarm_;
  if (!opened_) {
    make_room(1);
    opened_ = std::make_shared<Check>();
  }
  IndexCheck about;
  about.function = function;
  open_.push_back({opened_, {}, about, used_, true});
  return alarm_ = next();
}

/// Each where a binding may begin.
int64_t IndexFlags::stride() const { return std::max<int64_t>(1, runtime_.target().binding_alignment / word); }

Flag IndexFlags::next() { return {words_, stride() * used_++}; }

BufferPtr IndexFlags::stored(int64_t words) {
  BufferPtr buffer = unstored(words * word);
  buffer->set_storage(runtime_.allocate(buffer->bytes()));
  return buffer;
}

void IndexFlags::make_room(int64_t words) {
  if (used_ + words <= capacity) return;
  settle();
  clear();
}

void IndexFlags::clear() {
  if (!words_) words_ = stored(capacity * stride());
  const std::vector<uint32_t> words(static_cast<size_t>(capacity * stride()), untouched);
  runtime_.upload(words_->storage(), 0, std::as_bytes(std::span(words)));
  used_ = 0;
}

void IndexFlags::settle() {
  if (open_.empty()) return;
  std::vector<uint32_t> words(static_cast<size_t>(used_ * stride()));
  runtime_.download(words_->storage(), 0, std::as_writable_bytes(std::span(words)));
  for (const Open& open : std::exchange(open_, {})) {
    const uint32_t place = words[static_cast<size_t>(open.number * stride())];
    const Failure error = place == untouched ? Failure() : error_of(open, place);
    if (error || !open.check->settled()) open.check->settle(error);
  }
}

Failure IndexFlags::error_of(const Open& open, uint32_t place) {
  if (open.alarm)
    return Failure::of<DeviceError>(
        "[" + open.about.function +
        "] a work group gave up waiting for another one: the driver does not keep resident groups running");
  try {
    return Failure::of<IndexError>(index_error(open.about, place, index_at(open, place)).what());
  } catch (...) {
    return Failure::current();
  }
}

/// Kernels only say where: the value is computed once more, there alone.
int32_t IndexFlags::index_at(const Open& open, uint32_t place) {
  const BufferPtr result = stored(1);
  runtime_.run(
      MapKernel{at(open.index, first_reader(open.about, place)), {result, DType::i32, layout::contiguous(Shape{1})}});
  int32_t index = 0;
  runtime_.download(result->storage(), 0, std::as_writable_bytes(std::span(&index, 1)));
  return index;
}

}  // namespace eglantine::gl
