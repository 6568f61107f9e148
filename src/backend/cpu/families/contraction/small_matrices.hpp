#pragma once

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

/// Products of small matrices, of which there are often many: BLAS takes longer to prepare one than to multiply it.
/// Each result is the sum of its products from the first to the last. What belongs to one thread.
class SmallMatrices {
 public:
  static bool suits(const GemmArguments& gemm);
  /// gemm: the first product, whose shape and strides the others have; its c_stride is n.
  SmallMatrices(const GemmArguments& gemm, SmallProductBlock multiply);

  /// `m` rows of a product: a, b and c begin so many elements after the first's.
  void run(int64_t a, int64_t b, int64_t c, int64_t m);

 private:
  void run_widened(int64_t a, int64_t m);

  GemmArguments gemm_;
  bool is_column_;  ///< one column of results, which is computed as a row: of the transposed operands
  SmallProductBlock multiply_;
  SmallProduct product_;
  int64_t packed_ = -1;  ///< the b whose rows panel_ holds
  Words panel_, block_;  ///< rows of b in whole vectors; rows of a as words
};

}  // namespace eglantine::cpu
