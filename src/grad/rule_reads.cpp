#include "grad/rule_reads.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/derivative_reads.hpp"
#include "graph/structure/pointer_numbers.hpp"

namespace eglantine::derivatives {

namespace {

/// The values whose elements rules read; of the others they ask for shape, dtype and device alone.
class RuleReads {
 public:
  explicit RuleReads(const Record& record) : record_(record) {
    for (const Recorded& each : record.nodes) add(each);
  }
  void add(const NodePtr& read) { read_.number(read.get()); }
  bool read(const NodePtr& x) const { return read_.find(x.get()) >= 0; }

 private:
  void add(const Recorded& x) {
    if (const OwnDerivative* own = own_of(x.origin)) return add(*own);
    if (const auto* elementwise = std::get_if<nodes::Elementwise>(&x.origin)) return add(*x.node, *elementwise);
    const auto* reduce = std::get_if<nodes::Reduce>(&x.origin);
    const bool moves = std::holds_alternative<nodes::View>(x.origin) ||
                       std::holds_alternative<nodes::Remap>(x.origin) ||
                       std::holds_alternative<nodes::Placement>(x.origin);
    if (moves || (reduce != nullptr && reduce->reduction == Reduction::sum)) return;
    add(x.node);
    for_each_source_of(x.origin, [&](const NodePtr& source) { add(source); });
  }

  void add(const OwnDerivative& own) {
    if (own.reads != OwnReads::results)
      for (const NodePtr& input : own.inputs) add(input);
    if (own.reads != OwnReads::inputs)
      for (const NodePtr& result : own.results) add(result);
  }

  void add(const Node& x, const nodes::Elementwise& elementwise) {
    for (size_t i = 0; i < elementwise.args.size(); ++i) {
      if (!record_.leads_to(elementwise.args[i])) continue;
      const DerivativeReads reads = reads_of_derivative(elementwise.op, i);
      for (size_t j = 0; j < elementwise.args.size(); ++j)
        if (reads.arguments[j]) read_.number(elementwise.args[j].get());
      if (reads.result) read_.number(&x);
    }
  }

  const Record& record_;
  PointerNumbers read_;
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
  LettingGo(Record& record, const std::vector<Tensor>& held) : record_(record), stays_(record) {
    for (const Tensor& each : held) stays_.add(each.node());
  }

  void run() {
    for (Recorded& each : record_.nodes) {
      if (own_of(each.origin) != nullptr) change_own(std::get<nodes::View>(each.origin));
      change_sources(each.origin, [&](NodePtr& source) { change(source); });
      change(each.node);
    }
    record_.number();
  }

 private:
  void change(NodePtr& x) {
    if (!x || stays_.read(x) || x->is_traced()) return;
    constexpr uint32_t nan_of_every_float = 0xffffffff;
    const auto [number, is_new] = changed_.number(x.get());
    if (is_new) placeholders_.push_back(make_constant(x->device, x->dtype, x->shape, nan_of_every_float));
    NodePtr old = std::exchange(x, placeholders_[static_cast<size_t>(number)]);
    if (is_new) old_.push_back(std::move(old));
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

  Record& record_;
  RuleReads stays_;                    ///< what rules read, and what is held anyway
  PointerNumbers changed_;             ///< numbers what has placeholders
  std::vector<NodePtr> placeholders_;  ///< by these numbers
  std::vector<NodePtr> old_;           ///< until all are changed, so that no other node has its address
  std::unordered_map<const OwnDerivative*, std::shared_ptr<const OwnDerivative>> own_;
};

}  // namespace

void let_go_unread(Record& record, const std::vector<Tensor>& held) { LettingGo(record, held).run(); }

}  // namespace eglantine::derivatives
