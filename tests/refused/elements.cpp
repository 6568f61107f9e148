#include <eglantine/eglantine.hpp>

/// What must not compile, a case at a time, and what the compiler must say: `check` reads the lines `case N: sentence`.
/// Case 0 is what must compile.
/// case 1: Tensor::from takes float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 2: Tensor::from takes float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 3: Tensor::from takes float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 4: Tensor::from takes float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 5: to_vector, item and copy_to read float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 6: to_vector, item and copy_to read float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 7: to_vector, item and copy_to read float, double, half, bfloat16, bool and integers of 8 to 64 bits
/// case 8: elements are float, int32_t, uint32_t, bool, half, bfloat16, int8_t or uint8_t
/// case 9: array_equal(x, y)
/// case 10: discards qualifiers
/// case 11: half
using namespace eglantine;

void refused(const Tensor& x, std::span<const char> letters, std::span<long double> reals) {
  (void)x, (void)letters, (void)reals;
#if CASE == 0
  Tensor::from({1.0F, 2.0F}, {2}), Tensor::from({1.0, 2.5}, {2}), Tensor::from({true}, {1});
  Tensor::from(std::vector<int64_t>{1, 2}, {2}), Tensor::from<half>({half(1.0F)}, {1}), Tensor::from<int8_t>({1}, {1});
  (void)x.item<float>(), (void)x.to_vector<bool>(), (void)x.item<double>(), (void)x.to_vector<uint16_t>();
  (void)(x * half(0.5F)), (void)static_cast<float>(bfloat16(1.0F));
#elif CASE == 1
  Tensor::from({1.0L, 2.0L}, {2});
#elif CASE == 2
  Tensor::from(std::vector<std::string>{"1", "2"}, {2});
#elif CASE == 3
  Tensor::from(letters, {2});
#elif CASE == 4
  Tensor::from(reals, {2});
#elif CASE == 5
  (void)x.item<long double>();
#elif CASE == 6
  (void)x.to_vector<char>();
#elif CASE == 7
  x.copy_to(reals);
#elif CASE == 8
  (void)dtype_of<double>();
#elif CASE == 9
  if (x == x) return;
#elif CASE == 10
  x[0] = x;
#elif CASE == 11
  const half rounded = 0.1F;  // which rounds: half(0.1F) says so
  (void)rounded;
#endif
}
