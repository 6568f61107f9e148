#include <eglantine/eglantine.hpp>

/// What must not compile, a case at a time, and what the compiler must say: `check` reads the lines `case N: sentence`.
/// Case 0 is what must compile.
/// case 1: Tensor::from takes float, int32_t, uint32_t or bool
/// case 2: Tensor::from takes float, int32_t, uint32_t or bool
/// case 3: Tensor::from takes float, int32_t, uint32_t or bool
/// case 4: Tensor::from takes float, int32_t, uint32_t or bool
/// case 5: to_vector, item and copy_to read float, int32_t, uint32_t or bool
/// case 6: to_vector, item and copy_to read float, int32_t, uint32_t or bool
/// case 7: to_vector, item and copy_to read float, int32_t, uint32_t or bool
/// case 8: elements are float, int32_t, uint32_t or bool
/// case 9: array_equal(x, y)
/// case 10: discards qualifiers
using namespace eglantine;

void refused(const Tensor& x, std::span<const int16_t> shorts, std::span<double> doubles) {
  (void)x, (void)shorts, (void)doubles;
#if CASE == 0
  Tensor::from({1.0F, 2.0F}, {2}), Tensor::from<float>({1.0, 2.0}, {2}), Tensor::from({true}, {1});
  (void)x.item<float>(), (void)x.to_vector<bool>();
#elif CASE == 1
  Tensor::from({1.0, 2.0}, {2});
#elif CASE == 2
  Tensor::from(std::vector<int64_t>{1, 2}, {2});
#elif CASE == 3
  Tensor::from(shorts, {2});
#elif CASE == 4
  Tensor::from(doubles, {2});
#elif CASE == 5
  (void)x.item<double>();
#elif CASE == 6
  (void)x.to_vector<int64_t>();
#elif CASE == 7
  x.copy_to(doubles);
#elif CASE == 8
  (void)dtype_of<double>();
#elif CASE == 9
  if (x == x) return;
#elif CASE == 10
  x[0] = x;
#endif
}
