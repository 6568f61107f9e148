#include "grad/rule_reads.hpp"

#include <unordered_set>

#include "graph/derivative_reads.hpp"

namespace eglantine::derivatives {

namespace {

/// The values whose elements rules read; of the others they ask for shape, dtype and device alone.
class RuleReads {
 public:
  explicit RuleReads(const Record& record) : record_(record) {
    for (const Recorded& each : record.nodes) add(each);
  }
  bool read(const NodePtr& x) const { return read_.count(x.get()) != 0; }

 private:
  void add(const Recorded& x) {
    if (const OwnDerivative* own = own_of(x.origin)) return add(*own);
    if (const auto* elementwise = std::get_if<nodes::Elementwise>(&x.origin)) return add(*x.node, *elementwise);
    const auto* reduce = std::get_if<nodes::Reduce>(&x.origin);
    const bool moves = std::holds_alternative<nodes::View>(x.origin) ||
                       std::holds_alternative<nodes::Remap>(x.origin) ||
                       std::holds_alternative<nodes::Placement>(x.origin);
    if (moves || (reduce != nullptr && reduce->reduction == Reduction::sum)) return;
    read_.insert(x.node.get());
    for_each_source_of(x.origin, [&](const NodePtr& source) { read_.insert(source.get()); });
  }

  void add(const OwnDerivative& own) {
    if (own.reads != OwnReads::results)
      for (const NodePtr& input : own.inputs) read_.insert(input.get());
    if (own.reads != OwnReads::inputs)
      for (const NodePtr& result : own.results) read_.insert(result.get());
  }

  void add(const Node& x, const nodes::Elementwise& elementwise) {
    for (size_t i = 0; i < elementwise.args.size(); ++i) {
      if (!record_.leads_to(elementwise.args[i])) continue;
      const DerivativeReads reads = reads_of_derivative(elementwise.op, i);
      for (size_t j = 0; j < elementwise.args.size(); ++j)
        if (reads.arguments[j]) read_.insert(elementwise.args[j].get());
      if (reads.result) read_.insert(&x);
    }
  }

  const Record& record_;
  std::unordered_set<const Node*> read_;
};

/// Calls change(source) on what a value of a kind that need not be read is made from.
template <class Change>
void change_sources(nodes::Value& x, Change change) {
  if (auto* view = std::get_if<nodes::View>(&x)) change(view->source);
  if (auto* remap = std::get_if<nodes::Remap>(&x)) change(remap->source);
  if (auto* reduce = std::get_if<nodes::Reduce>(&x)) change(reduce->arg);
  if (auto* elementwise = std::get_if<nodes::Elementwise>(&x))
    for (NodePtr& arg : elementwise->args) change(arg);
  if (auto* placement = std::get_if<nodes::Placement>(&x))
    for (NodePtr& piece : placement->pieces) change(piece);
}

class LettingGo {
 public:
  LettingGo(Record& record, const std::vector<Tensor>& held) : record_(record), rules_(record) {
    for (const Tensor& each : held) held_.insert(each.node().get());
  }

  void run() {
    for (Recorded& each : record_.nodes) {
      if (own_of(each.origin) != nullptr) change_own(std::get<nodes::View>(each.origin));
      change_sources(each.origin, [&](NodePtr& source) { change(source); });
      change(each.node);
    }
    record_.known.clear();
    for (size_t i = 0; i < record_.nodes.size(); ++i) record_.known[record_.nodes[i].node.get()] = i;
  }

 private:
  void change(NodePtr& x) {
    if (!x || x->is_traced() || rules_.read(x) || held_.count(x.get()) != 0) return;
    constexpr uint32_t nan_of_every_float = 0xffffffff;
    auto& [old, placeholder] = changed_[x.get()];
    if (!placeholder) placeholder = make_constant(x->device, x->dtype, x->shape, nan_of_every_float);
    old = x;
    x = placeholder;
  }

  /// Its results share one derivative before and after.
  void change_own(nodes::View& view) {
    auto& changed = own_[view.boundary->own.get()];
    if (!changed) {
      auto own = std::make_shared<OwnDerivative>(*view.boundary->own);
      for (NodePtr& input : own->inputs) change(input);
      for (NodePtr& result : own->results) change(result);
      changed = std::move(own);
    }
    view.boundary = std::make_shared<const Boundary>(Boundary{view.boundary->trace, changed, view.boundary->result});
  }

  struct Changed {
    NodePtr old;  ///< until all are changed, so that no other node has its address
    NodePtr placeholder;
  };

  Record& record_;
  const RuleReads rules_;
  std::unordered_set<const Node*> held_;
  std::unordered_map<const Node*, Changed> changed_;
  std::unordered_map<const OwnDerivative*, std::shared_ptr<const OwnDerivative>> own_;
};

}  // namespace

void let_go_unread(Record& record, const std::vector<Tensor>& held) { LettingGo(record, held).run(); }

}  // namespace eglantine::derivatives
