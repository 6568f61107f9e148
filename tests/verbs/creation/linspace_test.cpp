#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Linspace);
EG_ON_EACH_DEVICE(Creation, Logspace);

EG_TEST(Linspace, as_numpy) {
  EXPECT_EQ(linspace(0, 1, 5).to_vector<float>(), (std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1}));
  EXPECT_EQ(linspace(3, 9, 1).to_vector<float>(), std::vector<float>{3});
  EXPECT_EQ(linspace(3, 9, 0).size(), 0);
  EXPECT_EQ(linspace(2, 2, 3).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(linspace(1, -1, 2).to_vector<float>(), (std::vector<float>{1, -1}));
}

EG_TEST(Linspace, ends_exactly_at_stop) {
  for (int64_t n : {2, 3, 7, 13, 127, 1025}) {
    for (double stop : {0.1, 1.0 / 3, 1e-30, -7.7, 1e30}) {
      const std::vector<float> values = linspace(0.3, stop, n).to_vector<float>();
      EXPECT_EQ(values.front(), 0.3F);
      EXPECT_EQ(values.back(), static_cast<float>(stop)) << n;
    }
  }
}

EG_TEST(Linspace, over_the_whole_range_of_f32) {
  EXPECT_EQ(linspace(-3e38, 3e38, 2).to_vector<float>(), (std::vector<float>{-3e38F, 3e38F}));
}

struct Line {
  double start, stop;
  int64_t count;
  long double at(int64_t i) const {
    const long double begin = start, end = stop;
    return begin + static_cast<long double>(i) * (end - begin) / static_cast<long double>(count - 1);
  }
};

/// No other float is nearer, but for 2^-59 of the larger end.
EG_TEST(Linspace, rounds_once) {
  for (const Line& line : {Line{0, 1, 1025},
                           {0, 1, 1000003},
                           {-1, 1, 1000},
                           {100, 101, 3001},
                           {-3e38, 3e38, 1025},
                           {0.3, 1e-30, 777},
                           {1e-30, 0.3, 777},
                           {-0.1, 0.3, 5000},
                           {1e30, 1e-30, 13},
                           {-7.7, -7.6999999, 127},
                           {16777216, -16777217, 4099},
                           {1e-37, 3e-37, 101},
                           {5.0 / 3, 1e7 / 3, 65537}}) {
    const std::vector<float> values = linspace(line.start, line.stop, line.count).to_vector<float>();
    const double largest = std::max(std::abs(line.start), std::abs(line.stop));
    int wrong = 0;
    for (int64_t i = 0; i < line.count && wrong < 5; ++i) {
      const float value = values[static_cast<size_t>(i)];
      const long double exact = line.at(i), error = std::abs(value - exact);
      const float other = std::nextafter(value, exact > value ? INFINITY : -INFINITY);
      if (error <= std::abs(other - exact) + 0x1p-59L * largest) continue;
      ++wrong;
      ADD_FAILURE() << line.start << " " << line.stop << " " << line.count << ": element " << i << " is " << value
                    << ", off by " << static_cast<double>(error);
    }
  }
}

EG_TEST(Linspace, is_numpys_in_double_then_rounded) {
  for (const Line& line : {Line{0, 1, 1000}, {-5, 5, 1000}, {0.1, 0.7, 4096}, {2, 3, 50}, {1, 1e6, 3333}}) {
    const Array expected = generate(DType::f32, {line.count}, [&](const Dims& i) {
      return line.start + static_cast<double>(i[0]) * (line.stop - line.start) / static_cast<double>(line.count - 1);
    });
    EXPECT_TRUE(matches(linspace(line.start, line.stop, line.count), expected)) << line.start << " " << line.stop;
  }
}

EG_TEST(Linspace, is_exact_where_the_line_is) {
  for (int64_t half : {1, 3, 5, 49, 5000})
    for (double end : {1.0, 0.1, 1.0 / 3, 7e-12, 3e38})
      EXPECT_EQ(linspace(-end, end, 2 * half + 1).slice(0, half, half + 1).item<float>(), 0.0F) << half << " " << end;
  EXPECT_TRUE(matches(linspace(0, 99999, 100000), iota(DType::f32, {100000})));
  EXPECT_TRUE(matches(linspace(99999, 0, 100000).flip(0), iota(DType::f32, {100000})));
  EXPECT_TRUE(matches(linspace(-0.0, 1, 2), {DType::f32, {2}, {-0.0, 1}}, bitwise));
}

