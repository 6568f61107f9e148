#include "backend/cpu/instructions/piecewise.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backend/cpu/instructions/runs.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

namespace {

/// The place where value + step * place comes to be at least `least` (step > 0), or ceases to be (step < 0).
int64_t passing(int64_t least, int64_t value, int64_t step) {
  return step > 0 ? ceil_divide(least - value, step) : (value - least) / -step + 1;
}

/// Rows of `places` elements, at most block_elements in all, into such that are `length` apart.
template <class T>
void copy_rows(StridedRows<const T> from, Word* to, int64_t length, int64_t rows, int64_t places) {
  if constexpr (std::is_same_v<T, Word>) return move_rows(from, {to, length, 1}, rows, places);
  Scratch<T, block_elements> apart;
  move_rows(from, {apart.data(), places, 1}, rows, places);
  if (places == length) return widen(apart.data(), to, rows * places);
  for (int64_t j = 0; j < rows; ++j) widen(apart.data() + j * places, to + j * length, places);
}

}  // namespace

PiecewiseElements::PiecewiseElements(const Expr& expr, const PiecewiseRead& read)
    : elements_(expr.operands[read.operand]),
      is_narrow_(is_narrow(expr.operands[read.operand].storage)),
      otherwise_(read.otherwise),
      length_(expr.domain[expr.domain.rank() - 1]) {
  function_of(elements_.layout());
  const auto iota = [&](int32_t number) { return function_of(expr.iotas[static_cast<size_t>(number)]); };
  for (const PiecewiseRead::Bound& bound : read.bounds) {
    conditions_.push_back({Condition::from, iota(bound.iota), 0});
    conditions_.push_back({Condition::below, iota(bound.iota), bound.count});
  }
  for (const PiecewiseRead::Jump& jump : read.jumps)
    conditions_.push_back({Condition::jump, iota(jump.iota), jump.from, jump.add, jump.times});
}

/// Its number, the same for the same layout; but the address stays by itself.
size_t PiecewiseElements::function_of(Layout layout) {
  Strides strides{0, layout.strides.back()};
  layout.shape.erase(layout.shape.rank() - 1);
  layout.strides.pop_back();
  if (layout.strides.empty()) layout = {{1}, {0}, layout.offset};
  strides.row = layout.strides.back();
  for (size_t i = 1; i < functions_.size(); ++i)
    if (layout::same(functions_[i], layout) && strides_[i].step == strides.step) return i;
  functions_.push_back(std::move(layout));
  strides_.push_back(strides);
  return functions_.size() - 1;
}

const Word* PiecewiseElements::read(int64_t start, int64_t count, Word* scratch) const {
  for (int64_t position = 0; position < count;) {
    const int64_t row = (start + position) / length_, place = (start + position) % length_, rest = count - position;
    const bool whole = place == 0 && rest >= length_;
    const int64_t rows = whole ? rest / length_ : 1, end = whole ? length_ : std::min(length_, place + rest);
    const int64_t taken = rows * (end - place);
    const Word* memory = read_rows({row, row + rows}, {place, end}, scratch + (position - place), taken == count);
    if (memory != nullptr) return memory;
    position += taken;
  }
  return scratch;
}

const Word* PiecewiseElements::read_rows(Range rows, Range places, Word* to, bool may_stay) const {
  std::array<int64_t, 16> few;  // more only where frames of padding are in one another
  std::vector<int64_t> many;
  if (functions_.size() > few.size()) many.resize(functions_.size());
  int64_t* values = many.empty() ? few.data() : many.data();
  const int64_t count = rows.size() * places.size();
  const Word* memory = nullptr;
  const auto take = [&](int64_t position, int64_t run) {
    visit_boxes({{0, run}, places, values[0], strides_[0]}, values, 0, [&](const Box& box, bool is_read) {
      if (is_read && may_stay && box.rows.size() * box.places.size() == count && is_contiguous(box))
        memory = first_of(box);
      else
        write(box, is_read, to + position * length_);
    });
  };
  for_runs(functions_.data(), functions_.size(), values, rows.first, rows.size(), take);
  return memory;
}

