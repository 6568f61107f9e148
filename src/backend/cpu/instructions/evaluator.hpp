#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/instructions/elements.hpp"
#include "backend/cpu/instructions/first_outside.hpp"
#include "backend/cpu/instructions/piecewise.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::cpu {

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

/// An expression prepared for evaluation: functions looked up, registers assigned. Shared by all threads.
class EvaluatorProgram {
 public:
  /// results: instructions whose values Evaluator::value() gives, besides the last one's.
  explicit EvaluatorProgram(const Expr& expr, const std::vector<int32_t>& results = {});

  int64_t elements() const { return elements_; }
  /// Elements to evaluate at once in [start, end), <= block_elements: of a long row, in place, or whole short rows.
  int64_t span(int64_t start, int64_t end) const;
  /// Where Op::checked_index puts what is out of range; `outside` outlives the program.
  void report_to(FirstOutside& outside) { outside_ = &outside; }
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
    int piecewise = -1;  ///< of a load that is read so
    bool constant = false;
    Word bits = 0;  ///< of a constant
  };
  void assign_slots(const std::vector<int32_t>& results);

  std::vector<Elements> operands_;
  std::vector<PiecewiseElements> piecewise_;
  std::vector<Layout> indices_;
  std::vector<BlockStep> steps_;
  int64_t elements_ = 0, inner_ = 0;
  int slots_ = 0;
  FirstOutside* outside_ = nullptr;
  bool in_rows_ = false;  ///< some operand is contiguous at most within a row
};

/// One thread's registers for a program.
class Evaluator {
 public:
  explicit Evaluator(const EvaluatorProgram& program);

  /// Evaluates [start, start + count) of the domain, count <= block_elements, by their `accumulator` values; stores
  /// the extra outputs. The result, in `out` if given (it overlaps no operand), is valid until the next call.
  const Word* operator()(int64_t start, int64_t count, const Word* accumulator = nullptr, Word* out = nullptr);
  /// What one of the program's results is since the last call.
  const Word* value(int32_t result) const { return values_[static_cast<size_t>(result)]; }
  /// The same by the values of a row chain, of which accumulator n is values[n].
  const Word* of_chain(int64_t start, int64_t count, const Word* const* values, Word* out = nullptr);

 private:
  Word* slot(int number) const { return registers_.data() + number * block_elements; }
  const Word* step(size_t number, int64_t start, int64_t count, const Word* accumulator, Word* to);

  const EvaluatorProgram& program_;
  Words registers_;
  std::vector<const Word*> values_;
  const Word* const* chain_ = nullptr;  ///< of of_chain()
};

}  // namespace eglantine::cpu
