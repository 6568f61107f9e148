#include "grad/rules.hpp"

#include <variant>

#include "check/check.hpp"
#include "eglantine/ops.hpp"

namespace eglantine::derivatives {

namespace {

void give_back(const nodes::Elementwise& x, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (x.op == Op::cast) return to.give(x.args[0], g);
  if (x.op == Op::from_order_key) fail_without("what takes the largest or smallest at an index");
  const auto argument = [&](size_t i) { return x.args[i] ? Tensor(x.args[i]) : Tensor(); };
  const Reading reading{argument(0), argument(1), argument(2), result, g};
  const std::array<Partial, 3> partials = partials_of(x.op);
  for (size_t i = 0; i < 3; ++i)
    if (to.wants(x.args[i])) to.give(x.args[i], partials[i](reading));
}

}  // namespace

void fail_without(std::string_view what) {
  check::fail<Error>("grad", what, " has no derivative yet; take stop_gradient of it, or give one by custom_vjp");
}

void give_back(const Recorded& of, const Tensor& cotangent, Cotangents& to) {
  const Tensor result(of.node);
  const auto give = [&](const auto& x) {
    if constexpr (requires { give_back(x, result, cotangent, to); })
      give_back(x, result, cotangent, to);
    else
      fail_without("an operation of one's own");
  };
  std::visit(give, of.origin);
}

}  // namespace eglantine::derivatives
