#include "graph/planning/assignment/kept_for_derivatives.hpp"

#include "graph/derivative_reads.hpp"
#include "graph/traversal.hpp"

namespace eglantine {

namespace {

bool multiplies(const Node& x) {
  return x.as<nodes::Matmul>() || x.as<nodes::Contraction>() || x.as<nodes::Attention>();
}

/// What a view shows, and others themselves.
const NodePtr& shown_by(const NodePtr& x) {
  const auto* view = x->as<nodes::View>();
  return view != nullptr ? shown_by(view->source) : x;
}

class Keeping {
 public:
  std::unordered_set<const Node*> run(const std::vector<NodePtr>& order) {
    for (const NodePtr& x : order) {
      if (is_made_of_product(*x)) products_.insert(x.get());
      if (x->awaits_derivative()) keep_what_derivatives_read(x);
    }
    return std::move(kept_);
  }

 private:
  bool is_made_of_product(const Node& x) const {
    if (multiplies(x)) return true;
    bool made = false;
    if (x.is_elementwise() || x.as<nodes::View>() || x.as<nodes::Remap>())
      for_each_source(x, [&](const NodePtr& source) { made = made || products_.count(source.get()) != 0; });
    return made;
  }

  void keep_what_derivatives_read(const NodePtr& x) {
    const auto* elementwise = x->as<nodes::Elementwise>();
    if (elementwise == nullptr) return;
    for (size_t i = 0; i < elementwise->args.size(); ++i) {
      const NodePtr& by = elementwise->args[i];
      if (!by || !by->awaits_derivative()) continue;
      const DerivativeReads reads = reads_of_derivative(elementwise->op, i);
      for (size_t j = 0; j < elementwise->args.size(); ++j)
        if (reads.arguments[j]) keep(elementwise->args[j]);
      if (reads.result) keep(x);
    }
  }

  void keep(const NodePtr& x) {
    const NodePtr& shown = shown_by(x);
    if (products_.count(shown.get())) kept_.insert(shown.get());
  }

  std::unordered_set<const Node*> products_, kept_;
};

}  // namespace

std::unordered_set<const Node*> kept_for_derivatives(const std::vector<NodePtr>& order) { return Keeping().run(order); }

}  // namespace eglantine
