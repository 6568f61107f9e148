#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/instructions/block_ops.hpp"
#include "graph/kernel.hpp"

namespace eglantine::cpu {

/// Elements an instruction works on at a time: a few registers of this length stay in the first-level cache, and the
/// cost of choosing the function for an instruction is spread over this many elements.
inline constexpr int64_t block_elements = 1024;

/// Uninitialised words, aligned for vectors.
class Words {
 public:
  explicit Words(int64_t count);
  Word* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(Word* data) const;
  };
  std::unique_ptr<Word[], Free> data_;
};

/// A tensor's elements as the interpreter reads and writes them.
struct Elements {
  Word* data;
  Layout layout;
  bool contiguous;  ///< row-major without gaps, so that any range of the domain lies in place
  bool splat;       ///< one element, seen everywhere
  Layout rows;      ///< where the rows (runs of the innermost axis) start

  explicit Elements(const Strided& strided);

  /// Elements [start, start + count): in place where they lie one after another, else gathered into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;
  /// Where [start, start + count) lie one after another: their place; else null.
  Word* in_place(int64_t start, int64_t count) const;
  void write(int64_t start, int64_t count, const Word* values) const;

 private:
  void read_rows(int64_t start, int64_t count, Word* scratch) const;
};

/// An expression made ready to run: functions looked up, registers assigned. Threads share it.
class EvaluatorProgram {
 public:
  explicit EvaluatorProgram(const Expr& expr);

  int64_t elements() const { return elements_; }
  /// How many elements from `start` on, at most up to `end`, to evaluate at once: at most block_elements; not past the
  /// end of a long row, so that operands are read in place, and up to the end of a short one.
  int64_t span(int64_t start, int64_t end) const;
  /// True when the value is the accumulator and nothing else.
  bool is_accumulator() const { return steps_.size() == 1 && steps_[0].op == Op::accumulator; }

 private:
  friend class Evaluator;
  struct BlockStep {
    Op op;
    ElementwiseBlock block = nullptr;  ///< null for structural instructions
    std::array<int32_t, 3> args{-1, -1, -1};
    ElementwiseOpPtr custom = nullptr;  ///< of Op::custom
    std::vector<int32_t> custom_args = {};
    int slot = -1;
    bool constant = false;
    Word bits = 0;  ///< of a constant
  };
  void assign_slots();

  std::vector<Elements> operands_;
  std::vector<Layout> indices_;
  std::vector<BlockStep> steps_;
  int64_t elements_ = 0, inner_ = 0;
  int slots_ = 0;
  bool in_rows_ = false;  ///< some operand lies in place only within a row
};

/// One thread's registers for a program.
class Evaluator {
 public:
  explicit Evaluator(const EvaluatorProgram& program);

  /// The values of elements [start, start + count) of the domain, count <= block_elements. `accumulator`: the values of
  /// the accumulator for these elements. They end up in `out` if that is given (it overlaps no operand), else anywhere;
  /// the result is good until the next call. What the expression stores on the way is stored.
  const Word* operator()(int64_t start, int64_t count, const Word* accumulator = nullptr, Word* out = nullptr);

 private:
  Word* slot(int number) const { return registers_.data() + number * block_elements; }
  const Word* step(size_t number, int64_t start, int64_t count, const Word* accumulator, Word* to);

  const EvaluatorProgram& program_;
  Words registers_;
  std::vector<const Word*> values_;
};

}  // namespace eglantine::cpu
