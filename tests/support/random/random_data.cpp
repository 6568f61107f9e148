#include "support/random/random_data.hpp"

namespace eglantine::test {

Random::Random(uint64_t seed) : state_(seed) {}

// splitmix64 (Steele, Lea and Flood 2014).
uint64_t Random::word() {
  state_ += 0x9e3779b97f4a7c15U;
  uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

int64_t Random::integer(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(word() % static_cast<uint64_t>(high - low + 1));
}

double Random::real(double low, double high) {
  return low + (high - low) * static_cast<double>(word() >> 11U) * 0x1p-53;
}

Array random_array(DType dtype, const Dims& shape, uint64_t seed) {
  Random random(seed);
  return generate(dtype, shape, [&](const Dims&) {
    switch (dtype) {
      case DType::f32:
      case DType::f16:
      case DType::bf16:
        return as_element(dtype, random.real(-2, 2));
      case DType::i32:
      case DType::i8:
        return static_cast<double>(random.integer(-100, 100));
      case DType::u32:
      case DType::u8:
        return static_cast<double>(random.integer(0, 200));
      case DType::boolean:
        break;
    }
    return static_cast<double>(random.integer(0, 1));
  });
}

Array random_reals(const Dims& shape, double low, double high, uint64_t seed) {
  Random random(seed);
  return generate(DType::f32, shape, [&](const Dims&) { return as_element(DType::f32, random.real(low, high)); });
}

Array random_bits(DType dtype, const Dims& shape, uint64_t seed) {
  Random random(seed);
  return generate(dtype, shape, [&](const Dims&) {
    return as_element(dtype, static_cast<double>(static_cast<uint32_t>(random.word())));
  });
}

}  // namespace eglantine::test
