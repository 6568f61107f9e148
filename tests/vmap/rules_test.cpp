#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "grad/drawn_shapes.hpp"
#include "support/compare.hpp"
#include "support/custom_ops.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Each kind of node for all slices at once: against one slice after the other.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Derivatives, VmapRules);

constexpr int64_t slices = 3;
using MappedAxes = std::vector<std::optional<int>>;

/// All arguments mapped, or all but one.
MappedAxes axes_of(const DerivativeCase& one, size_t unmapped) {
  MappedAxes axes;
  for (size_t i = 0; i < one.shapes.size(); ++i)
    axes.push_back(i == unmapped ? std::nullopt : std::optional(i % 2 == 0 ? 0 : -1));
  return axes;
}

Tensors arguments_of(const DerivativeCase& one, const MappedAxes& axes) {
  Tensors x;
  for (size_t i = 0; i < one.shapes.size(); ++i) {
    Dims shape = one.shapes[i];
    if (axes[i]) shape.insert(axes[i] == 0 ? shape.begin() : shape.end(), slices);
    x.push_back(uniform(Shape(shape), i + 3) - 0.5);
  }
  return x;
}

Tensors slice_of(const Tensors& x, const MappedAxes& axes, int64_t place) {
  Tensors at;
  for (size_t i = 0; i < x.size(); ++i)
    at.push_back(axes[i] ? x[i].slice(*axes[i], place, place + 1).squeeze(*axes[i]) : x[i]);
  return at;
}

/// Windows of three axes have 8, and no room for another.
bool has_room(const DerivativeCase& one) { return one.shapes[0].size() < 5; }

/// Also that one call is enough, where values have room for an axis more.
void check(const Function& f, const Tensors& x, const MappedAxes& axes, bool room = true) {
  int calls = 0;
  const Tensors all = vmap([&](const Tensors& at) { return ++calls, f(at); }, axes)(x);
  EXPECT_TRUE(calls == 1 || (!room && calls == slices)) << calls;
  for (int64_t place = 0; place < slices; ++place) {
    const Tensors wanted = f(slice_of(x, axes, place));
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(matches(all[i][place], download(wanted[i]), {0, 1e-4, 1e-5})) << "result " << i;
  }
}

void check_all(const std::function<Function(const DerivativeCase&)>& function, uint64_t one_of) {
  Draw draw = draw_programs_one_of(one_of);
  for (const DerivativeCase& one : derivative_cases())
    for (size_t unmapped = 0; unmapped <= (one.shapes.size() > 1 ? one.shapes.size() : 0); ++unmapped) {
      if (!draw.next()) continue;
      const MappedAxes axes = axes_of(one, one.shapes.size() == 1 ? 1 : unmapped);
      SCOPED_TRACE(std::string(one.name) + ", unmapped " + std::to_string(unmapped));
      check(function(one), arguments_of(one, axes), axes, has_room(one));
    }
}

Function derivative_of(const DerivativeCase& one) {
  return [&one](const Tensors& x) { return grad([&](const Tensors& at) { return sum(one.f(at)); }, x); };
}

EG_TEST(VmapRules, are_the_function_of_each_slice) { check_all(function_of, 40); }

EG_TEST(VmapRules, are_the_derivative_of_each_slice) { check_all(derivative_of, 90); }

EG_TEST(VmapRules, hold_at_drawn_shapes) {
  Draw draw = draw_programs_one_of(60);
  Random seeds(draw_seed());
  for (DerivativeCase one : derivative_cases()) {
    Random random(seeds.word());
    if (*one.lengths == '\0' || !draw.next()) continue;
    one.shapes = drawn_shapes(one.lengths, random, 100);
    const size_t count = one.shapes.size(), unmapped = count == 1 ? 1 : random.word() % (count + 1);
    SCOPED_TRACE(one.name + text_of(one.shapes) + ", unmapped " + std::to_string(unmapped) + ", seed " +
                 std::to_string(draw_seed()));
    const MappedAxes axes = axes_of(one, unmapped);
    const Tensors x = arguments_of(one, axes);
    EXPECT_NO_THROW(check(function_of(one), x, axes, has_room(one)));
    EXPECT_NO_THROW(check(derivative_of(one), x, axes, has_room(one)));
  }
}

