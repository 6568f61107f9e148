#include "tensor/float_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace eglantine::test {
namespace {

/// Every finite value's text reads back as the value, and has no more digits than it takes.
template <class T>
void expect_texts_read_back(size_t most_digits) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const T value = T::from_bits(static_cast<uint16_t>(bits));
    if (!std::isfinite(static_cast<float>(value))) continue;
    const float decimal = shortest_decimal(value);
    const std::string text = scalar_text(decimal), in_vector = float_texts({value}, {decimal}).front();
    ASSERT_EQ(T(std::strtof(text.c_str(), nullptr)).bits, bits) << text;
    ASSERT_EQ(T(std::strtof(in_vector.c_str(), nullptr)).bits, bits) << in_vector;
    std::string digits = std::to_string(std::strtod(text.substr(0, text.find('e')).c_str(), nullptr));
    digits.erase(std::remove_if(digits.begin(), digits.end(), [](char c) { return c < '0' || c > '9'; }), digits.end());
    digits.erase(0, digits.find_first_not_of('0'));
    digits.erase(digits.find_last_not_of('0') + 1);
    ASSERT_LE(digits.size(), most_digits) << text;
  }
}

TEST(FloatText, of_every_half_reads_back) { expect_texts_read_back<half>(5); }
TEST(FloatText, of_every_bfloat16_reads_back) { expect_texts_read_back<bfloat16>(4); }

}  // namespace
}  // namespace eglantine::test
