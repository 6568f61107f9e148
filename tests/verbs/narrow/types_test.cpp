#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/stored_elements.hpp"

/// f16, bf16, i8 and u8: how they are rounded, widened and stored, for all of their values.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowTypes);

template <class T>
std::vector<uint16_t> bits_of(const std::vector<T>& values) {
  std::vector<uint16_t> bits;
  for (T value : values) bits.push_back(std::isnan(static_cast<float>(value)) ? uint16_t{0xffff} : value.bits);
  return bits;
}

/// Every value, the values between it and the next, and those just beside these.
template <class T>
std::vector<float> around_all() {
  std::vector<float> values;
  const float infinity = std::numeric_limits<float>::infinity();
  for (T value : all_of_16_bits<T>()) {
    const float x = value;
    const float next = T::from_bits(static_cast<uint16_t>(value.bits + 1));
    const float middle = std::isfinite(x) && std::isfinite(next) ? (x + next) / 2 : x * 1.5F;
    for (float y : {x, middle})
      values.insert(values.end(), {std::nextafter(y, -infinity), y, std::nextafter(y, infinity)});
  }
  return values;
}

template <class T>
void check_widening_and_copies() {
  const std::vector<T> all = all_of_16_bits<T>();
  const Tensor x = Tensor::from(all, {65536});
  EXPECT_EQ(x.dtype(), dtype_of<T>());
  std::vector<uint32_t> widened;
  for (float value : x.astype(DType::f32).to_vector<float>())
    widened.push_back(std::isnan(value) ? 0xffffffffU : std::bit_cast<uint32_t>(value));
  std::vector<uint32_t> expected;
  for (T value : all)
    expected.push_back(std::isnan(static_cast<float>(value)) ? 0xffffffffU
                                                             : std::bit_cast<uint32_t>(static_cast<float>(value)));
  EXPECT_EQ(widened, expected);
  EXPECT_EQ(bits_of(x.flip({0}).flip({0}).eval().to_vector<T>()), bits_of(all));
  EXPECT_EQ(bits_of(x.astype(DType::f32).astype(x.dtype()).to_vector<T>()), bits_of(all));
  EXPECT_EQ(bits_of(concatenate({x.slice(0, 0, 1), x.slice(0, 1)}, 0).to_vector<T>()), bits_of(all));
}

template <class T>
void check_rounding() {
  const std::vector<float> values = around_all<T>();
  const auto count = static_cast<int64_t>(values.size());
  const Tensor x = Tensor::from(values, {count});
  const DType dtype = dtype_of<T>();
  std::vector<T> expected;
  for (float value : values) expected.push_back(T(value));
  EXPECT_EQ(bits_of(x.astype(dtype).template to_vector<T>()), bits_of(expected));
  // Fused: rounded on the way. Arithmetic on the denormals of bf16 may flush them.
  const std::vector<float> fused =
      maximum(x.astype(dtype).astype(DType::f32), -std::numeric_limits<float>::infinity()).to_vector<float>();
  for (size_t i = 0; i < fused.size(); ++i) {
    const float rounded = expected[i];
    const bool may_be_flushed = rounded != 0 && std::abs(rounded) < 0x1p-126F && fused[i] == 0;
    ASSERT_TRUE(fused[i] == rounded || may_be_flushed || (std::isnan(rounded) && std::isnan(fused[i])))
        << values[i] << " became " << fused[i] << ", not " << rounded;
  }
}

EG_TEST(NarrowTypes, all_halves_widen_and_move) { check_widening_and_copies<half>(); }
EG_TEST(NarrowTypes, all_bfloat16s_widen_and_move) { check_widening_and_copies<bfloat16>(); }
EG_TEST(NarrowTypes, floats_round_to_the_nearest_half) { check_rounding<half>(); }
EG_TEST(NarrowTypes, floats_round_to_the_nearest_bfloat16) { check_rounding<bfloat16>(); }

EG_TEST(NarrowTypes, the_host_rounds_as_the_reference) {
  for (float value : around_all<half>()) {
    const double expected = as_element(DType::f16, value), rounded = static_cast<double>(half(value));
    ASSERT_TRUE(expected == rounded || (std::isnan(expected) && std::isnan(rounded))) << value;
  }
  for (float value : around_all<bfloat16>()) {
    const double expected = as_element(DType::bf16, value), rounded = static_cast<double>(bfloat16(value));
    ASSERT_TRUE(expected == rounded || (std::isnan(expected) && std::isnan(rounded))) << value;
  }
}

EG_TEST(NarrowTypes, every_length_and_start) {
  for (DType dtype : {DType::f16, DType::bf16, DType::i8, DType::u8})
    for (int64_t length = 0; length <= 37; ++length)
      for (int64_t start = 0; start <= 5; ++start) {
        const Array x = random_array(dtype, {length + start});
        const Array part{dtype, {length}, {x.values.begin() + start, x.values.end()}};
        const Tensor y = upload(x).slice(0, start);
        ASSERT_TRUE(matches(y.flip({0}).eval().flip({0}), part)) << name_of(dtype) << " " << length << " " << start;
        Array twice = part;
        for (double& value : twice.values) value = as_element(dtype, value + value);
        ASSERT_TRUE(matches(y + y, twice)) << name_of(dtype) << " " << length << " " << start;
      }
}

EG_TEST(NarrowTypes, bytes_wrap_and_halves_round_where_they_are_fused) {
  const Tensor b = Tensor::from<uint8_t>({200, 100, 255, 0}, {4});
  EXPECT_EQ((b + b).to_vector<uint8_t>(), (std::vector<uint8_t>{144, 200, 254, 0}));
  EXPECT_EQ(((b + b) / 2).to_vector<uint8_t>(), (std::vector<uint8_t>{72, 100, 127, 0}));
  const Tensor x = Tensor::from<half>({half(2049.0F), half(0.1F)}, {2});
  EXPECT_EQ(((x + 1) + 1).astype(DType::f32).to_vector<float>(),
            (std::vector<float>{2048.0F, half(half(half(0.1F) + 1.0F) + 1.0F)}));
}

EG_TEST(NarrowTypes, families_compute_wide_and_round_once) {
  const Array x = random_array(DType::f16, {7, 33});
  const Tensor t = upload(x), wide = t.astype(DType::f32);
  const auto rounded = [](const Tensor& y) { return download(y.astype(DType::f16)); };
  EXPECT_TRUE(matches(sum(t, 1), rounded(sum(wide, 1))));
  EXPECT_TRUE(matches(mean(t, 0), rounded(mean(wide, 0))));
  EXPECT_TRUE(matches(softmax(t, 1), rounded(softmax(wide, 1))));
  EXPECT_TRUE(matches(cumsum(t, 1), rounded(cumsum(wide, 1))));
  EXPECT_TRUE(matches(sort(t, 1), rounded(sort(wide, 1))));
  EXPECT_TRUE(matches(matmul(t, t.permute({1, 0})), rounded(matmul(wide, wide.permute({1, 0})))));
  EXPECT_TRUE(matches(exp(t) * t, rounded(exp(wide).astype(DType::f16).astype(DType::f32) * wide)));
  EXPECT_TRUE(matches(t.pad({{1, 2}, {3, 0}}), rounded(wide.pad({{1, 2}, {3, 0}}))));
}

}  // namespace
}  // namespace eglantine::test
