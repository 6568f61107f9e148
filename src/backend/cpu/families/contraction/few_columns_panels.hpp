#pragma once

#include "backend/cpu/families/families.hpp"
#include "graph/kernel/few_columns.hpp"

namespace eglantine::cpu {

/// The columns of a product, one after the other in memory.
struct PanelColumns {
  explicit PanelColumns(const FewColumnsKernel& kernel);

  Elements elements;
  int64_t count;
  Words copy;
  Word* data;
};

/// A product of few columns in panels: parts of a few rows of the matrix, which are evaluated into memory of a thread's
/// own and then multiplied.
struct PanelTask {
  explicit PanelTask(const FewColumnsKernel& kernel);

  /// The number of a result.
  int64_t result(int64_t batch, int64_t row, int64_t column) const;

  FewColumnsSizes sizes;
  bool columns_first, along_rows;
  int64_t rows, steps;  ///< of a panel
  EvaluatorProgram matrix;
  PanelColumns columns;
  void (*multiply)(const GemmArguments& gemm);
  ReductionBlocks add;
};

/// One thread's memory.
class Panel {
 public:
  explicit Panel(const PanelTask& task);

  /// All of k for rows [first, first + rows) of a batch.
  void multiply(int64_t batch, int64_t first, int64_t rows, Word* results);

 private:
  void read_rows(int64_t batch, int64_t first, int64_t rows, int64_t k, int64_t steps);
  void read_steps(int64_t batch, int64_t first, int64_t rows, int64_t k, int64_t steps);
  void read(int64_t start, int64_t count, Word* to);

  const PanelTask& task_;
  Evaluator matrix_;
  Words values_, sums_, products_;
};

}  // namespace eglantine::cpu
