#include "graph/planning/assignment/assigner.hpp"

#include <algorithm>

#include "graph/op/storage_type.hpp"
#include "graph/planning/assignment/kept_for_derivatives.hpp"
#include "graph/planning/recomputation/computed_by_readers.hpp"
#include "graph/planning/recomputation/read_often.hpp"
#include "graph/traversal.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// The reads of x's sources by reads of x: of a piece, the expression is x itself.
Reads passed_on(const Node& x, Reads reads) {
  if (reads.size() != 1 || !reads.front().as_piece) return reads;
  reads.front().in_order = true;
  reads.front().piece = &x;
  return reads;
}

}  // namespace

Ownership Assigner::run(const std::vector<NodePtr>& roots) {
  result_.order = sources_first(roots, [](const Node&) { return true; });
  depths_.measure(result_.order);
  for (const NodePtr& root : roots) result_.materialized.insert(root.get());
  for (const Node* value : found_.values)
    if (result_.materialized.count(value) == 0 && forced_.count(value) == 0) result_.passing.insert(value);
  kept_ = kept_for_derivatives(result_.order);
  for (auto node = result_.order.rbegin(); node != result_.order.rend(); ++node) assign(**node);
  result_.kernels = graph_.in_order_of_running();
  return std::move(result_);
}

void Assigner::assign(const Node& x) {
  const Uses uses = uses_of(x);
  if (const auto* view = x.as<nodes::View>()) return assign_view(x, *view, uses);
  if (const auto* remap = x.as<nodes::Remap>()) return assign_remap(x, *remap, uses);
  if (!uses.wanted && !uses.again() && is_added_by_readers(x, uses.reads, result_, forced_)) {
    result_.short_sums.insert(&x);
    sources_.of_expression(x, out_of_order(uses.reads));
  } else if (x.is_elementwise() || x.as<nodes::LoadAt>()) {
    assign_elementwise(x, uses);
  } else if (const Node* kernel = gathers_.join(x, uses)) {
    assign_gather(x, *kernel, uses);
  } else {
    assign_accumulator(x, uses);
  }
}

Uses Assigner::uses_of(const Node& x) {
  return {.reads = sources_.take(x),
          .wanted = result_.materialized.count(&x) || forced_.count(&x) || found_.results.count(&x) ||
                    found_.values.count(&x),
          .kept = x.is_kept() || kept_.count(&x) != 0};
}

/// A view is transparent: what reads it reads its source. One that must be materialized is computed as a copy.
void Assigner::assign_view(const Node& x, const nodes::View& view, const Uses& uses) {
  if (!uses.wanted) rolled_.pass_view(x, view);
  const Reads reads = uses.wanted ? copied(x, uses.reads) : passed_on(x, uses.reads);
  sources_.pass(view.source, keeps_order(view) ? reads : out_of_order(reads));
}

/// As a view, but in memory where a kernel reads it there. What one expression reads through it counts as read apart
/// from what that reads elsewhere of the source: a stencil does not recompute each neighbour but for what is cheap.
void Assigner::assign_remap(const Node& x, const nodes::Remap& remap, const Uses& uses) {
  const bool stored = uses.wanted || read_in_memory(uses.reads);
  rolled_.pass_remap(x, remap, stored);
  Reads reads = out_of_order(stored ? copied(x, uses.reads) : uses.reads);
  if (!by_several(reads))
    for (Read& read : reads) read.expression = &remap;
  sources_.pass(remap.source, reads);
}

/// Stores what x shows: its copy is what reads the source.
Reads Assigner::copied(const Node& x, const Reads& reads) {
  store(x, x, reads);
  return {{.expression = &x, .kernel = &x}};
}

void Assigner::assign_elementwise(const Node& x, const Uses& uses) {
  // A widening is transparent, as a view is: a kernel reads narrow memory as well as wide.
  if (!is_materialized(x, uses) || (!uses.wanted && is_widening(x))) {
    rolled_.pass(x);
    return sources_.of_expression(x, passed_on(x, uses.reads));
  }
  const Node& kernel = elementwise_kernel_of(x, uses.reads);
  store(x, kernel, uses.reads);
  sources_.of_expression(x, {read_by(kernel)});
}

bool Assigner::is_materialized(const Node& x, const Uses& uses) const {
  return uses.wanted || read_in_memory(uses.reads) || is_read_often(x, uses.reads, result_, device_) ||
         is_sum_read_often(x, uses.reads, result_) ||
         (uses.again() && !is_recomputed_of_rows(x, uses) &&
          !is_computed_by_readers(x, uses, result_, rolled_, forced_, device_));
}

