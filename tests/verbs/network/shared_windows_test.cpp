#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Sums of shifted, padded pictures: windows whose elements neighbouring results share, on every alignment and width.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, SharedWindows);

struct WindowCase {
  int64_t rows, columns, taps, apart, before, outside;
  DType dtype;
};

std::string text_of(const WindowCase& c) {
  return text({c.rows, c.columns, c.taps, c.apart, c.before, c.outside}) + " " + std::string(name_of(c.dtype));
}

/// Tap (i, j) counts (i * taps + j + 1) times: exact in every dtype here.
double weight(const WindowCase& c, int64_t i, int64_t j) { return static_cast<double>(i * c.taps + j + 1); }

Array expected_of(const WindowCase& c, const Array& x, const Dims& results) {
  return generate(DType::f32, results, [&](const Dims& at) {
    double sum = 0;
    for_each_index({c.taps, c.taps}, [&](const Dims& tap) {
      const int64_t row = at[1] + tap[0] * c.apart - c.before, column = at[2] + tap[1] * c.apart - c.before;
      const bool inside = row >= 0 && row < c.rows && column >= 0 && column < c.columns;
      sum += weight(c, tap[0], tap[1]) * (inside ? x.at({at[0], row, column}) : static_cast<double>(c.outside));
    });
    return sum;
  });
}

void check(const WindowCase& c) {
  SCOPED_TRACE(text_of(c));
  const int64_t reach = (c.taps - 1) * c.apart, after = std::max<int64_t>(reach - c.before, 0);
  const Array drawn = random_reals({2, c.rows, c.columns}, 0, 4);
  const Array x = naive::map(drawn, DType::f32, [](double v) { return std::floor(v); });
  const Tensor padded = pad(upload(x).astype(c.dtype).eval(), {{0, 0}, {c.before, after}, {c.before, after}},
                            PadMode::constant, static_cast<float>(c.outside));
  const int64_t rows = padded.shape()[1] - reach, columns = padded.shape()[2] - reach;
  Tensor sum;
  for_each_index({c.taps, c.taps}, [&](const Dims& tap) {
    const Tensor part = padded.slice(1, tap[0] * c.apart, tap[0] * c.apart + rows)
                            .slice(2, tap[1] * c.apart, tap[1] * c.apart + columns)
                            .astype(DType::f32);
    const Tensor counted = part * static_cast<float>(weight(c, tap[0], tap[1]));
    sum = sum.defined() ? sum + counted : counted;
  });
  EXPECT_TRUE(matches(sum, expected_of(c, x, {2, rows, columns})));
}

EG_TEST(SharedWindows, of_every_alignment) {
  Draw draw = draw_programs_one_of(24);
  for (const int64_t columns : {8, 12, 13, 20})
    for (const int64_t taps : {2, 3, 5})
      for (const int64_t apart : {1, 2})
        for (int64_t before = 0; before <= 4; ++before)
          for (const DType dtype : {DType::f32, DType::f16, DType::u8, DType::i32})
            if (draw.next()) check({5, columns, taps, apart, before, before % 2, dtype});
}

/// On hardware four lines are a vector, and the last one begins earlier where they are no multiple of four.
EG_TEST(SharedWindows, of_every_number_of_lines) {
  for (int64_t rows = 3; rows <= 9; ++rows) check({rows, 1403 + 2 * (rows % 2), 3, 1, 1, 1, DType::f32});
}

EG_TEST(SharedWindows, whose_results_are_whole_vectors) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8})
    for (const int64_t before : {1, 2}) check({6, 16, 2 * before + 1, 1, before, 0, dtype});
}

}  // namespace
}  // namespace eglantine::test
