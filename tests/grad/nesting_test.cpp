#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "grad/smooth.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Compositions of what takes, maps and defines derivatives, beside the same of hyper-dual numbers in double.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Nesting);

using Number = std::function<Tensor(const Tensor& x)>;
using Reference = std::function<HyperDual(const HyperDuals& x)>;

const Dims smooth_shape{smooth_rows, smooth_columns};

/// Two directions, in which derivatives are taken.
struct Directions {
  Array u, v;
};

Directions directions(uint64_t seed) {
  return {random_reals(smooth_shape, -1, 1, seed), random_reals(smooth_shape, -1, 1, seed + 1)};
}

/// Makes of a function another one.
struct Operator {
  std::string name;
  int order;
  Number (*of)(const Number& f, const Directions& along);
  Reference (*reference)(const Reference& f, const Directions& along);
};

HyperDual dot(const HyperDuals& x, const Array& u) {
  HyperDual sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum = sum + x[i] * u.values[i];
  return sum;
}

Reference slope_along(const Reference& f, const Array& u) {
  return [=](const HyperDuals& x) {
    const size_t units = f(x).units();  // also of what f captures
    HyperDuals moved;
    for (size_t i = 0; i < x.size(); ++i) moved.emplace_back(x[i], u.values[i], units);
    return f(moved).part(units);
  };
}

// What operators are by hand:
Reference itself(const Reference& f, const Directions&) { return f; }
Reference slope(const Reference& f, const Directions& along) { return slope_along(f, along.u); }
/// Of the number times a direction.
Reference slope_of_multiple(const Reference& f, const Directions& along) {
  return slope_along([=](const HyperDuals& x) { return f(x) * dot(x, along.v); }, along.u);
}
/// Of f(x y), by y.
Reference slope_by_another(const Reference& f, const Directions& along) {
  return [=](const HyperDuals& x) {
    const Reference of_factors = [=](const HyperDuals& y) {
      HyperDuals products;
      for (size_t i = 0; i < x.size(); ++i) products.push_back(x[i] * y[i]);
      return f(products);
    };
    return slope_along(of_factors, along.u)(HyperDuals(along.v.values.begin(), along.v.values.end()));
  };
}
Reference value_times_slope(const Reference& f, const Directions& along) {
  return [=](const HyperDuals& x) { return f(x) * slope_along(f, along.u)(x); };
}
Reference curvature(const Reference& f, const Directions& along) {
  return slope_along(slope_along(f, along.u), along.v);
}
Reference at_scales(const Reference& f, const Directions&) {
  return [=](const HyperDuals& x) {
    HyperDual sum = 0;
    for (const double scale : {1.0, 0.5, -0.75}) {
      HyperDuals scaled;
      for (const HyperDual& each : x) scaled.push_back(each * scale);
      sum = sum + f(scaled) * scale;
    }
    return sum;
  };
}

ScalarFunction number(const Number& f) {
  return [f](const Tensors& x) { return f(x[0]); };
}
Function alone(const Number& f) {
  return [f](const Tensors& x) { return Tensors{f(x[0])}; };
}
/// Times x: a function of several results.
Function multiple(const Number& f) {
  return [f](const Tensors& x) { return Tensors{f(x[0]) * x[0]}; };
}

Number by_grad(const Number& f, const Directions& along) {
  return [=](const Tensor& x) { return sum(grad(number(f), {x})[0] * upload(along.u)); };
}
/// By what the function is given, not by what it captures.
Number by_grad_within(const Number& f, const Directions& along) {
  return [=](const Tensor& x) {
    const auto of_factors = [&](const Tensors& y) { return f(x * y[0]); };
    return sum(grad(of_factors, {upload(along.v)})[0] * upload(along.u));
  };
}
Number by_value_and_grad(const Number& f, const Directions& along) {
  return [=](const Tensor& x) {
    const auto [value, slopes] = value_and_grad(number(f), {x});
    return value * sum(slopes[0] * upload(along.u));
  };
}
Number by_vjp(const Number& f, const Directions& along) {
  return [=](const Tensor& x) { return sum(vjp(multiple(f), {x}, {upload(along.v)}).second[0] * upload(along.u)); };
}
Number by_jvp(const Number& f, const Directions& along) {
  return [=](const Tensor& x) { return sum(jvp(multiple(f), {x}, {upload(along.u)}).second[0] * upload(along.v)); };
}
Number by_jacobian(const Number& f, const Directions& along) {
  return [=](const Tensor& x) {
    const Tensor pushed = multiply_sum(jacobian(multiple(f), {x})[0], upload(along.u), Axes{2, 3});
    return sum(pushed * upload(along.v));
  };
}
Number by_hessian(const Number& f, const Directions& along) {
  return [=](const Tensor& x) {
    return sum(multiply_sum(hessian(number(f), x), upload(along.u), Axes{2, 3}) * upload(along.v));
  };
}
Number mapped(const Number& f, const Directions&) {
  return [=](const Tensor& x) {
    const Tensor scales = Tensor::from({1.0F, 0.5F, -0.75F}, {3}, x.device());
    const Function of_scale = [f](const Tensors& at) { return Tensors{f(at[0] * at[1])}; };
    return sum(vmap(of_scale, {std::nullopt, 0})({x, scales})[0] * scales);
  };
}
Number checkpointed(const Number& f, const Directions&) {
  return [=](const Tensor& x) { return checkpoint(alone(f))({x})[0]; };
}
Number with_own_derivative(const Number& f, const Directions&) {
  return [=](const Tensor& x) {
    const auto backward = [f](const Tensors& at, const Tensors&, const Tensors& g) {
      return Tensors{g[0] * grad(number(f), at)[0]};
    };
    return custom_vjp(alone(f), backward)({x})[0];
  };
}
/// The function reads its value, so that a vmap of it runs slice by slice.
Number value_read(const Number& f, const Directions&) {
  return [=](const Tensor& x) {
    const Tensor y = f(x);
    return std::isnan(y.item<float>()) ? y * 2 : y;
  };
}