EG_TEST(VmapRules, have_the_derivatives_of_each_slice) {
  Draw draw = draw_programs_one_of(30);
  for (const DerivativeCase& one : derivative_cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    const MappedAxes axes = axes_of(one, 7);
    const Tensors x = arguments_of(one, axes);
    const auto of_all = [&](const Tensors& at) { return sum(vmap(function_of(one), axes)(at)[0]); };
    const Tensors found = grad(of_all, x);
    for (int64_t place = 0; place < slices; ++place) {
      const Tensors wanted = grad([&](const Tensors& at) { return sum(one.f(at)); }, slice_of(x, axes, place));
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_TRUE(matches(slice_of(found, axes, place)[i], download(wanted[i]), {0, 1e-4, 1e-5})) << i;
    }
  }
}

/// What has no derivative, or none that is compared.
EG_TEST(VmapRules, hold_for_integers_and_operations_of_ones_own) {
  Draw draw = draw_programs_one_of(4);
  const Tensor x = randint(-9, 9, {slices, 4, 5}, 1), real = uniform({slices, 4, 5}, 2);
  const auto on = [&](const Tensor& of, auto f) {
    if (draw.next()) check([=](const Tensors& at) { return Tensors{f(at[0])}; }, {of}, {0});
  };
  on(x, [](const Tensor& y) { return argmax(y, 1); });
  on(x, [](const Tensor& y) { return argsort(y, 0); });
  on(x, [](const Tensor& y) { return sum(y * y, 0); });
  on(x, [](const Tensor& y) { return matmul(y, y.transpose(0, 1)); });
  on(x, [](const Tensor& y) { return cumprod(y, 1); });
  on(x, [](const Tensor& y) { return any(y > 5, 0); });
  on(x, [](const Tensor& y) { return searchsorted(arange(0, 5), y); });
  on(x, [](const Tensor& y) { return searchsorted(sort(y.astype(DType::f32).reshape({20}), 0), arange(-3, 3)); });
  on(x, [](const Tensor& y) { return topk(y, 2, 1).second; });
  on(x, [](const Tensor& y) { return scatter_max(zeros({4, 5}, DType::i32), 0, remainder(y, 4), y); });
  on(real, [](const Tensor& y) { return scatter_mul(ones({4, 5}), 0, (y * 4).astype(DType::i32), y); });
  on(real, [](const Tensor& y) { return y.astype(DType::f16) * y.astype(DType::bf16); });
  on(real, [](const Tensor& y) { return elementwise(swish(), {y}); });
  on(real, [](const Tensor& y) { return reduce(y, log_add_exp(), 1); });
  on(real, [](const Tensor& y) { return scan(y, log_add_exp(), 0); });
  on(real, [](const Tensor& y) { return max_pool_with_indices(y.unsqueeze(0), {2, 2}).second; });
  on(real, [](const Tensor& y) { return y.index_put({1}, y[0]); });
  on(real, [](const Tensor& y) { return y + uniform({4, 5}, 3); });
  on(real, [](const Tensor& y) { return (y * 1).as_strided({3, 3}, {1, 2}, 1); });
}

EG_TEST(VmapRules, hold_for_every_view_of_the_mapped_axis) {
  Draw draw = draw_programs_one_of(3);
  for (const View& held : every_view()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(held.name);
    const Tensor x = held.hold(random_reals({slices, 4, 5}, -1, 1)).tensor;
    check([](const Tensors& at) { return Tensors{softmax(matmul(at[0], at[0].transpose(0, 1)), 1)}; }, {x}, {0});
    check([](const Tensors& at) { return Tensors{at[0].reshape({10, 2}).flip({0}) + 1}; }, {x}, {0});
  }
}

}  // namespace
}  // namespace eglantine::test
