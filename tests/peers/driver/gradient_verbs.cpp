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

/// The sum of the result's elements, weighted by -3 to 3 in turn; of several results by each.
Tensor weighted_sum(Value result) {
  List results{std::move(result)};
  Tensor total;
  for_each_real(results, [&](const Tensor& y) {
    const Tensor weights = remainder(arange(0, y.size()), 7).astype(DType::f32) - 3;
    const Tensor part = sum(y * weights.reshape(y.shape()));
    total = total.defined() ? total + part : part;
  });
  return total;
}

/// Of a verb's name and its arguments: the derivative of that sum by each of them that is of f32.
Value gradient(const List& of) {
  const Verb* verb = find_verb(Read<std::string>::from(of.at(0)));
  if (verb == nullptr) throw std::logic_error("no such verb");
  List arguments = Read<List>::from(of.at(1));
  Tensors x;
  for_each_real(arguments, [&](const Tensor& argument) { x.push_back(argument); });
  const auto f = [&](const Tensors& at) {
    size_t next = 0;
    for_each_real(arguments, [&](Tensor& argument) { argument = at[next++]; });
    return weighted_sum((*verb)(arguments));
  };
  return to_value(grad(f, x));
}

}  // namespace

const VerbTable& gradient_verbs() {
  static const VerbTable table = {{"gradient", gradient}};
  return table;
}

}  // namespace eglantine::peers
