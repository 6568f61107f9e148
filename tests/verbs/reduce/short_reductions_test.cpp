#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/tree_simulation.hpp"
#include "support/shapes.hpp"

/// Reductions of few elements to each of many results, which software devices combine in registers.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Reduce, Short);

constexpr int64_t elements = 140000;  ///< in all, more than a program of its own takes

/// Where the reduced axis of length n lies.
struct Place {
  const char* name;
  Dims (*shape)(int64_t n);
  int64_t axis;
  float (*tree)(std::vector<float>);
};

const Place first{"first", [](int64_t n) { return Dims{n, elements / n}; }, 0, column_tree_sum};
const Place middle{"middle", [](int64_t n) { return Dims{elements / n / 37, n, 37}; }, 1, column_tree_sum};
const Place last{"last", [](int64_t n) { return Dims{elements / n, n}; }, 1, row_tree_sum};

using Function = std::function<Tensor(const Tensor&)>;

/// The device's bits are those of the CPU backend.
void check(const Array& x, const Function& function) {
  const Tensor here = upload(x);
  EXPECT_TRUE(same_bits(function(here), function(here.to(Device::open("cpu")))));
}

EG_TEST(Short, sums_of_every_length_have_the_bits_of_their_tree) {
  Draw draw = draw_programs_one_of(12);
  for (int64_t n = 2; n <= 40; ++n)
    for (const Place& place : {first, middle, last}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(place.name) + " " + std::to_string(n));
      const Array x = random_array(DType::f32, place.shape(n), static_cast<uint64_t>(n));
      EXPECT_TRUE(matches(sum(upload(x), place.axis), simulate_sum(x, {place.axis}, place.tree)));
    }
}

EG_TEST(Short, every_reduction_of_every_dtype) {
  using Reduce = Tensor (*)(const Tensor&, Axes, bool);
  Draw draw = draw_programs_one_of(12);
  for (DType dtype : every_dtype)
    for (const Reduce reduce : {Reduce{sum}, Reduce{prod}, Reduce{max}, Reduce{min}, Reduce{any}, Reduce{all}})
      for (const Place& place : {first, last}) {
        if (!draw.next()) continue;
        SCOPED_TRACE(std::string(place.name) + " " + std::string(name_of(dtype)));
        check(random_array(dtype, place.shape(5)), [&](const Tensor& x) { return reduce(x, place.axis, false); });
      }
}

EG_TEST(Short, several_axes_of_views) {
  Draw draw = draw_programs_one_of(4);
  const Array x = random_array(DType::f32, {3, 40, 2, 600});
  const auto over = [&](const Axes& axes, const Function& view) {
    if (draw.next()) check(x, [&](const Tensor& all) { return sum(view(all), axes); });
  };
  const Function as_it_is = [](const Tensor&all) { return all; },
                 backwards =
                     [](const Tensor&all) {
                       return all.flip({0, 2}).slice(3, 1, 599);
                     },
                 permuted =
                     [](const Tensor&all) {
                       return all.permute({3, 0, 1, 2});
                     },
                 rolled = [](const Tensor&all) { return roll(all, 7, 3); }, padded = [](const Tensor&all) {
                   return pad(all, {{0, 1}, {0, 0}, {1, 0}, {0, 0}});
                 };
  for (const Function& view : {as_it_is, backwards, rolled, padded}) over({0, 2}, view);
  for (const Axes& axes : {Axes{1}, Axes{3}, Axes{1, 3}}) over(axes, permuted);
}

EG_TEST(Short, with_what_comes_before_and_after) {
  const std::vector<Function> programs{
      [](const Tensor& x) { return sum(x * x + 1, 0) * 2; },
      [](const Tensor& x) { return abs(mean(x * x, 1)) + x[0].slice(0, 0, 1); },
      [](const Tensor& x) {
        return sum(x, 0) / arange(1, x.shape()[1] * x.shape()[2] + 1, 1, DType::f32, x.device())
                               .reshape({x.shape()[1], x.shape()[2]});
      },
      [](const Tensor& x) {
        return sum(x * arange(0, 7, 1, DType::f32, x.device()).reshape({7, 1, 1}), 0).astype(DType::f16);
      },
      [](const Tensor& x) {
        return sum(x, 0).permute({1, 0}) - sum(x, 0).permute({1, 0}).slice(0, 3, 4);
      }};
  for (const Function& program : programs) check(random_array(DType::f32, {7, 160, 130}), program);
}

EG_TEST(Short, beside_a_second_result) {
  const Array x = random_array(DType::f32, {6, 30000});
  const auto both = [](const Tensor& held) {
    const Tensor total = sum(held, 0), half = abs(total) * 0.5F;
    eval({total, half});
    return stack({total, half}, 0);
  };
  check(x, both);
}

EG_TEST(Short, of_special_values) {
  Array x = random_array(DType::f32, {5, 30000});
  for (size_t i = 0; i < x.values.size(); i += 3)
    x.values[i] = std::array{0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}[i % 5];
  for (const auto reduce :
       {+[](const Tensor& held) { return sum(held, 0); }, +[](const Tensor& held) { return max(held, 0); },
        +[](const Tensor& held) { return min(held, 0); }})
    check(x, reduce);
}

}  // namespace
}  // namespace eglantine::test