EG_TEST(Linspace, has_the_same_bits_on_every_device_and_in_views) {
  const Tensor mine = linspace(-0.1, 12345.6, 1025);
  const Array values = download(mine);
  for (const std::string& spec : device_specs())
    EXPECT_TRUE(matches(linspace(-0.1, 12345.6, 1025, DType::f32, open_device(spec)), values, bitwise)) << spec;
  EXPECT_TRUE(matches(linspace(-0.1, 12345.6, 1025).flip(0), naive::flip(values, {0}), bitwise));
  EXPECT_TRUE(matches(linspace(-0.1, 12345.6, 1025).reshape({41, 25}).transpose(0, 1),
                      naive::transpose(naive::reshape(values, {41, 25}), 0, 1), bitwise));
}

EG_TEST(Logspace, gives_whole_powers_exactly) {
  EXPECT_EQ(logspace(0, 3, 4).to_vector<float>(), (std::vector<float>{1, 10, 100, 1000}));
  EXPECT_EQ(logspace(10, 0, 11).to_vector<float>(),
            (std::vector<float>{1e10F, 1e9F, 1e8F, 1e7F, 1e6F, 1e5F, 1e4F, 1e3F, 1e2F, 10, 1}));
  EXPECT_EQ(logspace(-2, 4, 7, 2).to_vector<float>(), (std::vector<float>{0.25F, 0.5F, 1, 2, 4, 8, 16}));
  EXPECT_EQ(logspace(0, 5, 6, 3).to_vector<float>(), (std::vector<float>{1, 3, 9, 27, 81, 243}));
  EXPECT_EQ(logspace(0, 4, 3, 0.5).to_vector<float>(), (std::vector<float>{1, 0.25F, 0.0625F}));
  EXPECT_EQ(logspace(-7, 9, 5, 1).to_vector<float>(), std::vector<float>(5, 1.0F));
  EXPECT_EQ(logspace(2, 9, 1).to_vector<float>(), std::vector<float>{100});
  EXPECT_EQ(logspace(2, 9, 0).size(), 0);
}

/// Distance to the power in floats of the result's size, half of which is the best there is.
EG_TEST(Logspace, is_within_0_52_ulp) {
  struct Powers {
    Line line;
    double base;
  };
  for (const Powers& p : {Powers{{0, 1, 1025}, 10},
                          {{-37.5, 38.5, 4001}, 10},
                          {{-3, 5, 777}, 2.718281828459045},
                          {{-125, 127.9, 4001}, 2},
                          {{0.5, -0.25, 127}, 1e-9},
                          {{-1e4, 1e4, 1001}, 1.001}}) {
    const std::vector<float> values = logspace(p.line.start, p.line.stop, p.line.count, p.base).to_vector<float>();
    for (int64_t i = 0; i < p.line.count; ++i) {
      const float value = values[static_cast<size_t>(i)];
      const long double exact = std::pow(static_cast<long double>(p.base), p.line.at(i));
      const int exponent = std::ilogb(exact);
      ASSERT_LE(std::abs(value - exact), 0.52L * std::ldexp(1.0L, exponent - 23)) << p.base << " element " << i;
    }
  }
}

EG_TEST(Logspace, passes_f32_as_pow_does) {
  const std::vector<float> values = logspace(-60, 60, 5).to_vector<float>();
  EXPECT_EQ(values, (std::vector<float>{0, 1e-30F, 1, 1e30F, INFINITY}));
  EXPECT_EQ(logspace(-3e5, 3e5, 5).to_vector<float>(), (std::vector<float>{0, 0, 1, INFINITY, INFINITY}));
}

EG_TEST(Logspace, has_the_same_bits_on_every_device) {
  const Array mine = download(logspace(-3.5, 7.25, 1025));
  for (const std::string& spec : device_specs())
    EXPECT_TRUE(matches(logspace(-3.5, 7.25, 1025, 10, DType::f32, open_device(spec)), mine, bitwise)) << spec;
}

}  // namespace
}  // namespace eglantine::test
