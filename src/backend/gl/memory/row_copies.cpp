#include "backend/gl/memory/row_copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/gl/memory/mapping.hpp"
#include "layout/layout.hpp"

namespace eglantine::gl {
namespace {

constexpr int64_t shared_bytes = int64_t{1} << 20;

/// Rows at even distances.
struct Line {
  int64_t rows, bytes, from_step, to_step;
};

/// Of a length that the compiler knows a row is one load and one store.
template <int64_t bytes>
void copy_elements(const Line& line, const std::byte* from, std::byte* to) {
  for (int64_t row = 0; row < line.rows; ++row, from += line.from_step, to += line.to_step)
    std::memcpy(to, from, bytes);
}

void copy_line(const Line& line, const std::byte* from, std::byte* to) {
  if (line.bytes == 1) return copy_elements<1>(line, from, to);
  if (line.bytes == 2) return copy_elements<2>(line, from, to);
  if (line.bytes == 4) return copy_elements<4>(line, from, to);
  for (int64_t row = 0; row < line.rows; ++row, from += line.from_step, to += line.to_step)
    std::memcpy(to, from, static_cast<size_t>(line.bytes));
}

/// Goes through the lines of a copy: rows along the last axis.
class Lines {
 public:
  Lines(const lower::Copy& copy, int64_t number) : starts_(copy.starts), ends_(copy.ends), at_(copy.starts.shape) {
    from_ = starts_.offset, to_ = ends_.offset;
    for (int axis = last_axis() - 1; axis >= 0; --axis) {
      move(axis, at_[axis] = number % starts_.shape[axis]);
      number /= starts_.shape[axis];
    }
  }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  int last_axis() const { return starts_.shape.rank() - 1; }

  void next() {
    for (int axis = last_axis() - 1; axis >= 0; --axis) {
      move(axis, 1);
      if (++at_[axis] < starts_.shape[axis]) return;
      move(axis, -std::exchange(at_[axis], 0));
    }
  }

 private:
  void move(int axis, int64_t steps) {
    from_ += steps * starts_.strides[static_cast<size_t>(axis)];
    to_ += steps * ends_.strides[static_cast<size_t>(axis)];
  }

  const Layout &starts_, &ends_;
  Shape at_;
  int64_t from_ = 0, to_ = 0;
};

/// The bytes of rows that begin at those addresses, and what lies between them.
layout::Reach reach_of(const Layout& addresses, int64_t bytes) {
  const layout::Reach starts = layout::reach(addresses);
  return {starts.first, starts.last + bytes - 1};
}

}  // namespace

void copy_rows(const lower::Copy& copy, int64_t begin, int64_t end, const std::byte* from, std::byte* to) {
  const int64_t length = copy.starts.shape[copy.starts.shape.rank() - 1];
  const int64_t from_step = copy.starts.strides.back(), to_step = copy.ends.strides.back();
  Lines lines(copy, begin / length);
  for (int64_t row = begin, first = begin % length; row < end; first = 0, lines.next()) {
    const int64_t rows = std::min(length - first, end - row);
    copy_line({rows, copy.bytes, from_step, to_step}, from + lines.from() + first * from_step,
              to + lines.to() + first * to_step);
    row += rows;
  }
}

void RowCopies::run(const lower::Copy& copy, const MemoryBlock& from, const MemoryBlock& to) {
  const Functions& gl = context_.gl();
  const layout::Reach read = reach_of(copy.starts, copy.bytes), written = reach_of(copy.ends, copy.bytes);
  gl.BindBuffer(GL_COPY_READ_BUFFER, from.name);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, to.name);
  {
    Mapping source(context_, GL_COPY_READ_BUFFER, read.first, static_cast<size_t>(read.count()), GL_MAP_READ_BIT,
                   "copy");
    Mapping result(context_, GL_COPY_WRITE_BUFFER, written.first, static_cast<size_t>(written.count()),
                   GL_MAP_WRITE_BIT, "copy");
    share(copy, source.memory().data() - read.first, result.memory().data() - written.first);
    result.end();
    source.end();
  }
  gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
}

void RowCopies::share(const lower::Copy& copy, const std::byte* from, std::byte* to) {
  const int64_t rows = copy.rows(), grain = std::max<int64_t>(1, shared_bytes / copy.bytes);
  if (rows <= grain) return copy_rows(copy, 0, rows, from, to);
  if (!threads_) threads_.emplace(threads_for_memory(), "eglantine-rows");
  threads_->parallel_for(rows, grain, [&](int64_t begin, int64_t end) { copy_rows(copy, begin, end, from, to); });
}

}  // namespace eglantine::gl
