#include "backend/cpu/families/contraction/contraction_side.hpp"

#include <algorithm>

#include "backend/cpu/instructions/rows.hpp"
#include "backend/cpu/instructions/runs.hpp"
#include "backend/cpu/memory_pool.hpp"
#include "graph/kernel/contraction.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t most_whole_words = int64_t{1} << 22;
constexpr int64_t most_lines = 192;  // of a tile; evaluating few at a time takes longer for each
// Of a tile that is copied run by run, and how many vectors it has at least where tiles are a multiple of the chunks
// that threads take (two threads: eight chunks), so that none has one chunk more.
constexpr int64_t most_copied_lines = 128, fewest_vectors = 3, chunks = 8;
constexpr int64_t lanes = product_columns(1);

/// Axes [first, end) of a layout.
Layout axes_of(const Layout& x, int first, int end, int64_t offset) {
  Layout some{{x.shape.begin() + first, x.shape.begin() + end}, {}, offset};
  some.strides.assign(x.strides.begin() + first, x.strides.begin() + end);
  return layout::collapsed(some);
}

}  // namespace

ContractionSide::ContractionSide(const Expr& expr, int kept, int64_t of_batch, int64_t summed, bool as_read)
    : lines_last_(lies_along_kept(expr, kept)),
      program_(lines_last_ ? turned(expr, 0, kept) : expr),
      lines_(of_batch),
      length_(summed),
      all_lines_(expr.domain.elements() / summed) {
  const bool loads = is_only(expr, Op::load) && expr.piecewise.empty();
  if (loads && kept > 0 && kept < expr.domain.rank() && !is_narrow(expr.operands.front().storage)) {
    const Strided& x = expr.operands.front();
    plain_ = Plain{reinterpret_cast<const Word*>(data_of(*x.buffer)), x.buffer->bytes() / bytes_of(x.storage),
                   axes_of(x.layout, kept, x.layout.shape.rank(), 0), axes_of(x.layout, 0, kept, x.layout.offset)};
  }
  const int64_t vectors = ceil_divide(lines_, lanes);
  tiles_ = ceil_divide(lines_, most_lines);
  if (as_read && plain_) {
    const int64_t even = round_up(ceil_divide(lines_, most_copied_lines), chunks);
    if (vectors >= even * fewest_vectors) tiles_ = even;
  }
  tile_ = std::min(lines_, ceil_divide(vectors, tiles_) * lanes);
}

int64_t ContractionSide::first(int64_t number) const {
  return std::min(lines_, ceil_divide(lines_, lanes) * number / tiles_ * lanes);
}

bool ContractionSide::is_read_in_place(int64_t others) const {
  // A copied element takes as long as five multiplications and a half, which of vectors that are half empty are more.
  constexpr int64_t copied_twice = 11, most_others = 32;
  if (!plain_ || !lines_last_ || inner_stride(plain_->lines) != 1 || others > most_others) return false;
  const int64_t run = std::min(lines_, plain_->lines.shape[plain_->lines.shape.rank() - 1]);
  return 2 * others * (product_columns(run) - run) <= copied_twice * run;
}

void ContractionSide::prepare(int64_t readers, ThreadPool& pool) {
  if (plain_ && plain_->lines.shape.rank() == 1 && plain_->steps.shape.rank() == 1 &&
      inner_stride(plain_->steps) == 1) {
    const Word* first = plain_->data + plain_->lines.offset;
    whole_ = Matrix{reinterpret_cast<std::byte*>(const_cast<Word*>(first)), StorageType::f32,
                    inner_stride(plain_->lines), 1};
    return;
  }
  if (readers <= 1 || all_lines_ * length_ > most_whole_words) return;
  values_ = Words(all_lines_ * length_);
  pool.parallel_for(all_lines_ * length_, chunk_elements, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program_);
    evaluate(evaluator, begin, end - begin, values_.data() + begin);
  });
  whole_ = Matrix{reinterpret_cast<std::byte*>(values_.data()), StorageType::f32, lines_last_ ? 1 : length_,
                  lines_last_ ? all_lines_ : 1};
}

