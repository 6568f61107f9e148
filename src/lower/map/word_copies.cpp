#include "lower/map/word_copies.hpp"

#include <algorithm>
#include <utility>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// Rows of narrow elements as the words that they fill, where all are whole vectors of words and begin at such.
std::optional<Strided> rows_as_words(const Strided& x) {
  const int64_t each = 4 / bytes_of(x.storage), vector = each * vector_width;
  Strided words{x.buffer, StorageType::u32, x.layout};
  const int inner = x.layout.shape.rank() - 1;
  if (x.layout.strides.back() != 1 || x.layout.shape[inner] % vector != 0 || x.layout.offset % vector != 0)
    return std::nullopt;
  words.layout.shape[inner] /= each;
  words.layout.offset /= each;
  for (int axis = 0; axis < inner; ++axis) {
    int64_t& stride = words.layout.strides[static_cast<size_t>(axis)];
    if (stride % vector != 0) return std::nullopt;
    stride /= each;
  }
  return words;
}

/// `count` elements in a line, as the words that they fill from a whole one on.
std::optional<Strided> as_words(const Strided& x, int64_t count) {
  const int64_t each = 4 / bytes_of(x.storage);
  const Layout& line = x.layout;
  if (line.shape.rank() != 1 || !line.is_contiguous() || line.offset % each != 0) return std::nullopt;
  return Strided{x.buffer, StorageType::u32, {{ceil_divide(count, each)}, {1}, line.offset / each}, x.whole};
}

/// Whether what jumps and bounds look at is the same along the last axis, and each jump is of whole vectors of words.
bool has_whole_pieces(const Expr& value, int64_t vector) {
  const PiecewiseRead& read = value.piecewise.front();
  const auto is_of_rows = [&](const auto& piece) {
    return value.iotas[static_cast<size_t>(piece.iota)].strides.back() == 0;
  };
  return !read.computed && read.otherwise == 0 && std::ranges::all_of(read.bounds, is_of_rows) &&
         std::ranges::all_of(read.jumps, [&](const PiecewiseRead::Jump& jump) {
           return is_of_rows(jump) && jump.add % vector == 0 && jump.times % vector == 0;
         });
}

/// The pieces of `value`, so many elements of which are a word, as words.
Expr in_words(const Expr& value, const Strided& words, int64_t each) {
  Expr made{words.layout.shape, {words}, value.iotas, {}, {{Op::load, DType::u32, {0, -1, -1}}}};
  for (Layout& iota : made.iotas) iota.shape = made.domain;
  PiecewiseRead read = value.piecewise.front();
  for (PiecewiseRead::Jump& jump : read.jumps) jump.add /= each, jump.times /= each;
  read.within = {read.within.first / each, read.within.last / each};
  made.piecewise.push_back(std::move(read));
  return made;
}

/// The same of what is read in pieces of whole rows, as of a roll: element by element a word would be as many loads.
std::optional<MapKernel> pieces_of_words(const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const Strided& from = value.operands.front();
  if (value.code.size() != 1 || value.code.front().op != Op::load || value.operands.size() != 1 ||
      !is_narrow(kernel.out.storage) || from.storage != kernel.out.storage)
    return std::nullopt;
  const int64_t each = 4 / bytes_of(from.storage);
  const std::optional<Strided> words = rows_as_words(from), out = rows_as_words(kernel.out);
  if (!words || !out || !has_whole_pieces(value, each * vector_width)) return std::nullopt;
  return MapKernel{in_words(value, *words, each), *out};
}

}  // namespace

std::optional<MapKernel> copy_of_words(const MapKernel& kernel) {
  if (!kernel.value.piecewise.empty()) return pieces_of_words(kernel);
  if (!is_only(kernel.value, Op::load) || !is_narrow(kernel.out.storage)) return std::nullopt;
  const Strided& from = kernel.value.operands.front();
  const int64_t count = kernel.value.domain.elements();
  const bool fills = kernel.out.whole || count * bytes_of(kernel.out.storage) % 4 == 0;
  if (from.storage != kernel.out.storage) return std::nullopt;
  if (kernel.value.domain.rank() > 1) {
    const std::optional<Strided> words = rows_as_words(from), out = rows_as_words(kernel.out);
    if (!words || !out) return std::nullopt;
    return MapKernel{load_of(*words), *out};
  }
  if (!fills) return std::nullopt;
  const std::optional<Strided> words = as_words(from, count), out = as_words(kernel.out, count);
  if (!words || !out) return std::nullopt;
  return MapKernel{load_of(*words), *out};
}

}  // namespace eglantine::lower
