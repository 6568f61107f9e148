#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

/// Real tensors of more than 2^31 bytes and of more than 2^32 elements. A program of its own: it wants a GPU with 64
/// GiB.
namespace eglantine::test {
namespace {

/// What adds up to `rows * columns` elements, each known by its place.
struct Large {
  int64_t rows, columns;
  int64_t size() const { return rows * columns; }
};

constexpr Large past_2_to_31_bytes{32768, 16400}, past_2_to_32_elements{65536, 65552};

/// Element (i, j) is (i + 5 j) mod 1024; i runs through whole periods, so that each column sums to the same.
Tensor pattern(const Large& x) {
  const Tensor i = arange(0, static_cast<double>(x.rows), 1, DType::i32).reshape({x.rows, 1});
  const Tensor j = arange(0, static_cast<double>(x.columns), 1, DType::i32).reshape({1, x.columns});
  return bit_and(i + j * 5, 1023).eval();
}

int64_t at(int64_t i, int64_t j) { return (i + 5 * j) % 1024; }

int32_t wrapped(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

int64_t column_sum(const Large& x) { return x.rows / 1024 * (1023 * 1024 / 2); }

class LargeTensors : public ::testing::TestWithParam<Large> {
 protected:
  void TearDown() override {
    x_ = Tensor(NodePtr());
    Device::current().trim();
  }
  const Large large_ = GetParam();
  Tensor x_ = pattern(large_);

  /// The last corner, three by four, where places are largest.
  std::vector<int32_t> corner(const Tensor& x) const {
    return x.slice(0, -3, {}).slice(1, -4, {}).to_vector<int32_t>();
  }
  std::vector<int32_t> expected_corner(int64_t factor) const {
    std::vector<int32_t> values;
    for (int64_t i = large_.rows - 3; i < large_.rows; ++i)
      for (int64_t j = large_.columns - 4; j < large_.columns; ++j) values.push_back(wrapped(factor * at(i, j)));
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, LargeTensors, ::testing::Values(past_2_to_31_bytes, past_2_to_32_elements),
                         [](const auto& each) { return each.index == 0 ? "bytes_2_31" : "elements_2_32"; });

TEST_P(LargeTensors, map) {
  EXPECT_EQ(corner(x_), expected_corner(1));
  EXPECT_EQ(corner((x_ * 3).eval()), expected_corner(3));
}

TEST_P(LargeTensors, transposed_copy) {
  const Tensor turned = (x_.transpose(0, 1) + 0).eval();
  EXPECT_EQ(corner(turned.transpose(0, 1)), expected_corner(1));
}

TEST_P(LargeTensors, reduce) {
  EXPECT_EQ(sum(x_).item<int32_t>(), wrapped(column_sum(large_) * large_.columns));
  const std::vector<int32_t> columns = sum(x_, {0}).to_vector<int32_t>();
  for (const int32_t each : columns) ASSERT_EQ(each, column_sum(large_));
  EXPECT_EQ(max(x_).item<int32_t>(), 1023);
  EXPECT_EQ(sum(x_, {1}).slice(0, -1, {}).item<int32_t>(), sum(x_.slice(0, -1, {})).item<int32_t>());
}

TEST_P(LargeTensors, scan_of_rows) {
  const Tensor sums = cumsum(x_, 1).slice(1, -1, {}).to(Device::open("cpu"));
  EXPECT_TRUE(matches(sums.reshape({-1}), download(sum(x_, {1}))));
}

TEST_P(LargeTensors, take_of_the_last_rows) {
  const auto last = static_cast<int32_t>(large_.rows - 1);
  const Tensor rows = take(x_, Tensor::from<int32_t>({last - 2, last - 1, last}, {3}), 0);
  EXPECT_EQ(corner(rows), expected_corner(1));
}

TEST_P(LargeTensors, product_with_a_column) {
  const Tensor product = matmul(x_.astype(DType::f32), ones({large_.columns, 1}));
  int64_t last = 0;
  for (int64_t j = 0; j < large_.columns; ++j) last += at(large_.rows - 1, j);
  EXPECT_NEAR(product.slice(0, -1, {}).item<float>(), static_cast<double>(last), 1e-5 * static_cast<double>(last));
}

/// Whether a flat result is right, or an error of ours that says what the limit is.
template <class Work>
void right_or_refused(Work work) {
  try {
    work();
  } catch (const Error& error) {
    std::printf("refused: %.300s\n", error.what());
    EXPECT_EQ(std::string(error.what()).front(), '[') << "an error names its function";
  }
}

TEST_P(LargeTensors, scan_of_everything) {
  right_or_refused([&] {
    const Tensor total = cumsum(x_.reshape({-1}), 0).slice(0, -1, {});
    EXPECT_EQ(total.item<int32_t>(), wrapped(column_sum(large_) * large_.columns));
  });
}

TEST_P(LargeTensors, sort_of_everything) {
  right_or_refused([&] {
    const Tensor sorted = sort(x_.reshape({-1})).eval();
    const int64_t each = large_.size() / 1024;  // every value comes equally often
    for (const int64_t value : {int64_t{1}, int64_t{512}, int64_t{1023}})
      EXPECT_EQ(sorted.slice(0, each * value - 1, each * value + 1).to_vector<int32_t>(),
                (std::vector<int32_t>{wrapped(value - 1), wrapped(value)}));
  });
}

TEST_P(LargeTensors, argmax_of_everything) {
  int64_t first = 0;  // in the first row
  while (at(0, first) != 1023) ++first;
  right_or_refused([&] { EXPECT_EQ(argmax(x_.reshape({-1}), 0).item<int32_t>(), first); });
}

}  // namespace
}  // namespace eglantine::test

int main(int count, char** arguments) {
  ::testing::InitGoogleTest(&count, arguments);
  const eglantine::Device device = eglantine::Device::open("gl");
  constexpr int64_t wanted = int64_t{64} << 30;
  if (device.info().memory_bytes < wanted) {
    std::printf("%s has %lld bytes of memory; these tests want %lld\n", device.info().name.c_str(),
                static_cast<long long>(device.info().memory_bytes), static_cast<long long>(wanted));
    return 2;
  }
  eglantine::Device::set_current(device);
  return RUN_ALL_TESTS();
}
