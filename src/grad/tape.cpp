#include "grad/tape.hpp"

#include <algorithm>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "evaluate/pending.hpp"
#include "grad/rule_reads.hpp"
#include "grad/rules.hpp"
#include "grad/walk.hpp"

namespace eglantine::derivatives {

namespace {

/// What a value leads back to: its sources, or the inputs of a derivative of its own.
template <class Visit>
void for_each_origin(const nodes::Value& x, Visit visit) {
  const OwnDerivative* own = own_of(x);
  if (own == nullptr) return for_each_source_of(x, visit);
  for (const NodePtr& input : own->inputs) visit(input);
}

/// Cotangents of results that share a derivative of their own, until all are known.
struct Waiting {
  std::vector<NodePtr> cotangents;
  size_t missing;
};

/// Goes through a record, readers first.
class Backward {
 public:
  Backward(const Record& record, Cotangents& cotangents) : record_(record), cotangents_(cotangents) {
    for (const Recorded& each : record.nodes)
      if (const OwnDerivative* own = own_of(each.origin)) ++waiting_.emplace(own, Waiting{{}, 0}).first->second.missing;
  }

  void through(const Recorded& x) {
    if (is_input(x)) return;
    const Tensor cotangent = cotangents_.take(*x.node);
    if (own_of(x.origin) != nullptr)
      own(x, cotangent);  // perhaps a user's
    else if (cotangent.defined())
      rule(x, cotangent);
    settle_overdue();
  }

 private:
  void rule(const Recorded& x, const Tensor& cotangent) {
    const BuiltWhole whole;
    give_back(x, cotangent, cotangents_);
  }

  static const Boundary* boundary_of(const Recorded& x) {
    const auto* view = std::get_if<nodes::View>(&x.origin);
    return view != nullptr ? view->boundary.get() : nullptr;
  }
  /// Of this derivative: it leads no further.
  bool is_input(const Recorded& x) const {
    const Boundary* boundary = boundary_of(x);
    return boundary != nullptr && boundary->trace && !record_.leads_to(std::get<nodes::View>(x.origin).source);
  }

  void own(const Recorded& x, const Tensor& cotangent) {
    const OwnDerivative& own = *own_of(x.origin);
    Waiting& known = waiting_.at(&own);
    known.cotangents.resize(own.results.size());
    NodePtr& sum = known.cotangents[boundary_of(x)->result];  // several nodes stand for a result that backward reads
    if (cotangent.defined()) sum = sum ? (Tensor(sum) + cotangent).node() : cotangent.node();
    if (--known.missing != 0) return;
    const std::vector<NodePtr> cotangents = std::move(known.cotangents);  // which nobody else needs
    waiting_.erase(&own);
    if (std::none_of(cotangents.begin(), cotangents.end(), [](const NodePtr& g) { return g != nullptr; })) return;
    const std::vector<NodePtr> given = own.backward(boundary_of(x)->own, cotangents);
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i]) cotangents_.give(own.inputs[i], Tensor(given[i]));
  }

  const Record& record_;
  Cotangents& cotangents_;
  std::unordered_map<const OwnDerivative*, Waiting> waiting_;
};

int64_t bytes_of(const Node& x) { return x.shape.elements() * size_of(x.dtype); }

/// Whether the values are computed, or would be so large that what no rule reads should go. Of a small step nothing is
/// computed before its record ends.
bool holds_memory(const Record& record) {
  constexpr int64_t much = max_pending_bytes / 16;
  const GraphLock lock;
  const auto is_computed = [](const NodePtr& x) { return x->is_computed(); };
  int64_t bytes = 0;
  for (const auto& [node, origin] : record.nodes) {
    bytes += bytes_of(*node);
    if (is_computed(node) || bytes >= much) return true;
    const OwnDerivative* own = own_of(origin);
    if (own == nullptr) continue;
    for (const NodePtr& input : own->inputs) bytes += bytes_of(*input);
    if (std::any_of(own->results.begin(), own->results.end(), is_computed)) return true;
  }
  return bytes >= much;
}

/// While cotangents go back: what evaluations on the way compute, and rules still to come will read, is materialized.
struct Unwinding {
  explicit Unwinding(TracePtr of) : trace(std::move(of)) { trace->unwinding = true; }
  Unwinding(const Unwinding&) = delete;
  Unwinding& operator=(const Unwinding&) = delete;
  ~Unwinding() { trace->unwinding = false; }

