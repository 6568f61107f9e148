#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "backend/cpu/families/attention/heads.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

namespace {

struct GradientTask {
  explicit GradientTask(const AttentionGradientKernel& gradient)
      : kernel(gradient),
        q(gradient.q, 1),
        k(gradient.k, gradient.key_share),
        v(gradient.v, gradient.value_share),
        cotangent(gradient.cotangent, 1),
        logsumexp(gradient.logsumexp, 1),
        delta(gradient.delta, 1) {
    if (gradient.mask.buffer) mask.emplace(gradient.mask, 1);
  }

  const AttentionGradientKernel& kernel;
  Heads q, k, v, cotangent, logsumexp, delta;
  std::optional<Heads> mask;
  float scale = std::bit_cast<float>(kernel.scale);
  ElementwiseBlock exp = elementwise_block(Op::exp, DType::f32);
};

/// Rows and columns of a head whose shares are computed at once.
struct Box {
  int64_t head, row, rows, column, columns;
};

/// Shares, their gradients, and products of both, of one box of scores after another (Dao, 2023).
class ScoreBox {
 public:
  explicit ScoreBox(const GradientTask& task)
      : task_(task),
        most_rows_(std::min(most_rows, task.kernel.rows)),
        most_columns_(std::min(most_columns, task.kernel.columns)),
        scores_(most_rows_ * most_columns_),
        shares_(most_rows_ * most_columns_),
        gradients_(most_rows_ * most_columns_),
        masked_(most_columns_),
        logsumexp_(most_rows_),
        delta_(most_rows_),
        partial_(std::max(most_rows_, most_columns_) * std::max(task.kernel.features, task.kernel.results)) {}

  /// The shares of a box and the gradients of its scores.
  void compute(const Box& box) {
    const AttentionGradientKernel& kernel = task_.kernel;
    const Matrix q = task_.q.of(box.head).at(box.row, 0), k = task_.k.of(box.head).at(box.column, 0),
                 v = task_.v.of(box.head).at(box.column, 0), g = task_.cotangent.of(box.head).at(box.row, 0);
    multiply_floats({q, k.transposed(), scores_.data(), box.columns, box.rows, box.columns, kernel.features});
    multiply_floats({g, v.transposed(), gradients_.data(), box.columns, box.rows, box.columns, kernel.results});
    gather_row(task_.logsumexp.of(box.head).at(box.row, 0).transposed(), logsumexp_, box.rows);
    gather_row(task_.delta.of(box.head).at(box.row, 0).transposed(), delta_, box.rows);
    for (int64_t i = 0; i < box.rows; ++i) finish(box, i);
  }

  /// to (rows, n) += gradients x; to (columns, n) += gradients^T x, or shares^T x.
  void add_gradients(const Box& box, const Matrix& x, int64_t n, float* to) {
    add({matrix(gradients_, box), x, partial_.data(), n, box.rows, n, box.columns}, to);
  }
  void add_transposed_gradients(const Box& box, const Matrix& x, int64_t n, float* to) {
    add({matrix(gradients_, box).transposed(), x, partial_.data(), n, box.columns, n, box.rows}, to);
  }
  void add_transposed_shares(const Box& box, const Matrix& x, int64_t n, float* to) {
    add({matrix(shares_, box).transposed(), x, partial_.data(), n, box.columns, n, box.rows}, to);
  }

 private:
  static Matrix matrix(Words& words, const Box& box) {
    return {reinterpret_cast<std::byte*>(words.data()), StorageType::f32, box.columns, 1};
  }

  void add(const GemmArguments& product, float* to) {
    multiply_floats(product);
    const float* partial = floats(partial_);
    for (int64_t i = 0; i < product.m * product.n; ++i) to[i] += partial[i];
  }

  /// Products of a row to shares and gradients. What is hidden counts for nothing, whatever it is.
  void finish(const Box& box, int64_t i) {
    float* scores = floats(scores_) + i * box.columns;
    float* shares = floats(shares_) + i * box.columns;
    float* gradients = floats(gradients_) + i * box.columns;
    const int64_t seen =
        task_.kernel.causal ? std::clamp<int64_t>(box.row + i + 1 - box.column, 0, box.columns) : box.columns;
    const float logsumexp = floats(logsumexp_)[i], base = logsumexp == -infinity ? 0 : logsumexp,
                delta = floats(delta_)[i];
    for (int64_t c = 0; c < seen; ++c) scores[c] = scores[c] * task_.scale - base;
    if (task_.mask) mask(box, i, seen, scores);
    const auto* words = reinterpret_cast<const Word*>(scores);
    task_.exp(reinterpret_cast<Word*>(shares), words, nullptr, nullptr, seen);
    std::fill(shares + seen, shares + box.columns, 0.0F);
    for (int64_t c = 0; c < seen; ++c) gradients[c] = shares[c] * (gradients[c] - delta);
    std::fill(gradients + seen, gradients + box.columns, 0.0F);
  }

  void mask(const Box& box, int64_t i, int64_t columns, float* scores) {
    const Matrix row = task_.mask->of(box.head).at(box.row + i, box.column);
    gather_row(row, masked_, columns);
    const bool truths = task_.kernel.mask.dtype() == DType::boolean;
    for (int64_t c = 0; c < columns; ++c) {
      const float add = truths ? 0 : std::bit_cast<float>(masked_.data()[c]);
      const bool hides = truths ? masked_.data()[c] == 0 : add == -infinity;
      scores[c] = hides ? -infinity : scores[c] + add;
    }
  }

