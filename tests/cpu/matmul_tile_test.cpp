#include <gtest/gtest.h>
#include <sys/mman.h>

#include "backend/cpu/families/families.hpp"
#include "cpu/kernels.hpp"

// Products on one thread with sizes and strides that BLAS does not take.
namespace eglantine::test {
namespace {

using cpu::GemmArguments;

cpu::Matrix matrix_of(const cpu::Word* words, int64_t row_stride, int64_t column_stride) {
  return {reinterpret_cast<std::byte*>(const_cast<cpu::Word*>(words)), StorageType::f32, row_stride, column_stride};
}

TEST(CpuMatmulTile, long_products_of_copied_operands_are_cut) {
  const int64_t n = int64_t{1} << 16, k = 600;
  const Bits a = bits_of(random_floats(k, 1)), b = bits_of(random_floats(k + n, 2));
  Bits c(static_cast<size_t>(n), bits_of(NAN));
  // b is a Hankel matrix, whose rows overlap: b[i][j] = data[i + j].
  cpu::multiply_floats({matrix_of(a.data(), k, 1), matrix_of(b.data(), 1, 1), c.data(), n, 1, n, k});
  for (int64_t j = 0; j < n; j += 777) {
    double expected = 0;
    for (int64_t i = 0; i < k; ++i)
      expected += static_cast<double>(float_of(a[static_cast<size_t>(i)])) *
                  static_cast<double>(float_of(b[static_cast<size_t>(i + j)]));
    ASSERT_NEAR(static_cast<double>(float_of(c[static_cast<size_t>(j)])), expected, 1e-4) << "column " << j;
  }
}

// Reserved address space, of which few pages are ever touched.
class Reserved {
 public:
  explicit Reserved(int64_t words)
      : bytes_(static_cast<size_t>(words) * sizeof(uint32_t)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Reserved() { munmap(data_, bytes_); }
  uint32_t* words() const { return data_ == MAP_FAILED ? nullptr : static_cast<uint32_t*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

TEST(CpuMatmulTile, rows_may_lie_further_apart_than_32_bits_count) {
  const int64_t far = (int64_t{1} << 31) + 5;
  const Reserved a(far + 2), c(far + 2);
  ASSERT_NE(a.words(), nullptr);
  ASSERT_NE(c.words(), nullptr);
  // (1 2; 3 4) times (5 6; 7 8)
  a.words()[0] = bits_of(1), a.words()[1] = bits_of(2);
  a.words()[far] = bits_of(3), a.words()[far + 1] = bits_of(4);
  const Bits b = bits_of(std::vector<float>{5, 6, 7, 8});
  cpu::multiply_floats({matrix_of(a.words(), far, 1), matrix_of(b.data(), 2, 1), c.words(), far, 2, 2, 2});
  EXPECT_EQ(float_of(c.words()[0]), 19);
  EXPECT_EQ(float_of(c.words()[1]), 22);
  EXPECT_EQ(float_of(c.words()[far]), 43);
  EXPECT_EQ(float_of(c.words()[far + 1]), 50);
}

}  // namespace
}  // namespace eglantine::test
