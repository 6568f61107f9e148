#include "backend/cpu/families/contraction/small_matrices.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/kernels.hpp"

// Products of small matrices that end where the process may read no further.
namespace eglantine::test {
namespace {

using cpu::GemmArguments;
using cpu::Matrix;
using cpu::Word;

/// Words whose last is the last of a page, before one that may not be read.
class Guarded {
 public:
  explicit Guarded(int64_t count)
      : count_(count), page_(sysconf(_SC_PAGESIZE)), bytes_((count * 4 + page_ - 1) / page_ * page_) {
    void* all =
        mmap(nullptr, static_cast<size_t>(bytes_ + page_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = static_cast<std::byte*>(all);
    mprotect(memory_ + bytes_, static_cast<size_t>(page_), PROT_NONE);
  }
  ~Guarded() { munmap(memory_, static_cast<size_t>(bytes_ + page_)); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Word* words() const { return reinterpret_cast<Word*>(memory_ + bytes_) - count_; }

 private:
  int64_t count_, page_, bytes_;
  std::byte* memory_;
};

/// A matrix of small integers, row-major or column-major, its lines some words apart; the last ends at the guard.
struct Operand {
  Operand(Numbers& random, int64_t rows, int64_t columns)
      : turned(random.below(2) == 1),
        inner(turned ? rows : columns),
        outer(turned ? columns : rows),
        step(inner + random.below(3)),
        memory((outer - 1) * step + inner),
        matrix{reinterpret_cast<std::byte*>(memory.words()), StorageType::f32, turned ? 1 : step, turned ? step : 1} {
    for (int64_t i = 0; i < (outer - 1) * step + inner; ++i)
      memory.words()[i] = bits_of(static_cast<float>(random.below(17) - 8));
  }
  float at(int64_t i, int64_t j) const {
    return float_of(memory.words()[i * matrix.row_stride + j * matrix.column_stride]);
  }

  bool turned;
  int64_t inner, outer, step;
  Guarded memory;
  Matrix matrix;
};

void check(Numbers& random, int64_t m, int64_t n, int64_t k) {
  const Operand a(random, m, k), b(random, k, n);
  const Guarded c(m * n);
  for (int64_t i = 0; i < m * n; ++i) c.words()[i] = bits_of(NAN);
  const GemmArguments gemm{a.matrix, b.matrix, c.words(), n, m, n, k};
  cpu::SmallMatrices(gemm, cpu::small_product_block(DType::f32)).run(0, 0, 0, m);
  for (int64_t i = 0; i < m * n; ++i) {
    float sum = 0;
    for (int64_t step = 0; step < k; ++step) sum += a.at(i / n, step) * b.at(step, i % n);
    ASSERT_EQ(float_of(c.words()[i]), sum) << m << " x " << k << " x " << n << ": " << i / n << ", " << i % n;
  }
}

TEST(CpuSmallMatrices, read_and_write_nothing_beyond_their_ends) {
  Numbers random(21);
  for (int i = 0; i < 300; ++i) check(random, 1 + random.below(20), 1 + random.below(40), 1 + random.below(40));
  for (int64_t n = 1; n <= 33; ++n) check(random, 7, n, 3);
}

/// Vectors along the operand that is not packed, rows left over from blocks of six, and long sums of few results.
TEST(CpuSmallMatrices, suit_what_blas_is_slower_at) {
  const std::vector<float> memory(100000);
  Word* words = const_cast<Word*>(reinterpret_cast<const Word*>(memory.data()));
  const auto suits = [&](int64_t m, int64_t n, int64_t k) {
    const Matrix a{reinterpret_cast<std::byte*>(words), StorageType::f32, k, 1},
        b{reinterpret_cast<std::byte*>(words), StorageType::f32, n, 1};
    return cpu::SmallMatrices::suits({a, b, words, n, m, n, k});
  };
  EXPECT_TRUE(suits(5, 5, 27));
  EXPECT_TRUE(suits(64, 64, 64));
  EXPECT_TRUE(suits(100000, 16, 16));
  EXPECT_TRUE(suits(16, 1, 16));
  EXPECT_FALSE(suits(128, 128, 128));
  EXPECT_FALSE(suits(2, 2, 1000));
  EXPECT_FALSE(suits(64, 1, 64));
}

}  // namespace
}  // namespace eglantine::test
