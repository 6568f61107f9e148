#include "verbs/own_rule.hpp"

#include <algorithm>

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "evaluate/pending.hpp"
#include "graph/graph_lock.hpp"

namespace eglantine::verbs {

namespace {

using OwnPtr = std::shared_ptr<const OwnDerivative>;

bool any_is_differentiated(const Tensors& x) {
  return std::any_of(x.begin(), x.end(), [](const Tensor& each) { return each.node()->is_differentiated(); });
}

std::vector<NodePtr> nodes_of(const Tensors& x) {
  std::vector<NodePtr> nodes;
  for (const Tensor& each : x) nodes.push_back(each.node());
  return nodes;
}

Tensors results_of(const OwnPtr& own) {
  Tensors made;
  for (const NodePtr& result : own->results)
    made.push_back(pend(make_boundary(result, {.own = own, .result = made.size()})));
  return made;
}

bool any_is_traced(const std::vector<NodePtr>& x) {
  return std::any_of(x.begin(), x.end(), [](const NodePtr& each) { return each->is_traced(); });
}

/// What backward makes of the results has derivatives, too, where another derivative is being taken. Else pending nodes
/// would hold, with the derivative, what it need not read.
std::vector<NodePtr> given_back(const OwnPtr& own, const std::vector<NodePtr>& cotangents, const Backward& backward) {
  const Tensors results =
      any_is_traced(own->inputs) ? results_of(own) : Tensors(own->results.begin(), own->results.end());
  Tensors given;
  for (size_t i = 0; i < results.size(); ++i)
    given.push_back(cotangents[i] ? Tensor(cotangents[i])
                                  : zeros(results[i].shape(), results[i].dtype(), results[i].device()));
  std::vector<NodePtr> back;
  for (const Tensor& each : backward(Tensors(own->inputs.begin(), own->inputs.end()), results, given))
    back.push_back(each.defined() ? each.node() : nullptr);
  return back;
}

/// What these boundaries show: a factor of each row, say, for which the way back would read all of the row again.
void keep(const Tensors& results) {
  const GraphLock lock;
  for (const Tensor& each : results)
    if (const auto* view = each.node()->as<nodes::View>()) view->source->set_kept(lock);
}

}  // namespace

Tensors with_own_derivative(const Tensors& x, const Function& f, Backward backward, OwnReads reads) {
  Tensors constants;
  for (const Tensor& each : x) constants.push_back(stop_gradient(each));
  const auto back = [backward = std::move(backward)](const OwnPtr& self, const std::vector<NodePtr>& cotangents) {
    return given_back(self, cotangents, backward);
  };
  return results_of(
      std::make_shared<const OwnDerivative>(OwnDerivative{nodes_of(x), nodes_of(f(constants)), reads, back}));
}

Tensors with_own_rule(const Tensors& x, const Function& f, Backward backward, OwnReads reads) {
  if (!any_is_differentiated(x)) return f(x);
  const auto built = [&](const Tensors& at) {
    const BuiltWhole whole;
    return f(at);
  };
  const auto back = [backward = std::move(backward)](const Tensors& at, const Tensors& y, const Tensors& given) {
    const BuiltWhole whole;
    return backward(at, y, given);
  };
  const Tensors results = with_own_derivative(x, built, back, reads);
  if (reads != OwnReads::inputs) keep(results);
  return results;
}

Tensor with_own_rule(const Tensors& x, const std::function<Tensor(const Tensors& x)>& f,
                     std::function<Tensors(const Tensors& x, const Tensor& result, const Tensor& cotangent)> backward,
                     OwnReads reads) {
  const auto back = [backward = std::move(backward)](const Tensors& at, const Tensors& results, const Tensors& given) {
    return backward(at, results.front(), given.front());
  };
  return with_own_rule(
             x, [&](const Tensors& at) { return Tensors{f(at)}; }, back, reads)
      .front();
}

Tensor as_constant(const Tensor& x) { return x.node()->is_differentiated() ? stop_gradient(x) : x; }

}  // namespace eglantine::verbs
