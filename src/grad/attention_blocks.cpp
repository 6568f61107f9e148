#include "grad/attention_blocks.hpp"

#include <algorithm>
#include <limits>

#include "grad/rules.hpp"
#include "layout/divide.hpp"
#include "verbs/build.hpp"

namespace eglantine::derivatives {

namespace {

constexpr int64_t most_scores = int64_t{1} << 28;
constexpr int64_t tile = 128;  // rows of a product's

int64_t heads_of(const Tensor& q) { return q.size() / (length(q, 2) * length(q, 1)); }

/// A quarter of the rows under a causal mask, where shorter blocks leave out more; of all rows as many as the memory
/// allows. An H100 took 2.63 ms for 8 x 12 x 1024 x 64 with the forward pass in blocks of 256 and 2.99 in one, 30.3 for
/// 4096 in blocks of 512 and 43.9 in one (docs/performance-notes.md).
int64_t rows_of_block(const nodes::Attention& x, const Tensor& q, int64_t columns) {
  constexpr int64_t longest = 512;
  const auto tiles = [](int64_t count) { return std::max<int64_t>(1, count / tile) * tile; };
  const int64_t rows = length(q, 2), wanted = x.causal ? std::min(tiles(ceil_divide(rows, 4)), longest) : rows;
  return std::min(wanted, tiles(most_scores / (heads_of(q) * columns)));
}

/// The backward pass of rows [first, end) with the first `columns` columns.
class Block {
 public:
  Block(const nodes::Attention& x, int64_t first, int64_t end, int64_t columns)
      : x_(x), first_(first), end_(end), columns_(columns) {}

  AttentionGradients gradients(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionRows& rows) const {
    const Tensor qs = rows_of(q), ks = columns_of(k), p = shares(qs, ks, rows.logsumexp);
    Tensor of_shares = -of_rows(rows.delta);
    if (rows.g.defined()) of_shares = matmul(rows_of(rows.g), transposed(columns_of(v))) + of_shares;
    const Tensor scores = p * of_shares;
    const Tensor of_v = rows.g.defined() ? whole(matmul(transposed(p), rows_of(rows.g)), v) : Tensor();
    return {matmul(scores, ks) * x_.scale, whole(matmul(transposed(scores), qs) * x_.scale, k), of_v, {}};
  }

 private:
  Tensor rows_of(const Tensor& x) const { return x.slice(x.rank() - 2, first_, end_); }
  Tensor columns_of(const Tensor& x) const { return x.slice(x.rank() - 2, 0, columns_); }
  Tensor of_rows(const Tensor& x) const { return x.slice(x.rank() - 1, first_, end_).unsqueeze(-1); }

  Tensor shares(const Tensor& q, const Tensor& k, const Tensor& logsumexp) const {
    Tensor scores = matmul(q, transposed(k)) * x_.scale, mask;
    if (x_.mask) mask = rows_of(Tensor(x_.mask)).slice(scores.rank() - 1, 0, columns_);
    if (mask.defined() && mask.dtype() != DType::boolean) scores = scores + mask.astype(DType::f32);
    const Tensor seen = visible_of(x_, first_, end_ - first_, columns_, mask, q.device());
    const Tensor p = exp(scores - of_rows(logsumexp));
    return seen.defined() ? where(seen, p, 0) : p;
  }

  /// With zeros for the columns that are left out.
  Tensor whole(const Tensor& x, const Tensor& like) const {
    const int64_t left = length(like, 2) - columns_;
    std::vector<std::pair<int64_t, int64_t>> around(static_cast<size_t>(x.rank()));
    around[static_cast<size_t>(x.rank() - 2)].second = left;
    return left == 0 ? x : x.pad(around);
  }

  const nodes::Attention& x_;
  int64_t first_, end_, columns_;
};

Tensor sum_of(const Tensor& x, const Tensor& y) { return x.defined() && y.defined() ? x + y : x.defined() ? x : y; }

}  // namespace

bool takes_blocks(const Tensor& q, const Tensor& k) {
  return verbs::is_gpu(q.device()) && heads_of(q) * length(k, 2) * tile <= most_scores;
}

Tensor visible_of(const nodes::Attention& x, int64_t first, int64_t rows, int64_t columns, const Tensor& mask,
                  const Device& device) {
  Tensor seen;
  if (x.causal) seen = tri(rows, columns, first, DType::boolean, device);
  if (!mask.defined()) return seen;
  const Tensor by_mask = mask.dtype() == DType::boolean ? mask : mask != -std::numeric_limits<float>::infinity();
  return seen.defined() ? seen & by_mask : by_mask;
}

AttentionGradients attention_gradients_in_blocks(const nodes::Attention& x, const Tensor& q, const Tensor& k,
                                                 const Tensor& v, const AttentionRows& rows) {
  const int64_t count = length(q, 2), columns = length(k, 2), step = rows_of_block(x, q, columns);
  std::vector<Tensor> of_q;
  AttentionGradients sums;
  for (int64_t first = 0; first < count; first += step) {
    const int64_t end = std::min(count, first + step);
    const Block block(x, first, end, x.causal ? std::min(columns, end) : columns);
    const AttentionGradients part = block.gradients(q, k, v, rows);
    of_q.push_back(part.q);
    sums.k = sum_of(sums.k, part.k);
    sums.v = sum_of(sums.v, part.v);
  }
  sums.q = concatenate(of_q, q.rank() - 2);
  if (!sums.v.defined()) sums.v = zeros(v.shape(), DType::f32, v.device());
  return sums;
}

}  // namespace eglantine::derivatives