/// By the kernel of values of rows, and by what computes elements from these.
bool Assigner::is_recomputed_of_rows(const Node& x, const Uses& uses) const {
  return found_.recomputed.count(&x) != 0 && !uses.kept && uses.reads.size() == 2;
}

/// The kernel that stores the element-wise x: its own where no other one can.
const Node& Assigner::elementwise_kernel_of(const Node& x, const Reads& reads) {
  rows_.expect(x, reads);
  const Node* owner = extra_outputs_.storing(x, reads);
  if (owner == nullptr && (owner = extra_outputs_.storing_beside(x, reads, elementwise_)) != nullptr)
    result_.beside[owner].push_back(&x);
  if (owner != nullptr) result_.stored_by[&x] = owner;
  if (owner == nullptr) elementwise_.push_back(&x);
  return owner != nullptr ? *owner : x;
}

/// To the row kernel that computes it.
void Assigner::assign_gather(const Node& x, const Node& kernel, const Uses& uses) {
  const bool by_others = std::ranges::any_of(uses.reads, [&](const Read& read) { return read.kernel != &kernel; });
  if (by_others || uses.kept) {
    result_.stored_by[&x] = &kernel;
    store(x, kernel, uses.reads);
  }
  sources_.of_gather(*x.as<nodes::Gather>(), kernel);
}

void Assigner::assign_accumulator(const Node& x, const Uses& uses) {
  if (assign_in_place(x, uses)) return;
  const Reads& reads = uses.reads;
  const std::vector<const Node*> rows = uses.wanted ? std::vector<const Node*>{} : rows_.join(x, reads);
  for (const Node* kernel : rows) sources_.of_accumulator(x, *kernel);
  if (!rows.empty()) return;
  if (const Node* kernel = rows_.join_and_store(x, reads, extra_outputs_)) {
    store(x, *kernel, reads);
    return sources_.of_accumulator(x, *kernel);
  }
  const Node& kernel = kernel_of(x, uses.wanted || uses.again(), reads);
  if (!uses.wanted) rows_.note_results(x, kernel, reads);
  sources_.of_accumulator(x, kernel);
}

/// Whether a contraction's kernel can write its elements as a piece of a placement that is made of them. Narrow
/// neighbours share words.
bool Assigner::may_write(const Node& piece, const Node& contraction, const nodes::Placement& placement) const {
  const auto number = std::ranges::find(placement.pieces, &piece, &NodePtr::get) - placement.pieces.begin();
  const Layout& region = placement.regions[static_cast<size_t>(number)];
  return piece.shape.elements() == contraction.shape.elements() && !is_narrow(dense_storage(piece.dtype)) &&
         layout::compose(layout::contiguous(contraction.shape), region) && !depths_.reads_deeper(piece, contraction);
}

/// To the placement that x is a piece of, or is computed first for a piece of: whether it is that.
bool Assigner::assign_in_place(const Node& x, const Uses& uses) {
  if (uses.wanted || uses.again() || !x.as<nodes::Contraction>() || uses.reads.size() != 1) return false;
  const Read& read = uses.reads.front();
  if (!read.as_piece && (read.piece == nullptr || !read.in_order)) return false;
  const Node& piece = read.as_piece ? x : *read.piece;
  if (result_.in_place.count(&piece) != 0 || !may_write(piece, x, *read.kernel->as<nodes::Placement>())) return false;
  if (&piece != &x) result_.accumulator_of[&piece] = &x;
  result_.in_place.insert(&piece);
  sources_.of_accumulator(x, *read.kernel);
  return true;
}

/// The kernel that computes x first: its own, one that takes it in, or, where it must be stored, one that does so.
const Node& Assigner::kernel_of(const Node& x, bool stored, const Reads& reads) {
  const Node* owner = stored ? nullptr : extra_outputs_.taking_in(x, reads);
  const bool takes_in = owner != nullptr;
  if (!takes_in) {
    owner = extra_outputs_.storing(x, reads);
    if (owner != nullptr) result_.stored_by[&x] = owner;
    store(x, owner != nullptr ? *owner : x, reads);
  }
  const Node& kernel = owner != nullptr ? *owner : x;
  if (owner != nullptr) result_.accumulator_of[owner] = &x;
  if (takes_in || result_.passing.count(&x) != 0 || (x.as<nodes::Reduce>() != nullptr && may_reorder(x)))
    rows_.start(x, kernel);
  return kernel;
}

/// Materializes x, as a result of this kernel; its other readers' kernels wait for that.
void Assigner::store(const Node& x, const Node& kernel, const Reads& reads) {
  result_.materialized.insert(&x);
  if (&kernel == &x) graph_.add(&x);
  for (const Read& read : reads)
    if (read.kernel != &kernel) graph_.need(read.kernel, &kernel);
}

}  // namespace eglantine
