#include "lower/reduce/rewrites/boolean_words.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t booleans_a_word = 4;
constexpr uint32_t all_true = 0x01010101;

/// Whether the kernel counts booleans: a sum of what they are as integers.
bool counts(const ReduceKernel& kernel) {
  const auto& code = kernel.prologue.code;
  return kernel.reduction == Reduction::sum && code.size() == 2 && code[0].op == Op::load && code[1].op == Op::cast &&
         code[1].dtype == DType::i32;
}

bool is_of_bytes(const ReduceKernel& kernel) {
  const Expr& x = kernel.prologue;
  const bool is_load = (kernel.reduction == Reduction::all || kernel.reduction == Reduction::any) &&
                       x.code.size() == 1 && x.code[0].op == Op::load;
  return (is_load || counts(kernel)) && x.operands.size() == 1 && x.piecewise.empty() && x.stored.empty() &&
         x.operands[0].storage == StorageType::boolean_byte && is_only(kernel.epilogue, Op::accumulator);
}

/// What fills whole words of x's lines, and how many elements stand before and behind them.
struct Words {
  Layout layout;
  int64_t before = 0, behind = 0;
};

std::optional<Words> words_of(const Layout& x) {
  constexpr int64_t shortest = 64;
  const int inner = x.shape.rank() - 1;
  const auto is_whole = [](int64_t count) { return count % booleans_a_word == 0; };
  if (x.strides.back() != 1 || x.shape[inner] < shortest) return std::nullopt;
  Words words{x};
  words.before = ceil_divide(x.offset, booleans_a_word) * booleans_a_word - x.offset;
  words.behind = (x.shape[inner] - words.before) % booleans_a_word;
  if (inner > 0 && (words.before > 0 || words.behind > 0)) return std::nullopt;
  if (!std::all_of(x.strides.begin(), x.strides.end() - 1, is_whole)) return std::nullopt;
  for (int axis = 0; axis < inner; ++axis) words.layout.strides[static_cast<size_t>(axis)] /= booleans_a_word;
  words.layout.shape[inner] = (x.shape[inner] - words.before) / booleans_a_word;
  words.layout.offset = (x.offset + words.before) / booleans_a_word;
  return words;
}

int constant(ExpressionBuilder& builder, uint32_t bits) {
  return builder.parameter(DType::u32, {bits, Parameter::of_lowering});
}

/// What a word contributes: its booleans, or how many of them are true, which a product adds up in its highest byte.
Expr of_word(const Strided& words, bool counts) {
  ExpressionBuilder builder(words.layout.shape);
  const int mask = constant(builder, all_true);
  int value = builder.operation(Op::bit_and, DType::u32, {builder.load(words), mask, -1});
  if (counts) {
    const int added = builder.operation(Op::mul, DType::u32, {value, mask, -1});
    value = builder.operation(Op::shift_right, DType::u32, {added, constant(builder, 24), -1});
  }
  builder.end_with(value);
  return builder.take();
}

/// The kernel's result: of the words' accumulator and the booleans beside them.
class Ending {
 public:
  Ending(const ReduceKernel& kernel, const Words& words)
      : kernel_(kernel), words_(words), builder_(kernel.epilogue.domain) {}

  Expr expr() {
    int value = of_accumulator();
    const Layout& x = kernel_.prologue.operands[0].layout;
    const int64_t end = x.offset + x.shape[0];  // where elements are left over, the only axis
    for (int64_t i = 0; i < words_.before; ++i) value = with(value, x.offset + i);
    for (int64_t i = words_.behind; i > 0; --i) value = with(value, end - i);
    builder_.end_with(value);
    return builder_.take();
  }

 private:
  int of_accumulator() {
    const int words = builder_.accumulator(DType::u32);
    if (counts(kernel_)) return builder_.operation(Op::cast, DType::i32, {words, -1, -1});
    const bool all = kernel_.reduction == Reduction::all;
    const int bound = constant(builder_, all ? all_true : 0);
    return builder_.operation(all ? Op::eq : Op::ne, DType::boolean, {words, bound, -1});
  }

  int with(int value, int64_t place) {
    const Strided& x = kernel_.prologue.operands[0];
    Strided one{x.buffer, x.storage, layout::contiguous(builder_.expr().domain, place)};
    const int element = builder_.load(one);
    if (counts(kernel_))
      return builder_.operation(Op::add, DType::i32,
                                {value, builder_.operation(Op::cast, DType::i32, {element, -1, -1}), -1});
    const Op op = kernel_.reduction == Reduction::all ? Op::logical_and : Op::logical_or;
    return builder_.operation(op, DType::boolean, {value, element, -1});
  }

  const ReduceKernel& kernel_;
  const Words& words_;
  ExpressionBuilder builder_;
};

}  // namespace

std::optional<ReduceKernel> of_boolean_words(const ReduceKernel& kernel) {
  if (kernel.tree != layout::ReduceTree::row || !is_of_bytes(kernel)) return std::nullopt;
  const Strided& x = kernel.prologue.operands[0];
  const std::optional<Words> words = words_of(x.layout);
  if (!words) return std::nullopt;
  ReduceKernel result = kernel;
  result.prologue = of_word({x.buffer, StorageType::u32, words->layout}, counts(kernel));
  if (!counts(kernel)) result.reduction = kernel.reduction == Reduction::all ? Reduction::min : Reduction::max;
  result.epilogue = Ending(kernel, *words).expr();
  return result;
}

}  // namespace eglantine::lower