const std::vector<Operator>& every_operator() {
  static const std::vector<Operator> all{
      {"grad", 1, by_grad, slope},
      {"grad by another", 1, by_grad_within, slope_by_another},
      {"value_and_grad", 1, by_value_and_grad, value_times_slope},
      {"vjp", 1, by_vjp, slope_of_multiple},
      {"jvp", 1, by_jvp, slope_of_multiple},
      {"jacobian", 1, by_jacobian, slope_of_multiple},
      {"hessian", 2, by_hessian, curvature},
      {"vmap", 0, mapped, at_scales},
      {"checkpoint", 0, checkpointed, itself},
      {"custom_vjp", 0, with_own_derivative, itself},
      {"item", 0, value_read, itself},
  };
  return all;
}

using Composition = std::vector<const Operator*>;  // the innermost first

std::vector<Composition> compositions(size_t length) {
  if (length == 0) return {{}};
  std::vector<Composition> all;
  for (const Composition& inner : compositions(length - 1))
    for (const Operator& outer : every_operator()) {
      all.push_back(inner);
      all.back().push_back(&outer);
    }
  return all;
}

int order_of(const Composition& of) {
  int order = 0;
  for (const Operator* each : of) order += each->order;
  return order;
}

void check(const Composition& composition, const SmoothFunction& innermost) {
  std::string name = innermost.name;
  Number f = innermost.f;
  Reference reference = innermost.reference;
  for (size_t i = 0; i < composition.size(); ++i) {
    const Directions along = directions(10 * i + 5);
    name = composition[i]->name + "(" + name + ")";
    f = composition[i]->of(f, along);
    reference = composition[i]->reference(reference, along);
  }
  SCOPED_TRACE(name);
  const Array x = random_reals(smooth_shape, -0.7, 0.7, 3);
  const double wanted = reference(HyperDuals(x.values.begin(), x.values.end())).real();
  const double found = f(upload(x)).item<float>();
  EXPECT_NEAR(found, wanted, 1e-4 * std::max(1.0, std::abs(wanted)));
}

/// Derivatives of the highest order at most: those of the sixth have too many nodes to test many.
void check_all(size_t length, int highest, Draw draw) {
  size_t place = draw_seed();
  for (const Composition& composition : compositions(length))
    if (order_of(composition) <= highest && draw.next())
      check(composition, smooth_functions()[place++ % smooth_functions().size()]);
}

/// Also where tests take all of their cases: of some of these each node is a program of GL's.
Draw always_one_of(uint64_t group, std::string_view name) { return {group, name, draw_seed(), true}; }

EG_TEST(Nesting, of_functions_alone) {
  Draw draw = draw_programs_one_of(30);
  const Composition none;
  for (const SmoothFunction& f : smooth_functions()) {
    if (draw.next()) check(none, f);
    for (const Composition& one : compositions(1))
      if (draw.next()) check(one, f);
  }
}

EG_TEST(Nesting, of_two) { check_all(2, on_gl() ? 3 : 4, on_gl() ? always_one_of(60, "two") : draw_one_of(2)); }

EG_TEST(Nesting, of_three) { check_all(3, on_gl() ? 2 : 4, on_gl() ? always_one_of(400, "three") : draw_one_of(20)); }

}  // namespace
}  // namespace eglantine::test
