#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "backend/cpu/families/attention/heads.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

namespace {

struct AttentionTask {
  explicit AttentionTask(const AttentionKernel& attention)
      : kernel(attention),
        q(attention.q, 1),
        k(attention.k, attention.key_share),
        v(attention.v, attention.value_share) {
    if (attention.mask.buffer) mask.emplace(attention.mask, 1);
  }

  const AttentionKernel& kernel;
  Heads q, k, v;
  std::optional<Heads> mask;
  float scale = std::bit_cast<float>(kernel.scale);
  ElementwiseBlock exp = elementwise_block(Op::exp, DType::f32);

  bool has_truths() const { return kernel.mask.dtype() == DType::boolean; }
};

/// Adds up n floats in lanes, which the compiler keeps in a vector.
float sum_of(const float* x, int64_t n) {
  constexpr int64_t lanes = 16;
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane];
  for (int64_t lane = 0; i < n; ++i, ++lane) sums[lane] += x[i];
  for (int64_t half = lanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

/// Multiplies n floats by `scale`; returns the largest that is a number, or `largest`.
float scale_all(float* x, int64_t n, float scale, float largest) {
  constexpr int64_t lanes = 16;
  float most[lanes];
  std::fill_n(most, lanes, largest);
  const auto take = [&](float& value, float& lane) {
    value *= scale;
    lane = value > lane ? value : lane;
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) take(x[i + lane], most[lane]);
  for (int64_t lane = 0; i < n; ++i, ++lane) take(x[i], most[lane]);
  return *std::max_element(most, most + lanes);
}

/// Rows of one head, over tiles of columns: what a row has seen so far is its largest score, the sum of the
/// exponentials relative to that, and their sum with v (Milakov and Gimelshein, 2018; Dao, 2022).
class RowTile {
 public:
  explicit RowTile(const AttentionTask& task)
      : task_(task),
        width_(std::min(most_columns, task.kernel.columns)),
        scores_(tile_rows(task) * width_),
        shares_(tile_rows(task) * width_),
        masked_(width_),
        partial_(tile_rows(task) * task.kernel.results) {}

  /// `sums`: the results of `rows` rows, of head `head`, from `row` on. logsumexp: theirs, or null.
  void attend(int64_t head, int64_t row, int64_t rows, float* sums, float* logsumexp) {
    head_ = head;
    row_ = row;
    rows_ = rows;
    std::fill_n(most_, rows, -infinity);
    std::fill_n(total_, rows, 0.0F);
    std::fill_n(sums, rows * results(), 0.0F);
    const int64_t end = task_.kernel.causal ? std::min(task_.kernel.columns, row + rows) : task_.kernel.columns;
    for (int64_t column = 0; column < end; column += width_) add(column, std::min(width_, end - column), sums);
    for (int64_t i = 0; i < rows; ++i) finish(i, sums + i * results(), logsumexp != nullptr ? logsumexp + i : nullptr);
  }

 private:
  static int64_t tile_rows(const AttentionTask& task) { return std::min(most_rows, task.kernel.rows); }
  int64_t results() const { return task_.kernel.results; }

  void add(int64_t column, int64_t columns, float* sums) {
    const AttentionKernel& kernel = task_.kernel;
    const Matrix k = task_.k.of(head_).at(column, 0), v = task_.v.of(head_).at(column, 0);
    multiply_floats(
        {task_.q.of(head_).at(row_, 0), k.transposed(), scores_.data(), columns, rows_, columns, kernel.features});
    for (int64_t i = 0; i < rows_; ++i) share(i, column, columns);
    multiply_floats({{reinterpret_cast<std::byte*>(shares_.data()), StorageType::f32, columns, 1},
                     v,
                     partial_.data(),
                     results(),
                     rows_,
                     results(),
                     columns});
    const float* partial = floats(partial_);
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t e = i * results(); e < (i + 1) * results(); ++e) sums[e] = sums[e] * rescale_[i] + partial[e];
  }

  /// Scores to exponentials relative to the largest so far, and what that does to earlier ones. A visible -infinity
  /// counts as the least float: a row of them is NaN, and not one that sees nothing.
  void share(int64_t i, int64_t column, int64_t columns) {
    float* scores = floats(scores_) + i * columns;
    float* shares = floats(shares_) + i * columns;
    const int64_t seen = task_.kernel.causal ? std::clamp<int64_t>(row_ + i + 1 - column, 0, columns) : columns;
    const float before = most_[i];
    float most = scale_all(scores, seen, task_.scale, before);
    if (task_.mask)
      most = mask(i, column, seen, scores, before);
    else if (seen > 0)
      most = std::max(most, std::numeric_limits<float>::lowest());
    const float base = most == -infinity ? 0 : most;
    for (int64_t c = 0; c < seen; ++c) scores[c] -= base;
    const auto* words = reinterpret_cast<const Word*>(scores);
    task_.exp(reinterpret_cast<Word*>(shares), words, nullptr, nullptr, seen);
    std::fill(shares + seen, shares + columns, 0.0F);
    most_[i] = most;
    rescale_[i] = before == most ? 1 : std::exp(before - base);
    total_[i] = total_[i] * rescale_[i] + sum_of(shares, seen);
  }

  /// Adds or applies the mask to a row's scores; returns the largest that is seen.
  float mask(int64_t i, int64_t column, int64_t columns, float* scores, float most) {
    const Matrix row = task_.mask->of(head_).at(row_ + i, column);
    gather_row(row, masked_, columns);
    const bool truths = task_.has_truths();
    for (int64_t c = 0; c < columns; ++c) {
      const float add = truths ? 0 : std::bit_cast<float>(masked_.data()[c]);
      const bool hides = truths ? masked_.data()[c] == 0 : add == -infinity;
      scores[c] = hides ? -infinity : scores[c] + add;
      const float counted = hides ? -infinity : std::max(std::numeric_limits<float>::lowest(), scores[c]);
      most = counted > most ? counted : most;
    }
    return most;
  }

  void finish(int64_t i, float* sums, float* logsumexp) {
    const bool sees = most_[i] != -infinity;
    const float share = 1 / total_[i];
    for (int64_t e = 0; e < results(); ++e) sums[e] = sees ? sums[e] * share : 0;
    if (logsumexp != nullptr) *logsumexp = sees ? most_[i] + std::log(total_[i]) : -infinity;
  }

  const AttentionTask& task_;
  int64_t width_, head_ = 0, row_ = 0, rows_ = 0;
  Words scores_, shares_, masked_, partial_;
  float most_[most_rows], total_[most_rows], rescale_[most_rows];
};

}  // namespace

