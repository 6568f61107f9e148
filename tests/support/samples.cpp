#include "support/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "element_types.hpp"
#include "support/array.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

constexpr int random_count = 6000;

double float_between(DType dtype, Random& random, double low, double high) {
  return as_element(dtype, random.real(low, high));
}

/// Log-uniform: tiny arguments are as frequent as large ones.
double float_by_magnitude(DType dtype, Random& random, double low, double high) {
  const double largest = std::max(std::abs(low), std::abs(high));
  const double magnitude = std::exp2(random.real(dtype == DType::f16 ? -25 : -126, std::log2(largest)));
  const double value = as_element(dtype, random.integer(0, 1) == 0 ? magnitude : -magnitude);
  return value >= low && value <= high ? value : as_element(dtype, std::clamp(-value, low, high));
}

double random_element(const OpRow& row, DType dtype, Random& random, int round) {
  if (dtype == DType::boolean) return static_cast<double>(random.integer(0, 1));
  if (is_integer(dtype) && round % 2 == 0) return as_element(dtype, static_cast<double>(random.integer(-40, 40)));
  if (is_integer(dtype)) return as_element(dtype, static_cast<double>(static_cast<uint32_t>(random.word())));
  const double most = dtype == DType::f16 ? 65504 : 3.4e38;
  const double low = std::max(row.low, -most), high = std::min(row.high, most);
  if (round % 3 == 0) return float_between(dtype, random, low, high);
  if (round % 3 == 1) return float_by_magnitude(dtype, random, low, high);
  return float_between(dtype, random, std::max(row.low, -20.0), std::min(row.high, 20.0));
}

std::vector<double> specials(DType dtype) { return is_float(dtype) ? special_floats(dtype) : special_integers(dtype); }

/// All combinations of the specials, argument by argument.
void add_combinations(Samples& samples, const std::vector<double>& values) {
  size_t total = 1;
  for (size_t i = 0; i < samples.size(); ++i) total *= values.size();
  for (size_t number = 0; number < total; ++number) {
    size_t rest = number;
    for (std::vector<double>& argument : samples) {
      argument.push_back(values[rest % values.size()]);
      rest /= values.size();
    }
  }
}

}  // namespace

std::vector<double> special_floats(DType dtype) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0,
                                0x1p-149,
                                0x1p-130,
                                0x1p-126,
                                1e-30,
                                0x1p-24,
                                0x1p-15,
                                1e-6,
                                0.25,
                                0.5,
                                1,
                                1.5,
                                2,
                                2.5,
                                3,
                                3.5,
                                10,
                                65504,
                                0x1p23,
                                0x1p24 + 2,
                                2147483648.0,
                                0x1p125,
                                0x1p126,
                                0x1p127,
                                0x1.fffffep127,
                                infinity};
  for (size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  for (double& value : values) value = as_element(dtype, value);
  return values;
}

std::vector<double> special_integers(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  if (dtype == DType::u8) return {0, 1, 2, 3, 7, 8, 31, 32, 33, 127, 128, 254, 255};
  if (dtype == DType::i8) return {0, 1, -1, 2, -2, 3, 7, -7, 8, 31, 32, 33, -32, 127, -127, -128};
  if (dtype == DType::u32)
    return {0, 1, 2, 3, 7, 31, 32, 33, 65535, 65536, 2147483647.0, 2147483648.0, 4294967294.0, 4294967295.0};
  return {0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, -32, 46341, -65536, 2147483647.0, -2147483647.0, -2147483648.0};
}

Samples samples_for(const OpRow& row, DType dtype) {
  Samples samples(static_cast<size_t>(row.arity));
  const DType taken = operand_type(row, dtype);
  add_combinations(samples, specials(taken));
  Random random(1234);
  for (int round = 0; round < random_count; ++round)
    for (std::vector<double>& argument : samples) argument.push_back(random_element(row, taken, random, round));
  return samples;
}

std::vector<Tensor> upload_samples(const OpRow& row, DType dtype, const Samples& samples) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < samples.size(); ++i) {
    Array argument{dtype, {static_cast<int64_t>(samples[i].size())}, samples[i]};
    if (row.name == "where" && i == 0) {
      argument.dtype = DType::boolean;
      for (double& value : argument.values) value = value > 0 ? 1 : 0;
    }
    tensors.push_back(upload(argument));
  }
  return tensors;
}

}  // namespace eglantine::test
