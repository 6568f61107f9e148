#include <array>
#include <bit>

#include "backend/cpu/instructions/block_ops.hpp"
#include "eglantine/own.hpp"
#include "layout/reduce_tree.hpp"

/// Users' operations on blocks: calls their functions element by element.
namespace eglantine::cpu {

namespace {

Word combine(const ReduceOp& op, Word a, Word b) {
  return std::bit_cast<Word>(op.cpu(std::bit_cast<float>(a), std::bit_cast<float>(b)));
}

void accumulate(const ReduceOp& op, Word* accumulator, const Word* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) accumulator[i] = combine(op, accumulator[i], x[i]);
}

// The order of layout/reduce_tree.hpp, as for the operations of the table.
Word fold_lanes(const ReduceOp& op, const Word* accumulators, int64_t lanes) {
  std::array<Word, layout::row_lanes> lane;
  for (int64_t i = 0; i < lanes; ++i) {
    const Word* c = accumulators + 4 * i;
    lane[static_cast<size_t>(i)] = combine(op, combine(op, c[0], c[1]), combine(op, c[2], c[3]));
  }
  for (int64_t half = lanes / 2; half > 0; half /= 2) accumulate(op, lane.data(), lane.data() + half, half);
  return lane[0];
}

void prefix(const ReduceOp& op, Word* out, const Word* x, int64_t n, Word base, Word& low) {
  for (int64_t i = 0; i < n; ++i) {
    low = combine(op, low, x[i]);
    out[i] = combine(op, base, low);
  }
}

}  // namespace

ReductionBlocks custom_reduction_blocks(const ReduceOpPtr& custom) {
  return {
      [custom](Word* accumulator, const Word* x, int64_t n) { accumulate(*custom, accumulator, x, n); },
      [custom](Word* out, const Word* x, int64_t n, Word base, Word& low) { prefix(*custom, out, x, n, base, low); },
      [custom](const Word* accumulators, int64_t lanes) { return fold_lanes(*custom, accumulators, lanes); },
      std::bit_cast<Word>(custom->identity)};
}

void custom_block(const ElementwiseOp& op, Word* out, const std::vector<const Word*>& args, int64_t n) {
  std::array<float, max_custom_arity> x;
  const std::span<const float> given(x.data(), args.size());
  for (int64_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < args.size(); ++j) x[j] = std::bit_cast<float>(args[j][i]);
    out[i] = std::bit_cast<Word>(op.cpu(given));
  }
}

}  // namespace eglantine::cpu