void run_attention(const AttentionKernel& kernel, ThreadPool& pool) {
  const AttentionTask task(kernel);
  const Elements out(kernel.out);
  const EvaluatorProgram epilogue(kernel.epilogue);
  Word* in_place = out.in_place(0, epilogue.elements());
  Words apart(in_place != nullptr ? 0 : epilogue.elements());
  Word* accumulator = in_place != nullptr ? in_place : apart.data();
  float* logsumexp = kernel.second.buffer ? reinterpret_cast<float*>(data_of(*kernel.second.buffer)) : nullptr;
  const int64_t tiles = ceil_divide(kernel.rows, most_rows);
  const OneBlasThread one;
  const int64_t products = std::min(kernel.rows, most_rows) * kernel.columns * (kernel.features + kernel.results);
  pool.parallel_for(kernel.heads * tiles, grain(products / 16), [&](int64_t begin, int64_t end) {
    RowTile tile(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % tiles * most_rows, rows = std::min(most_rows, kernel.rows - row);
      const int64_t first = i / tiles * kernel.rows + row;
      tile.attend(i / tiles, row, rows, reinterpret_cast<float*>(accumulator) + first * kernel.results,
                  logsumexp != nullptr ? logsumexp + first : nullptr);
      apply_epilogue(epilogue, accumulator, out, first * kernel.results, (first + rows) * kernel.results);
    }
  });
}

}  // namespace eglantine::cpu