  const TracePtr trace;
};

}  // namespace

void require_like(std::string_view function, std::string_view what, const Tensors& given, const Tensors& of) {
  using check::fail;
  if (given.size() != of.size())
    fail<Error>(function, "wants one ", what, " for each of ", std::to_string(of.size()), " tensors, got ",
                std::to_string(given.size()));
  for (size_t i = 0; i < of.size(); ++i) {
    if (!is_float(of[i].dtype())) continue;
    const std::string name = std::string(what) + " " + std::to_string(i);
    if (!given[i].defined())
      fail<Error>(function, name, " is no tensor, what it belongs to is ", name_of(of[i].dtype()), " ",
                  to_string(of[i].shape()), "; give zeros where there is none");
    if (given[i].shape() != of[i].shape())
      fail<ShapeError>(function, name, " is ", to_string(given[i].shape()), ", what it belongs to is ",
                       to_string(of[i].shape()));
    if (given[i].dtype() != of[i].dtype())
      fail<DTypeError>(function, name, " is ", name_of(given[i].dtype()), ", what it belongs to is ",
                       name_of(of[i].dtype()), "; convert with astype");
    check::require_same_device(function, given[i], of[i]);
  }
}

Tape::Tape(std::string_view function, const Function& f, const Tensors& x) : function_(function), x_(x) {
  require_function(function, f);
  const ActiveTrace active;
  for (const Tensor& each : x) traced_.push_back(pend(make_boundary(each.node(), {.trace = active.trace})));
  results_ = f(traced_);
  for (size_t i = 0; i < results_.size(); ++i)
    if (!results_[i].defined())
      check::fail<Error>(function, "the function's result ", std::to_string(i), " is no tensor");
  record(active.trace);
  if (!holds_memory(record_)) return;
  Tensors held = traced_;
  held.insert(held.end(), results_.begin(), results_.end());
  let_go_unread(record_, held);
}

void Tape::record(const TracePtr& trace) {
  const GraphLock lock;
  const auto origins = [](const nodes::Value& value, auto visit) { for_each_origin(value, visit); };
  std::vector<NodePtr> found = nodes_through(trace, results_, origins, lock);
  record_.nodes.reserve(found.size());
  for (NodePtr& node : found) {
    const nodes::Value& origin = node->origin();
    record_.nodes.push_back({std::move(node), origin});
  }
  record_.number();
  trace_ = trace;
  std::vector<nodes::Value> forgotten = end_trace(*trace, lock);
  for (const Recorded& each : record_.nodes) forgotten.push_back(each.node->forget(lock));
}

void Tape::give(const Tensors& cotangents, Cotangents& sums) const {
  for (size_t i = 0; i < results_.size(); ++i) sums.give(results_[i].node(), cotangents[i]);
}

Tensors Tape::taken(Cotangents& sums) const {
  Tensors found;
  for (size_t i = 0; i < x_.size(); ++i) {
    const Tensor& x = x_[i];
    const Tensor sum = sums.take(*traced_[i].node());
    found.push_back(sum.defined() ? sum : zeros(x.shape(), is_float(x.dtype()) ? x.dtype() : DType::f32, x.device()));
  }
  return found;
}

Tensors Tape::back(const Tensors& cotangents) const {
  const Unwinding unwinding(trace_);
  Cotangents sums(function_, record_);
  give(cotangents, sums);
  Backward backward(record_, sums);
  for (auto each = record_.nodes.rbegin(); each != record_.nodes.rend(); ++each) backward.through(*each);
  return taken(sums);
}

Tensors Tape::unwind(const Tensors& cotangents) {
  const Unwinding unwinding(trace_);
  Cotangents sums(function_, record_);
  give(cotangents, sums);
  Backward backward(record_, sums);
  int64_t let_go = 0;  // bytes, of which pending gradients may be the last readers
  while (!record_.nodes.empty()) {
    const Node& node = *record_.nodes.back().node;
    backward.through(record_.nodes.back());
    if (node.is_computed()) let_go += bytes_of(node);
    record_.nodes.pop_back();
    if (let_go < max_pending_bytes / 4) continue;
    settle_pending(0.5);  // the peak of a training step is here, where gradients hold what the way there let go
    let_go = 0;
  }
  return taken(sums);
}

}  // namespace eglantine::derivatives
