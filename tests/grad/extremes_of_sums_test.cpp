#include <functional>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Largest and smallest elements of what is made of sums, looked for again in what they were found in: with the bits
/// that this had, though kernels add sums in orders of their own.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Derivatives, ExtremesOfSums);

using Map = std::function<Tensor(const Tensor&)>;

struct Made {
  const char* name;
  Map of;
  int along = 1;  ///< the axis of the sums
};

const std::vector<Made> made_of_sums = {
    {"softmax", [](const Tensor& x) { return softmax(x, 1); }},
    {"log_softmax over columns", [](const Tensor& x) { return log_softmax(x, 0); }, 0},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, {1}); }},
    {"shares", [](const Tensor& x) { return exp(x) / sum(exp(x), {1}, true); }},
    {"deviations", [](const Tensor& x) { return relu(x - mean(x, {0}, true)) * rsqrt(var(x, {0}, true)); }, 0},
};
const std::vector<Made> largest_or_smallest = {
    {"max of rows", [](const Tensor& y) { return max(y, {1}); }},
    {"min of columns", [](const Tensor& y) { return min(y, {0}); }},
    {"max of all", [](const Tensor& y) { return max(y); }},
    {"max of shown rows", [](const Tensor& y) { return max(y.slice(0, 1, 4).transpose(0, 1), {0}); }},
    {"max of windows",
     [](const Tensor& y) {
       return max_pool(y.unsqueeze(0).unsqueeze(0), {2, 3});
     }},
};

Tensor cotangent_by(const Map& f, const Tensor& x, const Tensor& cotangent, bool value_first) {
  const auto [value, gradients] = vjp([&](const Tensors& at) { return Tensors{f(at[0])}; }, {x}, {cotangent});
  if (value_first) value[0].eval();
  return gradients[0].eval();
}

/// By the same with every value in memory.
void check_gradient(const Made& made, const Made& extreme, const Tensor& x, bool value_first) {
  SCOPED_TRACE(std::string(extreme.name) + " of " + made.name + (value_first ? ", the value first" : ""));
  const Tensor y = made.of(x).eval();
  const Tensor cotangent = (uniform(extreme.of(y).shape(), 7) + 1).eval();
  const Tensor wanted = cotangent_by(made.of, x, cotangent_by(extreme.of, y, cotangent, false), false);
  const Tensor found =
      cotangent_by([&](const Tensor& at) { return extreme.of(made.of(at)); }, x, cotangent, value_first);
  EXPECT_TRUE(matches(found, download(wanted), {0, 1e-4, 1e-5}));
}

EG_TEST(ExtremesOfSums, get_all_of_their_gradient) {
  Draw cases = draw_programs_one_of(12);
  for (uint32_t seed = 1; seed < 4; ++seed)
    for (const Made& made : made_of_sums)
      for (const Made& extreme : largest_or_smallest)
        for (const Dims& shape : {Dims{5, 13}, Dims{37, 70}})
          for (const bool value_first : {true, false})
            if (cases.next()) check_gradient(made, extreme, upload(random_reals(shape, -2, 2, seed)), value_first);
}

/// Of what is made of sums along another axis; a sum along theirs is added on the way, in its kernel's order.
EG_TEST(ExtremesOfSums, along_other_axes_are_equal_to_an_element) {
  const Tensor x = upload(random_reals({37, 70}, -2, 2, 3));
  for (const Made& made : made_of_sums)
    for (const Axes& axes : {Axes{made.along == 0 ? 1 : 0}, Axes{0, 1}}) {
      const Tensor y = made.of(x), largest = max(y, axes, true).eval();
      EXPECT_GE(sum(eq(y, largest)).item<int32_t>(), largest.shape().elements()) << made.name;
    }
}

}  // namespace
}  // namespace eglantine::test