PiecewiseElements::Range PiecewiseElements::values_in(const Box& box, Values values, size_t function) const {
  const auto [row, step] = strides_[function];
  const int64_t first = values[function] + row * box.rows.first + step * box.places.first;
  const int64_t by_row = row * (box.rows.size() - 1), by_step = step * (box.places.size() - 1);
  const int64_t least = first + std::min<int64_t>(by_row, 0) + std::min<int64_t>(by_step, 0);
  return {least, least + std::abs(by_row) + std::abs(by_step) + 1};
}

template <class Visit>
void PiecewiseElements::visit_boxes(Box box, Values values, size_t number, const Visit& visit) const {
  for (; number < conditions_.size(); ++number) {
    const Condition& condition = conditions_[number];
    const Range range = values_in(box, values, condition.function);
    const bool passes = range.end > condition.least;
    if (passes && range.first < condition.least) {
      const auto [one, other] = cut(box, values, condition);
      visit_boxes(one, values, number, visit);
      return visit_boxes(other, values, number, visit);
    }
    if (condition.kind != Condition::jump && passes != (condition.kind == Condition::from)) return visit(box, false);
    if (condition.kind != Condition::jump || !passes) continue;
    box.address += condition.add + condition.times * values[condition.function];
    box.strides.row += condition.times * strides_[condition.function].row;
    box.strides.step += condition.times * strides_[condition.function].step;
  }
  visit(box, true);
}

/// In two where the function passes the condition's bound along one axis; halves the rows where it depends on both.
std::pair<PiecewiseElements::Box, PiecewiseElements::Box> PiecewiseElements::cut(const Box& box, Values values,
                                                                                 const Condition& condition) const {
  const auto [row, step] = strides_[condition.function];
  const int64_t value = values[condition.function];
  std::pair<Box, Box> boxes{box, box};
  const auto cut_at = [&](Range Box::*axis, int64_t place) {
    (boxes.first.*axis).end = (boxes.second.*axis).first = place;
  };
  if (row == 0 || box.rows.size() == 1)
    cut_at(&Box::places, passing(condition.least, value + row * box.rows.first, step));
  else if (step == 0 || box.places.size() == 1)
    cut_at(&Box::rows, passing(condition.least, value + step * box.places.first, row));
  else
    cut_at(&Box::rows, box.rows.first + box.rows.size() / 2);
  return boxes;
}

bool PiecewiseElements::is_contiguous(const Box& box) const {
  return !is_narrow_ && box.strides.step == 1 &&
         (box.rows.size() == 1 || (box.places.size() == length_ && box.strides.row == length_));
}

const Word* PiecewiseElements::first_of(const Box& box) const {
  const Word* first = nullptr;
  elements_.with_memory([&](const auto* memory) { first = reinterpret_cast<const Word*>(memory) + address_of(box); });
  return first;
}

void PiecewiseElements::write(const Box& box, bool is_read, Word* to) const {
  const auto [row, step] = is_read ? box.strides : Strides{0, 0};
  const int64_t rows = box.rows.size(), places = box.places.size();
  const bool merges = rows == 1 || (places == length_ && row == step * length_);
  to += box.rows.first * length_ + box.places.first;
  // Clang 14 captures no structured binding.
  const auto copy = [&, row = row, step = step]<class T>(const T* from) {
    if (merges) return gather_run(from, step, to, rows * places);
    copy_rows(StridedRows<const T>{from, row, step}, to, length_, rows, places);
  };
  if (!is_read) return copy(&otherwise_);
  elements_.with_memory([&](const auto* memory) { copy(memory + address_of(box)); });
}

}  // namespace eglantine::cpu
