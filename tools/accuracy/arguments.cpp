#include "accuracy/arguments.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace eglantine::accuracy {
namespace {

constexpr size_t batch_size = size_t{1} << 20;
constexpr int neighbours = 64;

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

/// Where functions break: zeros, denormals, halves, powers of two, multiples of pi / 2, where exp and its like overflow
/// and vanish, the zero of digamma, and both ends of the range. Of both signs.
std::vector<float> specials() {
  std::vector<float> values = {0.0F,
                               0x1p-149F,
                               0x1p-127F,
                               0x1.fffffcp-127F,
                               0x1p-126F,
                               0x1p-125F,
                               1e-30F,
                               0x1p-64F,
                               1e-6F,
                               0x1p-12F,
                               0.25F,
                               0.5F,
                               0.75F,
                               1.0F,
                               1.4616321F,
                               1.5F,
                               1.5707963F,
                               2.0F,
                               2.5F,
                               3.0F,
                               3.1415927F,
                               3.5F,
                               4.0F,
                               5.0F,
                               7.0F,
                               10.0F,
                               22.0F,
                               88.72284F,
                               103.97208F,
                               128.0F,
                               150.0F,
                               10000.0F,
                               0x1p22F,
                               0x1p23F,
                               0x1p24F,
                               0x1p31F,
                               0x1p32F,
                               0x1p63F,
                               0x1p64F,
                               0x1p125F,
                               0x1p126F,
                               0x1p127F,
                               0x1.fffffep127F,
                               std::numeric_limits<float>::infinity()};
  for (size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.push_back(-std::numeric_limits<float>::quiet_NaN());
  return values;
}

/// Hands over what was collected whenever it is a batch.
class Batches {
 public:
  explicit Batches(const std::function<void(const Arguments&)>& use) : use_(use) {}
  void add(float x) {
    batch_.x.push_back(x);
    if (batch_.x.size() == batch_size) flush();
  }
  void add(float x, float y) {
    batch_.y.push_back(y);
    add(x);
  }
  void flush() {
    if (!batch_.x.empty()) use_(batch_);
    batch_.x.clear();
    batch_.y.clear();
  }

 private:
  const std::function<void(const Arguments&)>& use_;
  Arguments batch_;
};

void add_around(Batches& batches, float value) {
  float below = value, above = value;
  batches.add(value);
  for (int i = 0; i < neighbours; ++i) {
    batches.add(below = std::nextafterf(below, -std::numeric_limits<float>::infinity()));
    batches.add(above = std::nextafterf(above, std::numeric_limits<float>::infinity()));
  }
}

void add_single(Batches& batches, const Operation& operation, uint32_t stride) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += stride) batches.add(from_bits(static_cast<uint32_t>(bits)));
  for (float value : specials()) add_around(batches, value);
  add_around(batches, static_cast<float>(operation.low));
  add_around(batches, static_cast<float>(operation.high));
}

/// Numbers from a fixed seed.
class Pairs {
 public:
  void add(Batches& batches, uint64_t number) {
    switch (number % 5) {
      case 0:
        return batches.add(any(), any());
      case 1: {
        const float x = any();
        return batches.add(x, like(x));
      }
      case 2:
        return batches.add(any(), from_bits((word() & 0x80ffffffU) | 0x7e000000U));  // 2^125 and up
      case 3:
        return batches.add(between(-20, 20), std::nearbyint(between(-40, 40)));
      default:
        return batches.add(between(0.5F, 2), between(-200, 200));
    }
  }

 private:
  uint32_t word() { return engine_(); }
  float any() { return from_bits(word()); }
  /// Of another sign and mantissa, its exponent within 4 of x's.
  float like(float x) {
    const int64_t exponent = (std::bit_cast<uint32_t>(x) >> 23 & 0xff) + static_cast<int64_t>(word() % 9) - 4;
    const auto kept = static_cast<uint32_t>(exponent < 0 ? 0 : exponent > 255 ? 255 : exponent);
    return from_bits((word() & 0x807fffffU) | kept << 23);
  }
  float between(float low, float high) { return low + (high - low) * (static_cast<float>(word() >> 8) * 0x1p-24F); }

  std::mt19937 engine_{20240229};
};

void add_pairs(Batches& batches, uint32_t stride) {
  const std::vector<float> values = specials();
  for (float x : values)
    for (float y : values) batches.add(x, y);
  Pairs pairs;
  for (uint64_t i = 0; i < (uint64_t{1} << 32) / stride; ++i) pairs.add(batches, i);
}

}  // namespace

void for_each_batch(const Operation& operation, uint32_t stride, const std::function<void(const Arguments&)>& use) {
  Batches batches(use);
  if (operation.arity == 1)
    add_single(batches, operation, stride);
  else
    add_pairs(batches, stride);
  batches.flush();
}

}  // namespace eglantine::accuracy
