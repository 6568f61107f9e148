#include "grad/rules.hpp"

#include <variant>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "grad/tape.hpp"

namespace eglantine::derivatives {

namespace {

void give_back(const nodes::Elementwise& x, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (x.op == Op::cast) return to.give(x.args[0], g);
  if (x.op == Op::from_order_key) fail_without(to.function(), "what takes the largest or smallest at an index");
  const auto argument = [&](size_t i) { return x.args[i] ? Tensor(x.args[i]) : Tensor(); };
  const Reading reading{argument(0), argument(1), argument(2), result, g, to.function()};
  const std::array<Partial, 3> partials = partials_of(to.function(), x.op);
  for (size_t i = 0; i < 3; ++i)
    if (to.wants(x.args[i])) to.give(x.args[i], partials[i](reading));
}

}  // namespace

/// As the user says.
void give_back(const nodes::Custom& x, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!x.op->vjp) fail_without(to.function(), "\"" + x.op->name + "\", an operation of one's own without a vjp,");
  const Tensors args(x.args.begin(), x.args.end());
  const Tensors given = x.op->vjp(args, result, g);
  const std::string name = "the vjp of \"" + x.op->name + "\"";
  if (given.size() != args.size())
    check::fail<Error>(to.function(), name, " gives one cotangent for each of ", std::to_string(args.size()),
                       " operands, got ", std::to_string(given.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    if (given[i].defined()) require_like(to.function(), name + ": cotangent", {given[i]}, {args[i]});
    to.give(x.args[i], given[i]);
  }
}

void fail_without(std::string_view function, std::string_view what) {
  check::fail<Error>(function, what, " has no derivative yet; take stop_gradient of it, or give one by custom_vjp");
}

void fail_without(std::string_view function, Reduction reduction, const ReduceOpPtr& custom, std::string_view kind) {
  const std::string what(kind);
  if (custom) fail_without(function, "\"" + custom->name + "\", " + what + " of one's own,");
  fail_without(function, std::string(name_of(reduction)) + ", " + what + ",");
}

void give_back(const Recorded& of, const Tensor& cotangent, Cotangents& to) {
  const Tensor result(of.node);
  const auto give = [&](const auto& x) {
    if constexpr (requires { give_back(x, result, cotangent, to); })
      give_back(x, result, cotangent, to);
    else
      fail_without(to.function(), "a value that is made from nothing");
  };
  std::visit(give, of.origin);
}

}  // namespace eglantine::derivatives
