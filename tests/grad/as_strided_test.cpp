#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/views.hpp"

/// as_strided and layout inside of derivatives: they see the buffer that they see outside.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, AsStridedDerivatives);

using TensorFunction = std::function<Tensor(const Tensor& x)>;

std::vector<float> floats(const Tensor& x) { return x.to_vector<float>(); }

Tensor cubed(const Tensor& x) { return x * x * x; }

/// Element i (row-major) of x lies there.
std::vector<int64_t> addresses_of(const Layout& x) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t address = x.offset, position = i;
    for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
      address += position % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
      position /= x.shape[axis];
    }
    found.push_back(address);
  }
  return found;
}

/// The element of x at each address that `wanted` reads: the last, or -1.
std::vector<int64_t> elements_read(const Tensor& x, const Layout& wanted) {
  const std::vector<int64_t> of_x = addresses_of(x.layout());
  std::vector<int64_t> found;
  for (const int64_t address : addresses_of(wanted)) {
    const auto last = std::find(of_x.rbegin(), of_x.rend(), address);
    found.push_back(of_x.rend() - last - 1);
  }
  return found;
}

/// Backwards and forwards, against loops over the elements of x, which is held anew for each: what is pending lies as
/// it does once it is computed.
void check_strided(const std::function<Tensor()>& x, const Layout& wanted) {
  const Function f = [&](const Tensors& at) {
    return Tensors{at[0].as_strided(wanted.shape, wanted.strides, wanted.offset)};
  };
  const Tensor outside = f({x()})[0], g = uniform(wanted.shape, 3), u = uniform(x().shape(), 4);
  const auto [pulled_values, pulled] = vjp(f, {x()}, {g});
  const auto [pushed_values, pushed] = jvp(f, {x()}, {u});
  EXPECT_TRUE(same_bits(pulled_values[0], outside));
  EXPECT_TRUE(same_bits(pushed_values[0], outside));
  const std::vector<int64_t> read = elements_read(x(), wanted);
  const std::vector<float> cotangents = floats(g), tangents = floats(u);
  std::vector<float> back(static_cast<size_t>(u.size())), forth(read.size());
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i] < 0) continue;
    back[static_cast<size_t>(read[i])] += cotangents[i];
    forth[i] = tangents[static_cast<size_t>(read[i])];
  }
  EXPECT_EQ(floats(pulled[0]), back);
  EXPECT_EQ(floats(pushed[0]), forth);
}

EG_TEST(AsStridedDerivatives, are_of_the_elements_that_lie_there) {
  for (const View& held : every_view()) {
    SCOPED_TRACE(held.name);
    const auto x = [&] { return held.hold(random_reals({3, 4}, -1, 1)).tensor; };
    check_strided(x, {{2, 2}, {1, 2}, 0});
    if (held.name != "broadcast") check_strided(x, {{3, 4}, {2, 1}, 4});  // overlaps, and reaches 11
  }
  const Tensor row = arange(0, 20).eval();
  const auto behind = [&] { return row.slice(0, 8, 14).reshape({2, 3}); };
  check_strided(behind, {{2, 2}, {1, 2}, 0});
  check_strided(behind, {{4}, {2}, 7});
  check_strided([&] { return windows(row, {0}, {3}, {1}); }, {{18}, {1}, 1});
}

/// What f sees of a tensor, outside and inside.
void expect_seen_alike(const std::function<Tensor()>& x, const TensorFunction& moved, const Layout& wanted) {
  std::vector<Layout> layouts;
  const Function f = [&](const Tensors& at) {
    const Tensor y = moved(at[0]);
    layouts.push_back(y.layout());
    const Tensor read = y.as_strided(wanted.shape, wanted.strides, wanted.offset);
    layouts.push_back(read.layout());
    return Tensors{read, read.as_strided({4}, {1}, 1)};  // of the same buffer
  };
  const Tensors outside = f({x()});
  const Tensors inside = jvp(f, {x()}, {x()}).first;
  for (size_t i = 0; i < outside.size(); ++i) EXPECT_TRUE(same_bits(inside[i], outside[i])) << i;
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(layouts[i].shape, layouts[i + 2].shape) << i;
    EXPECT_EQ(layouts[i].strides, layouts[i + 2].strides) << i;
    EXPECT_EQ(layouts[i].offset, layouts[i + 2].offset) << i;
  }
}

EG_TEST(AsStridedDerivatives, see_what_they_see_outside) {
  const Function turned =
      custom_vjp([](const Tensors& x) { return Tensors{(x[0] * 2).eval().transpose(0, 1)}; },
                 [](const Tensors&, const Tensors&, const Tensors& g) { return Tensors{g[0].transpose(0, 1) * 2}; });
  for (const View& held : every_view()) {
    if (held.name == "broadcast") continue;  // its buffer has 4 elements
    const auto x = [&] { return held.hold(random_reals({3, 4}, -1, 1)).tensor; };
    const auto check_moved = [&](const char* what, const TensorFunction& moved) {
      SCOPED_TRACE(held.name + ", " + what);
      expect_seen_alike(x, moved, {{2, 3}, {1, 2}, 0});
    };
    check_moved("itself", [](const Tensor& y) { return y; });
    check_moved("a view", [](const Tensor& y) { return y.transpose(0, 1).slice(0, 1, 3).flip({1}); });
    check_moved("in another shape", [](const Tensor& y) { return y.reshape({12}); });
    check_moved("and back", [](const Tensor& y) { return y.reshape({12}).reshape({3, 4}); });
    check_moved("computed", [](const Tensor& y) { return (y.transpose(0, 1) + 1).eval(); });
    check_moved("a constant", [](const Tensor& y) { return stop_gradient(y.transpose(0, 1)); });
    check_moved("with a derivative of its own", [&](const Tensor& y) { return turned({y})[0]; });
  }
}

