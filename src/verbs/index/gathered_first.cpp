#include "verbs/index/gathered_first.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "evaluate/pend.hpp"
#include "graph/graph_lock.hpp"
#include "graph/node.hpp"
#include "verbs/index/picked.hpp"

namespace eglantine::verbs {
namespace {

constexpr int64_t far_fewer = 8;
constexpr size_t most_steps = 16;

/// A node of the expression: its operation, or with Op::load what it is read from.
struct Step {
  enum class What : uint8_t { constant, of_row, element, operation } what;
  NodePtr node;                         ///< of a constant and an element; of_row: the source of the view
  Layout layout{};                      ///< of_row: the view's
  Op op = Op::copy;                     ///< of an operation
  DType dtype = DType::f32;             ///< the same
  std::array<int, 3> args{-1, -1, -1};  ///< the same: earlier steps
};

/// The nodes that composites stand for.
using Opened = std::unordered_map<const Node*, NodePtr>;

/// Adds the composites of few nodes that x is made of element by element; under a GraphLock.
void add_composites(const NodePtr& x, size_t depth, std::vector<NodePtr>& found) {
  if (depth == 0 || x->is_computed()) return;
  const auto* composite = x->as<nodes::Composite>();
  if (composite != nullptr && composite->weight <= static_cast<int64_t>(most_steps)) found.push_back(x);
  if (const auto* elementwise = x->as<nodes::Elementwise>())
    for (const NodePtr& arg : elementwise->args)
      if (arg) add_composites(arg, depth - 1, found);
}

Opened opened(const NodePtr& x) {
  constexpr size_t most_depth = 4;
  std::vector<NodePtr> found;
  std::vector<nodes::Composite> composites;
  {
    const GraphLock lock;
    add_composites(x, most_depth, found);
    for (const NodePtr& node : found) composites.push_back(*node->as<nodes::Composite>());
  }
  Opened nodes;
  for (size_t i = 0; i < found.size(); ++i) nodes.emplace(found[i].get(), composites[i].parts(composites[i]));
  return nodes;
}

/// Finds the steps of an expression; under a GraphLock.
class Finder {
 public:
  Finder(int axis, const Opened& opened) : axis_(axis), opened_(opened) {}

  /// The step of x, or -1 where it cannot be read first.
  int step_of(const NodePtr& x) {
    if (steps_.size() >= most_steps) return -1;
    if (const auto parts = opened_.find(x.get()); parts != opened_.end()) return step_of(parts->second);
    if (x->as<nodes::Constant>()) return add({.what = Step::What::constant, .node = x});
    if (const auto* view = x->as<nodes::View>(); view != nullptr && is_of_row(x->shape, *view))
      return add({.what = Step::What::of_row, .node = view->source, .layout = view->layout});
    const bool stored = x->is_computed() || (x->as<nodes::View>() && x->as<nodes::View>()->source->is_computed());
    if (stored) return add({.what = Step::What::element, .node = x});
    const auto* elementwise = x->as<nodes::Elementwise>();
    return elementwise != nullptr ? operation(*elementwise, x->dtype) : -1;
  }
  std::vector<Step> take() { return std::move(steps_); }

 private:
  bool is_of_row(const Shape& shape, const nodes::View& view) const {
    return view.boundary == nullptr && shape[axis_] > 1 && view.layout.strides[static_cast<size_t>(axis_)] == 0;
  }
  int operation(const nodes::Elementwise& what, DType dtype) {
    Step made{.what = Step::What::operation, .node = nullptr, .op = what.op, .dtype = dtype};
    for (size_t i = 0; i < what.args.size(); ++i) {
      if (!what.args[i]) continue;
      made.args[i] = step_of(what.args[i]);
      if (made.args[i] < 0) return -1;
    }
    return add(std::move(made));
  }
  int add(Step step) {
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size()) - 1;
  }

