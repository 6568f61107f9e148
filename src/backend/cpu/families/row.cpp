#include <algorithm>
#include <bit>
#include <cmath>

#include "backend/cpu/families/row.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t row_lanes = 256, run_steps = 16;

float number(Word bits) { return std::bit_cast<float>(bits); }
Word bits(float x) { return std::bit_cast<Word>(x); }

/// One thread's scratch for a line.
class RowWorker {
 public:
  explicit RowWorker(const RowTask& task)
      : task_(task),
        prologue_(task.prologue),
        epilogue_(task.epilogue),
        x_(task.length * task.width),
        e_(task.length * task.width),
        first_(task.width),
        second_(task.width),
        runs_(std::max(task.width, row_lanes) * 64) {}

  void run(int64_t line) {
    width_ = task_.width_of(line);
    read(line);
    const Word* y = value();
    if (!reduces(task_.op)) return write(line, y);
    const int64_t start = line * task_.width;
    task_.out.write(start, width_, epilogue_(start, width_, y));
    if (task_.mean) task_.mean->write(start, width_, first_.data());
  }

 private:
  /// Calls f(at, count, position in the line) for elements [at, at + count) of the domain, over all steps of the line.
  template <class F>
  void spans(int64_t line, const EvaluatorProgram& program, F f) {
    const int64_t spans_per_line = task_.strided ? task_.length : 1,
                  span_length = task_.strided ? width_ : task_.length;
    for (int64_t i = 0; i < spans_per_line; ++i) {
      const int64_t start = task_.strided ? i * task_.rows + line * task_.width : line * task_.length;
      for (int64_t at = start, count = 0; at < start + span_length; at += count) {
        count = program.span(at, start + span_length);
        f(at, count, i * width_ + (at - start));
      }
    }
  }

  void read(int64_t line) {
    spans(line, task_.prologue, [&](int64_t at, int64_t count, int64_t place) {
      Word* to = x_.data() + place;
      const Word* x = prologue_(at, count);
      std::copy(x, x + count, to);
    });
  }

  void write(int64_t line, const Word* y) {
    spans(line, task_.epilogue, [&](int64_t at, int64_t count, int64_t place) {
      task_.out.write(at, count, epilogue_(at, count, y + place));
    });
  }

  /// Pairwise sum (or maximum) over the steps of steps x lanes values: error O(log steps). depth < 64, as steps < 2^64.
  void fold(const ReductionBlocks& combine, const Word* x, int64_t steps, int64_t lanes, Word* out, int depth = 0) {
    if (steps <= run_steps) {
      std::copy(x, x + lanes, out);
      for (int64_t i = 1; i < steps; ++i) combine.accumulate(out, x + i * lanes, lanes);
      return;
    }
    const int64_t half = steps / 2;
    Word* other = runs_.data() + depth * lanes;
    fold(combine, x, half, lanes, out, depth + 1);
    fold(combine, x + half * lanes, steps - half, lanes, other, depth + 1);
    combine.accumulate(out, other, lanes);
  }