EG_TEST(AsStridedDerivatives, reach_as_far_as_outside) {
  const Tensor x = arange(0, 12).eval().slice(0, 8, 12).reshape({2, 2});
  const auto f = [](const Tensors& at) { return sum(at[0].as_strided({2, 2}, {1, 2}, 9)); };
  const std::string message = "[Tensor::as_strided] reaches elements 9 to 12 of a buffer of 12";
  EXPECT_ERROR(f({x}), ShapeError, message);
  EXPECT_ERROR(grad(f, {x}), ShapeError, message);
}

EG_TEST(AsStridedDerivatives, have_derivatives_themselves) {
  for (const char* name : {"contiguous", "permuted", "offset", "flipped", "stepped"}) {
    SCOPED_TRACE(name);
    const Tensor x = view(name).hold(random_reals({3, 4}, -1, 1)).tensor;
    // Of the sum of their cubes: 6 x, as often as an element is read.
    const auto f = [](const Tensors& at) { return sum(cubed(at[0].as_strided({2, 2}, {0, 3}, 4))); };
    const auto slope = [&](const Tensors& at) { return sum(grad(f, at)[0]); };
    const Layout wanted{{2, 2}, {0, 3}, 4};
    std::vector<float> curves(12);
    const std::vector<float> at = floats(x);
    for (const int64_t i : elements_read(x, wanted))
      if (i >= 0) curves[static_cast<size_t>(i)] += 6 * at[static_cast<size_t>(i)];
    const Tensor found = grad(slope, {x})[0];
    for (size_t i = 0; i < curves.size(); ++i) EXPECT_NEAR(floats(found)[i], curves[i], 1e-4) << i;
  }
}

/// The inner derivative is by a part of the outer one's input: what lies beside it is not constant to the outer one.
EG_TEST(AsStridedDerivatives, tell_inner_from_outer_inputs) {
  const Tensor x = arange(0, 6).reshape({2, 3}).eval().transpose(0, 1);
  const auto whole = [](const Tensors& at) { return sum(square(at[0].as_strided({6}, {1}, 0))); };
  const auto first_row = [](const Tensor& at) { return at.slice(0, 0, 1); };
  const auto value = [&](const Tensors& at) { return value_and_grad(whole, {first_row(at[0])}).first; };
  const auto slope = [&](const Tensors& at) { return sum(grad(whole, {first_row(at[0])})[0]); };
  EXPECT_EQ(floats(grad(whole, {first_row(x)})[0]), (std::vector<float>{0, 6}));
  EXPECT_EQ(floats(grad(value, {x})[0]), (std::vector<float>{0, 6, 2, 8, 4, 10}));
  EXPECT_EQ(floats(grad(slope, {x})[0]), (std::vector<float>{2, 2, 0, 0, 0, 0}));
}

/// Nothing goes to what is taken for a constant.
EG_TEST(AsStridedDerivatives, stop_at_constants) {
  const Tensor x = arange(0, 6).reshape({2, 3}).eval().transpose(0, 1);
  const auto f = [](const Tensors& at) { return sum(at[0] * stop_gradient(at[0]).as_strided({3, 2}, {2, 1}, 0)); };
  EXPECT_EQ(floats(grad(f, {x})[0]), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

/// In one call, and where f is called slice by slice.
EG_TEST(AsStridedDerivatives, of_mapped_functions_see_slices_by_themselves) {
  const Tensor x = arange(0, 12).reshape({2, 2, 3}).eval();
  const auto diagonal_of = [](const Tensor& y) { return y.transpose(0, 1).as_strided({2}, {4}, 0); };
  const std::vector<float> wanted{0, 4, 6, 10}, slopes{0, 0, 0, 0, 8, 0, 12, 0, 0, 0, 20, 0};
  for (const bool reads : {false, true}) {
    const Function f = [&](const Tensors& at) {
      const float read = reads ? sum(at[0]).item<float>() : 0;
      EXPECT_GE(read, 0);
      return Tensors{diagonal_of(at[0])};
    };
    const Function slope = [&](const Tensors& at) {
      return grad([&](const Tensors& y) { return sum(square(f(y)[0])); }, at);
    };
    const auto of_all = [&](const Tensors& at) { return sum(square(vmap(f, {0})(at)[0])); };
    EXPECT_EQ(floats(vmap(f, {0})({x})[0]), wanted);
    EXPECT_EQ(floats(vmap(slope, {0})({x})[0]), slopes);
    EXPECT_EQ(floats(grad(of_all, {x})[0]), slopes);
  }
}

}  // namespace
}  // namespace eglantine::test