  int axis_;
  const Opened& opened_;
  std::vector<Step> steps_;
};

std::vector<Step> steps_of(const Tensor& x, int axis) {
  const Opened opened_composites = opened(x.node());
  const GraphLock lock;
  if (x.node()->as<nodes::Elementwise>() == nullptr && opened_composites.empty()) return {};
  Finder finder(axis, opened_composites);
  const bool found = finder.step_of(x.node()) >= 0;
  std::vector<Step> steps = finder.take();
  const auto of = [&](Step::What what) { return std::ranges::count(steps, what, &Step::what); };
  const bool one = of(Step::What::element) == 1 && of(Step::What::of_row) > 0;
  return found && one ? steps : std::vector<Step>{};
}

/// Whether x is made of a pending reduction of so many elements, which then are read.
bool reduces(const Node& x, int64_t elements, int depth) {
  if (x.is_computed() || depth == 0) return false;
  if (const auto* reduce = x.as<nodes::Reduce>()) return reduce->arg->shape.elements() == elements;
  if (const auto* view = x.as<nodes::View>()) return reduces(*view->source, elements, depth - 1);
  const auto* elementwise = x.as<nodes::Elementwise>();
  return elementwise != nullptr && std::ranges::any_of(elementwise->args, [&](const NodePtr& arg) {
           return arg && reduces(*arg, elements, depth - 1);
         });
}

/// What each element is made of, if rows are read for it that it could be picked from; else null.
const Node* element_of_rows(const std::vector<Step>& steps) {
  constexpr int most_depth = 6;
  const GraphLock lock;
  const auto element = std::ranges::find(steps, Step::What::element, &Step::what);
  if (element == steps.end()) return nullptr;
  const int64_t elements = element->node->shape.elements();
  const bool are_read = std::ranges::any_of(steps, [&](const Step& step) {
    return step.what == Step::What::of_row && reduces(*step.node, elements, most_depth);
  });
  return are_read ? element->node.get() : nullptr;
}

/// A view that is the same along the gathered axis, at the index's coordinates along the others.
Tensor of_row(const Step& step, const Shape& shape, const IntList& axes) {
  Layout at{shape, {}, step.layout.offset};
  for (const int64_t axis : axes) at.strides.push_back(axis < 0 ? 0 : step.layout.strides[static_cast<size_t>(axis)]);
  return Tensor(make_view(step.node, at));
}

}  // namespace

std::optional<Tensor> gathered_first(const Tensor& x, int axis, const Shape& shape, const IntList& axes,
                                     const GatherElements& gather) {
  const bool picks = can_pick(x, axis, shape, axes);
  if (x.node()->is_traced() || (shape.elements() * far_fewer > x.size() && !picks)) return std::nullopt;
  const std::vector<Step> steps = steps_of(x, axis);
  const Node* element = picks ? element_of_rows(steps) : nullptr;
  const bool from_rows = element != nullptr && element->dtype == DType::f32;
  if (shape.elements() * far_fewer > x.size() && !from_rows) return std::nullopt;
  std::vector<Tensor> made;
  for (const Step& step : steps) {
    const auto arg = [&](size_t i) {
      return step.args[i] < 0 ? nullptr : made[static_cast<size_t>(step.args[i])].node();
    };
    switch (step.what) {
      case Step::What::constant:
        made.emplace_back(make_constant_in(step.node, shape));
        break;
      case Step::What::of_row:
        made.push_back(of_row(step, shape, axes));
        break;
      case Step::What::element:
        made.push_back(from_rows ? picked(Tensor(step.node), axis, shape, axes, gather)
                                 : gather(step.node, axes, axis));
        break;
      case Step::What::operation:
        made.push_back(pend(make_elementwise(step.op, step.dtype, {arg(0), arg(1), arg(2)})));
    }
  }
  return made.empty() ? std::nullopt : std::optional(made.back());
}

}  // namespace eglantine::verbs