  const GradientTask& task_;
  int64_t most_rows_, most_columns_;
  Words scores_, shares_, gradients_, masked_, logsumexp_, delta_, partial_;
};

float* scaled(float* x, int64_t count, float scale) {
  for (int64_t i = 0; i < count; ++i) x[i] *= scale;
  return x;
}

float* result_at(const Strided& x) { return reinterpret_cast<float*>(data_of(*x.buffer)) + x.layout.offset; }

/// The gradient of so many rows of q, at `to`.
void queries(const GradientTask& task, ScoreBox& scores, int64_t head, int64_t row, int64_t rows, float* to) {
  const AttentionGradientKernel& kernel = task.kernel;
  std::fill_n(to, rows * kernel.features, 0.0F);
  const int64_t end = kernel.causal ? std::min(kernel.columns, row + rows) : kernel.columns;
  for (int64_t column = 0; column < end; column += most_columns) {
    const Box box{head, row, rows, column, std::min(most_columns, end - column)};
    scores.compute(box);
    scores.add_gradients(box, task.k.of(head).at(column, 0), kernel.features, to);
  }
  scaled(to, rows * kernel.features, task.scale);
}

/// Those of so many columns of k and v, of the heads from `head` on that share them.
void keys(const GradientTask& task, ScoreBox& scores, const Box& columns, float* to_k, float* to_v) {
  const AttentionGradientKernel& kernel = task.kernel;
  std::fill_n(to_k, columns.columns * kernel.features, 0.0F);
  std::fill_n(to_v, columns.columns * kernel.results, 0.0F);
  for (int64_t head = columns.head; head < columns.head + kernel.together; ++head)
    for (int64_t row = kernel.causal ? columns.column : 0; row < kernel.rows; row += most_rows) {
      const Box box{head, row, std::min(most_rows, kernel.rows - row), columns.column, columns.columns};
      scores.compute(box);
      scores.add_transposed_gradients(box, task.q.of(head).at(row, 0), kernel.features, to_k);
      scores.add_transposed_shares(box, task.cotangent.of(head).at(row, 0), kernel.results, to_v);
    }
  scaled(to_k, columns.columns * kernel.features, task.scale);
}

/// Lines of a head: rows of q, or columns of k and v.
struct Lines {
  int64_t head, first, count;
};

/// Puts lines of a head, `at` those of (batches, heads, lines, elements), where they lie.
void put_lines(const Strided& memory, const Layout& at, const Lines& lines, const float* from) {
  const int64_t width = at.shape[3];
  float* to = reinterpret_cast<float*>(data_of(*memory.buffer)) + at.offset + lines.head / at.shape[1] * at.strides[0] +
              lines.head % at.shape[1] * at.strides[1] + lines.first * at.strides[2];
  for (int64_t i = 0; i < lines.count; ++i) std::copy_n(from + i * width, width, to + i * at.strides[2]);
}

/// Of all, through memory of its own.
void lines_of_all(const GradientTask& task, ScoreBox& scores, bool of_keys, const Lines& lines) {
  const AttentionGradientKernel& kernel = task.kernel;
  Words of_q_or_k(lines.count * kernel.features), of_v(of_keys ? lines.count * kernel.results : 0);
  if (!of_keys) {
    queries(task, scores, lines.head, lines.first, lines.count, floats(of_q_or_k));
    return put_lines(kernel.out, kernel.out.layout, lines, floats(of_q_or_k));
  }
  keys(task, scores, {lines.head * kernel.together, 0, 0, lines.first, lines.count}, floats(of_q_or_k), floats(of_v));
  put_lines(kernel.second, kernel.second.layout, lines, floats(of_q_or_k));
  put_lines(kernel.second, kernel.third, lines, floats(of_v));
}

/// So many lines of a head from `line` on, rows of q or columns, whose heads are counted by `head`.
void lines(const GradientTask& task, ScoreBox& scores, bool of_keys, int64_t head, int64_t line, int64_t count) {
  const AttentionGradientKernel& kernel = task.kernel;
  if (kernel.is_of_all()) return lines_of_all(task, scores, of_keys, {head, line, count});
  if (!of_keys)
    return queries(task, scores, head, line, count,
                   result_at(kernel.out) + (head * kernel.rows + line) * kernel.features);
  const int64_t first = head * kernel.columns + line;
  const Box columns{head * kernel.together, 0, 0, line, count};
  keys(task, scores, columns, result_at(kernel.out) + first * kernel.features,
       result_at(kernel.second) + first * kernel.results);
}

void run_lines(const GradientTask& task, bool of_keys, ThreadPool& pool) {
  const AttentionGradientKernel& kernel = task.kernel;
  const int64_t count = of_keys ? kernel.columns : kernel.rows, each = of_keys ? most_columns : most_rows;
  const int64_t tiles = ceil_divide(count, each), together = of_keys ? kernel.together : 1;
  const int64_t products =
      std::min(count, each) * (of_keys ? kernel.rows * together : kernel.columns) * (kernel.features + kernel.results);
  pool.parallel_for(kernel.heads / together * tiles, grain(products / 8), [&](int64_t begin, int64_t end) {
    ScoreBox scores(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i % tiles * each;
      lines(task, scores, of_keys, i / tiles, line, std::min(each, count - line));
    }
  });
}

}  // namespace

void run_attention_gradient(const AttentionGradientKernel& kernel, ThreadPool& pool) {
  const GradientTask task(kernel);
  const OneBlasThread one;
  if (kernel.is_of_all() || !kernel.is_of_keys()) run_lines(task, false, pool);
  if (kernel.is_of_keys()) run_lines(task, true, pool);
}

}  // namespace eglantine::cpu