void ContractionSide::evaluate(Evaluator& evaluator, int64_t start, int64_t count, Word* to) const {
  for (int64_t at = 0, some = 0; at < count; at += some) {
    some = program_.span(start + at, start + count);
    evaluator(start + at, some, nullptr, to + at);
  }
}

SideTile::SideTile(const ContractionSide& side, int64_t steps)
    : side_(side),
      evaluator_(side.program_),
      values_(side.whole_ ? 0 : (side.lines_last_ ? product_columns(side.tile_) : side.tile_) * steps) {}

void SideTile::find_runs(int64_t line, int64_t lines) {
  const ContractionSide::Plain& x = *side_.plain_;
  runs_.clear();
  for_runs(x.lines, line, lines, [&](int64_t position, int64_t length, int64_t address) {
    runs_.push_back({position, length, address, x.data + address});
  });
}

const std::vector<SideTile::Run>& SideTile::runs(int64_t batch, int64_t first, int64_t lines, int64_t k,
                                                 int64_t steps) {
  const ContractionSide::Plain& x = *side_.plain_;
  find_runs(batch * side_.lines_ + first, lines);
  offsets_.clear();
  const int64_t next = inner_stride(x.steps);
  for_runs(x.steps, k, steps, [&](int64_t, int64_t length, int64_t address) {
    for (int64_t i = 0; i < length; ++i) offsets_.push_back(address + i * next);
  });
  const int64_t furthest = *std::ranges::max_element(offsets_);
  const auto passes_the_end = [&](const Run& run) {
    return run.address + furthest + product_columns(run.length) > x.count;
  };
  if (std::ranges::any_of(runs_, passes_the_end)) runs_.clear();
  return runs_;
}

const int64_t* SideTile::step_offsets(int64_t stride, int64_t steps) {
  offsets_.resize(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) offsets_[static_cast<size_t>(i)] = i * stride;
  return offsets_.data();
}

void SideTile::copy(int64_t line, int64_t lines, int64_t k, int64_t steps) {
  const ContractionSide::Plain& x = *side_.plain_;
  const int64_t row = product_columns(lines), stride = inner_stride(x.lines), next = inner_stride(x.steps);
  find_runs(line, lines);
  for_runs(x.steps, k, steps, [&](int64_t position, int64_t length, int64_t address) {
    for (int64_t i = 0; i < length; ++i, address += next)
      for (const Run& run : runs_)
        move_run(x.data + run.address + address, stride, values_.data() + (position + i) * row + run.position,
                 run.length);
  });
}

Matrix SideTile::read(int64_t batch, int64_t first, int64_t lines, int64_t k, int64_t steps) {
  const int64_t line = batch * side_.lines_ + first;
  if (side_.whole_) return side_.whole_->at(line, k);
  const auto matrix = [&](int64_t line_stride, int64_t step_stride) {
    return Matrix{reinterpret_cast<std::byte*>(values_.data()), StorageType::f32, line_stride, step_stride};
  };
  if (!side_.lines_last_) {
    for (int64_t i = 0; i < lines; ++i)
      side_.evaluate(evaluator_, (line + i) * side_.length_ + k, steps, values_.data() + i * steps);
    return matrix(steps, 1);
  }
  const int64_t row = product_columns(lines);
  if (side_.plain_)
    copy(line, lines, k, steps);
  else
    for (int64_t i = 0; i < steps; ++i)
      side_.evaluate(evaluator_, (k + i) * side_.all_lines_ + line, lines, values_.data() + i * row);
  for (int64_t i = 0; row > lines && i < steps; ++i) std::fill_n(values_.data() + i * row + lines, row - lines, 0);
  return matrix(1, row);
}

}  // namespace eglantine::cpu