  /// Combines each row of the line to one value.
  void combined(const ReductionBlocks& combine, const Word* x, Word* out) {
    if (task_.strided) return fold(combine, x, task_.length, width_, out);
    const int64_t lanes =
        std::min(row_lanes, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(task_.length))));
    const int64_t steps = task_.length / lanes;
    Word* sums = runs_.data() + 63 * std::max(task_.width, row_lanes);
    fold(combine, x, steps, lanes, sums);
    combine.accumulate(sums, x + steps * lanes, task_.length - steps * lanes);
    for (int64_t half = lanes / 2; half > 0; half /= 2) combine.accumulate(sums, sums + half, half);
    out[0] = sums[0];
  }

  /// y = f(x, r) with the r of x's row; y may be x.
  template <class F>
  void each(Word* y, const Word* x, const Word* r, F f) {
    if (width_ == 1) {
      const float row = number(r[0]);
      for (int64_t i = 0; i < task_.length; ++i) y[i] = bits(f(number(x[i]), row));
      return;
    }
    for (int64_t i = 0; i < task_.length; ++i, x += width_, y += width_)
      for (int64_t j = 0; j < width_; ++j) y[j] = bits(f(number(x[j]), number(r[j])));
  }

  template <class F>
  void each_row(Word* x, const Word* y, F f) {
    for (int64_t j = 0; j < width_; ++j) x[j] = bits(f(number(x[j]), number(y[j])));
  }

  const Word* value() {
    switch (task_.op) {
      case RowOp::var:
        return variance();
      case RowOp::standardize:
        return standardized();
      case RowOp::rms:
        return scaled(x_.data());
      default:
        return exponentials();
    }
  }

  const Word* exponentials() {
    Word *x = x_.data(), *e = e_.data(), *first = first_.data(), *second = second_.data();
    combined(task_.max, x, first);
    each_row(first, first, [](float m, float) { return std::isinf(m) ? 0.0F : m; });
    each(x, x, first, [](float v, float m) { return v - m; });
    task_.exp(e, x, nullptr, nullptr, task_.length * width_);
    combined(task_.sum, e, second);
    if (task_.op == RowOp::softmax) {
      each(e, e, second, [](float v, float s) { return v / s; });
      return e;
    }
    each_row(second, first, [](float s, float) { return std::log(s); });
    if (task_.op == RowOp::log_softmax) {
      each(x, x, second, [](float v, float s) { return v - s; });
      return x;
    }
    each_row(second, first, [](float s, float m) { return s + m; });
    return second;
  }

  const Word* variance() {
    Word *x = x_.data(), *first = first_.data(), *second = second_.data();
    const float n = static_cast<float>(task_.length);
    combined(task_.sum, x, first);
    each_row(first, first, [n](float s, float) { return s / n; });
    each(x, x, first, [](float v, float mean) { return (v - mean) * (v - mean); });
    combined(task_.sum, x, second);
    each_row(second, second, [n](float s, float) { return s / n; });
    return second;
  }

  /// Relative to about the mean, so that neither a mean far from zero nor an outlier costs the others digits: to the
  /// row's first element and the mean distance from it, which is exact where all are equal.
  const Word* standardized() {
    Word *x = x_.data(), *e = e_.data(), *first = first_.data(), *second = second_.data();
    const float n = static_cast<float>(task_.length);
    const auto less = [](float v, float shift) { return v - shift; };
    std::copy(x, x + width_, first);
    each(e, x, first, less);
    combined(task_.sum, e, second);
    each_row(first, second, [n](float corner, float s) { return corner + s / n; });
    each(x, x, first, less);
    combined(task_.sum, x, first);
    each_row(first, first, [n](float s, float) { return s / n; });
    each(x, x, first, less);
    return scaled(x);
  }

  /// x / sqrt(mean of its squares + the parameter).
  const Word* scaled(Word* x) {
    Word *squares = e_.data(), *second = second_.data();
    const float n = static_cast<float>(task_.length), parameter = task_.parameter;
    each(squares, x, x, [](float v, float) { return v * v; });
    combined(task_.sum, squares, second);
    each_row(second, second, [n, parameter](float s, float) { return 1 / std::sqrt(s / n + parameter); });
    each(x, x, second, [](float v, float factor) { return v * factor; });
    return x;
  }

  const RowTask& task_;
  Evaluator prologue_, epilogue_;
  Words x_, e_, first_, second_, runs_;
  int64_t width_ = 1;
};

}  // namespace

void run_row(const RowKernel& kernel, ThreadPool& pool) {
  const RowTask task(kernel);
  pool.parallel_for(task.lines(), grain(task.length * task.width), [&](int64_t begin, int64_t end) {
    RowWorker worker(task);
    for (int64_t line = begin; line < end; ++line) worker.run(line);
  });
}

}  // namespace eglantine::cpu
