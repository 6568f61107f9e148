#include "eglantine/grad.hpp"

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/beside.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/pend.hpp"
#include "grad/captures.hpp"
#include "grad/tape.hpp"
#include "verbs/build.hpp"
#include "verbs/own_rule.hpp"

namespace eglantine {

namespace {

using check::fail;
using derivatives::Tape;

Function as_function(std::string_view function, const ScalarFunction& f) {
  derivatives::require_function(function, f);
  return [&f](const Tensors& x) { return Tensors{f(x)}; };
}

/// f, of constants only: a derivative by what it captures would be lost.
Function closed(std::string_view function, const Function& f) {
  return [function, f](const Tensors& x) {
    Tensors results = f(x);
    derivatives::require_no_captures(function, results);
    return results;
  };
}

/// What was computed again goes before the next function's is: pending, all would wait for the last.
void compute_now(const Tensors& cotangents) {
  std::vector<NodePtr> pending;
  for (const Tensor& each : cotangents) {
    if (each.node()->is_traced()) return;  // it may be part of what runs for many slices at once
    pending.push_back(each.node());
  }
  evaluate(pending);
}

std::pair<Tensor, Tensors> value_and_grad(std::string_view function, const ScalarFunction& f, const Tensors& x) {
  Tape tape(function, as_function(function, f), x);
  const Tensor value = tape.results().front();
  if (value.rank() != 0)
    fail<ShapeError>(function, "the function gives one number, of rank 0, got ", to_string(value.shape()),
                     "; reduce it with sum or mean, or use vjp");
  if (!is_float(value.dtype())) fail<DTypeError>(function, "the function gives a float, got ", name_of(value.dtype()));
  const Tensors slopes = tape.unwind({ones({}, value.dtype(), value.device())});
  compute_beside(slopes, value);
  return {value, slopes};
}

}  // namespace

Tensors grad(const ScalarFunction& f, const Tensors& x) { return value_and_grad("grad", f, x).second; }

std::pair<Tensor, Tensors> value_and_grad(const ScalarFunction& f, const Tensors& x) {
  return value_and_grad("value_and_grad", f, x);
}

std::pair<Tensors, Tensors> vjp(const Function& f, const Tensors& x, const Tensors& cotangents) {
  Tape tape("vjp", f, x);
  derivatives::require_like("vjp", "cotangent", cotangents, tape.results());
  return {tape.results(), tape.unwind(cotangents)};
}

/// The derivative of back(u) by u, whatever u is: back is linear.
std::pair<Tensors, Tensors> jvp(const Function& f, const Tensors& x, const Tensors& tangents) {
  derivatives::require_like("jvp", "tangent", tangents, x);
  const Tape tape("jvp", f, x);
  Tensors zero;
  for (const Tensor& result : tape.results())
    zero.push_back(zeros(result.shape(), is_float(result.dtype()) ? result.dtype() : DType::f32, result.device()));
  const Tape transposed(
      "jvp", [&](const Tensors& u) { return tape.back(u); }, zero);
  return {tape.results(), transposed.back(tangents)};
}

Tensors jacobian(const Function& f, const Tensors& x) {
  const Tape tape("jacobian", f, x);
  if (tape.results().size() != 1)
    fail<Error>("jacobian", "the function gives one tensor, got ", std::to_string(tape.results().size()));
  const Tensor result = tape.results().front();
  if (!is_float(result.dtype()))
    fail<DTypeError>("jacobian", "the function gives floats, got ", name_of(result.dtype()));
  const Tensor numbers = verbs::iota(result.device(), result.shape());
  std::vector<Tensors> rows(x.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    const Tensor one = (numbers == static_cast<uint32_t>(i)).astype(result.dtype());
    const Tensors row = tape.back({one});
    for (size_t k = 0; k < x.size(); ++k) rows[k].push_back(row[k]);
  }
  Tensors found;
  for (size_t k = 0; k < x.size(); ++k) {
    Shape shape = result.shape();
    for (int64_t length : x[k].shape()) shape.push_back(length);
    found.push_back(rows[k].empty() ? zeros(shape, x[k].dtype(), x[k].device()) : stack(rows[k], 0).reshape(shape));
  }
  return found;
}

Tensor hessian(const ScalarFunction& f, const Tensor& x) {
  return jacobian([&f](const Tensors& at) { return value_and_grad("hessian", f, at).second; }, {x}).front();
}

Tensor stop_gradient(const Tensor& x) { return pend(make_boundary(x.node(), {})); }

Function checkpoint(const Function& f) {
  derivatives::require_function("checkpoint", f);
  const auto back = [f](const Tensors& x, const Tensors&, const Tensors& cotangents) {
    const Tensors given = Tape("checkpoint", f, x).unwind(cotangents);
    compute_now(given);
    return given;
  };
  return [of_constants = closed("checkpoint", f), back](const Tensors& x) {
    return verbs::with_own_derivative(x, of_constants, back, OwnReads::inputs);
  };
}

Function custom_vjp(const Function& f, Backward backward) {
  derivatives::require_function("custom_vjp", f);
  derivatives::require_function("custom_vjp", backward);
  const auto checked = [backward = std::move(backward)](const Tensors& x, const Tensors& results,
                                                        const Tensors& cotangents) {
    Tensors back = backward(x, results, cotangents);
    if (back.size() != x.size())
      fail<Error>("custom_vjp", "backward gives one cotangent for each of ", std::to_string(x.size()), " tensors, got ",
                  std::to_string(back.size()));
    for (size_t i = 0; i < x.size(); ++i)
      if (back[i].defined()) derivatives::require_like("custom_vjp", "backward's cotangent", {back[i]}, {x[i]});
    return back;
  };
  return [of_constants = closed("custom_vjp", f), checked](const Tensors& x) {
    return verbs::with_own_derivative(x, of_constants, checked);
  };
}

}  // namespace eglantine
