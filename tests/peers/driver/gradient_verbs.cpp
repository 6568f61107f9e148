#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {
namespace {

/// Calls `visit` with each tensor of f32, also of lists in the list.
template <class Visit>
void for_each_real(List& list, Visit visit) {
  for (Value& value : list) {
    if (Tensor* x = std::get_if<Tensor>(&value.is); x != nullptr && x->defined() && x->dtype() == DType::f32) visit(*x);
    if (List* inner = std::get_if<List>(&value.is)) for_each_real(*inner, visit);
  }
}

/// Those of a result, or of several.
Tensors reals_of(Value result) {
  List results{std::move(result)};
  Tensors y;
  for_each_real(results, [&](const Tensor& each) { y.push_back(each); });
  return y;
}

/// -3 to 3 in turn, of y's shape.
Tensor weights_like(const Tensor& y) {
  return (remainder(arange(0, y.size()), 7).astype(DType::f32) - 3).reshape(y.shape());
}

/// A verb of its arguments of f32: what it gives of these.
struct OfReals {
  Function f;
  Tensors x;
};

/// Of a verb's name and its arguments.
OfReals function_of(const List& of) {
  const Verb* verb = find_verb(Read<std::string>::from(of.at(0)));
  if (verb == nullptr) throw std::logic_error("no such verb");
  List arguments = Read<List>::from(of.at(1));
  Tensors x;
  for_each_real(arguments, [&](const Tensor& argument) { x.push_back(argument); });
  const Function f = [verb, arguments](const Tensors& at) {
    List taken = arguments;
    size_t next = 0;
    for_each_real(taken, [&](Tensor& argument) { argument = at[next++]; });
    return reals_of((*verb)(taken));
  };
  return {f, x};
}

/// The derivative of the sum of the results' elements, so weighted, by each argument of f32.
Value gradient(const List& of) {
  const auto [f, x] = function_of(of);
  const auto weighted_sum = [&f = f](const Tensors& at) {
    Tensor total;
    for (const Tensor& y : f(at)) {
      const Tensor part = sum(y * weights_like(y));
      total = total.defined() ? total + part : part;
    }
    return total;
  };
  return to_value(grad(weighted_sum, x));
}

/// The results, and behind them the same derivatives, all computed together.
Value with_gradient(const List& of) {
  const auto [f, x] = function_of(of);
  Tensors cotangents;
  for (const Tensor& y : f(x)) cotangents.push_back(weights_like(y));
  auto [results, slopes] = vjp(f, x, cotangents);
  results.insert(results.end(), slopes.begin(), slopes.end());
  return to_value(results);
}

}  // namespace

const VerbTable& gradient_verbs() {
  static const VerbTable table = {{"gradient", gradient}, {"with_gradient", with_gradient}};
  return table;
}

}  // namespace eglantine::peers
