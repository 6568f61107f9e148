#include "graph/ownership.hpp"

#include <algorithm>

#include "graph/joining.hpp"
#include "graph/melting.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Pending nodes below the roots, sources first. The depth is bounded by max_pending_nodes.
void visit(const NodePtr& x, std::unordered_set<const Node*>& seen, std::vector<NodePtr>& order) {
  if (!is_pending(*x) || !seen.insert(x.get()).second) return;
  for (const NodePtr& source : sources_of(*x)) visit(source, seen, order);
  order.push_back(x);
}

/// The one expression that reads a node, as far as is known: nobody, one (its name), or several.
struct Reader {
  const void* name = nullptr;
  bool in_order = true;  ///< at the reader's own row-major position, so that a reduction or product can be its core
  bool several = false;
  bool in_memory = false;       ///< somebody reads it there, whom no expression stands between
  const Node* owner = nullptr;  ///< the first kept element-wise node in whose own order it is read, if any

  void add(const Reader& other) {
    several = several || other.several || (name != nullptr && name != other.name);
    name = other.name;
    in_order = in_order && other.in_order;
    in_memory = in_memory || other.in_memory;
    if (other.owner != nullptr && other.in_order) owner = other.owner;
  }
};

Reader reader_for(const Node& owner) { return {.name = &owner, .owner = &owner}; }

/// Whether x's kernel can apply an element-wise expression to what it computes.
bool takes_consumer(const Node& x) {
  if (const auto* sort = x.as<nodes::Sort>()) return sort->wanted != nodes::Sorted::both;
  return x.as<nodes::Reduce>() || x.as<nodes::Matmul>() || x.as<nodes::Scan>() || x.as<nodes::Gather>() ||
         x.as<nodes::Tiles>() || x.as<nodes::Row>();
}

/// Whether x's kernel applies such an expression once to each element, so that it may store what it comes by.
bool stores_on_the_way(const Node& x) { return x.as<nodes::Reduce>() || x.as<nodes::Matmul>() || x.as<nodes::Row>(); }

class Assigner {
 public:
  explicit Assigner(const std::unordered_set<const Node*>& forced) : forced_(forced) {}

  Ownership run(const std::vector<NodePtr>& roots) {
    std::unordered_set<const Node*> seen;
    for (const NodePtr& root : roots) visit(root, seen, result_.order);
    for (const NodePtr& root : roots) result_.kept.insert(root.get());
    for (auto node = result_.order.rbegin(); node != result_.order.rend(); ++node) assign(**node);
    return std::move(result_);
  }

 private:
  void assign(const Node& x) {
    const Reader reader = readers_[&x];
    const bool wanted = result_.kept.count(&x) || forced_.count(&x);
    if (x.as<nodes::View>()) return assign_view(x, wanted, reader);
    const bool again = reader.several || x.fused;
    if (x.is_elementwise()) {
      const bool kept = wanted || reader.in_memory || (again && !melts_again(x, result_.kept, forced_));
      if (!kept) return read_sources(x, reader);
      result_.kept.insert(&x);
      const bool joins = can_be_stored(x, reader.owner);
      if (joins) result_.stored_by[&x] = reader.owner;
      return read_sources(x, reader_for(joins ? *reader.owner : x));
    }
    if (!wanted && !again && can_be_core(x, reader)) {
      result_.core_of[reader.owner] = &x;
    } else {
      result_.kept.insert(&x);
      if (can_be_core_of(x, reader.owner) && can_be_stored(x, reader.owner)) {
        result_.core_of[reader.owner] = &x;
        result_.stored_by[&x] = reader.owner;
      }
    }
    read_core_sources(x);
  }

  /// A view is transparent: what reads it reads its source. One that must be kept is computed as a copy.
  void assign_view(const Node& x, bool wanted, Reader reader) {
    const auto& view = *x.as<nodes::View>();
    if (wanted) {
      result_.kept.insert(&x);
      reader = {&x};
    }
    reader.in_order = reader.in_order && keeps_order(view);
    readers_[view.source.get()].add(reader);
  }

  void read_sources(const Node& x, const Reader& reader) {
    for (const NodePtr& source : sources_of(x)) readers_[source.get()].add(reader);
  }

  /// A node read by an expression of x's own that no node names: `name` is some part of x's value.
  void read_apart(const NodePtr& source, const void* name) { readers_[source.get()].add({name, false}); }
  void read_computed(const NodePtr& source) { readers_[source.get()].add({source.get(), false, true, true}); }

  /// A reduction and its like read their argument in an expression of its own; a product reads computed operands, a
  /// gather a computed source; pieces are a kernel each.
  void read_core_sources(const Node& x) {
    if (const auto* reduce = x.as<nodes::Reduce>()) {
      read_apart(reduce->arg, &reduce->arg);
    } else if (const auto* scan = x.as<nodes::Scan>()) {
      read_apart(scan->arg, &scan->arg);
    } else if (const auto* tiles = x.as<nodes::Tiles>()) {
      read_apart(tiles->arg, &tiles->arg);
    } else if (const auto* row = x.as<nodes::Row>()) {
      read_apart(row->arg, &row->arg);
    } else if (const auto* sort = x.as<nodes::Sort>()) {
      read_apart(sort->keys, &sort->keys);
      if (sort->payload) read_apart(sort->payload, &sort->payload);
    } else if (const auto* second = x.as<nodes::Second>()) {
      read_computed(second->sort);
    } else if (const auto* gather = x.as<nodes::Gather>()) {
      read_computed(gather->source);
      read_apart(gather->index, &gather->index);
    } else if (const auto* scatter = x.as<nodes::Scatter>()) {
      if (scatter->base) read_apart(scatter->base, &scatter->base);
      read_apart(scatter->index, &scatter->index);
      read_apart(scatter->updates, &scatter->updates);
    } else if (const auto* assemble = x.as<nodes::Assemble>()) {
      for (size_t i = 0; i < assemble->pieces.size(); ++i) read_apart(assemble->pieces[i], &assemble->regions[i]);
    } else if (const auto* matmul = x.as<nodes::Matmul>()) {
      read_computed(matmul->a);
      read_computed(matmul->b);
    }
  }

  bool can_be_core(const Node& x, const Reader& reader) const {
    return !reader.several && reader.in_order && reader.name == reader.owner && can_be_core_of(x, reader.owner) &&
           (stored_count(*reader.owner) == 0 || stores_on_the_way(x));
  }
  bool can_be_core_of(const Node& x, const Node* owner) const {
    return owner != nullptr && takes_consumer(x) && !result_.core_of.count(owner);
  }

  /// Whether x, which is kept, can be one of the results of the kernel of `owner`, which reads it in order: nothing
  /// that this kernel needs may wait for x.
  bool can_be_stored(const Node& x, const Node* owner) {
    constexpr int64_t most = 3;
    if (owner == nullptr || forced_.count(&x) || stored_count(*owner) >= most) return false;
    const auto core = result_.core_of.find(owner);
    if (core != result_.core_of.end() && !stores_on_the_way(*core->second)) return false;
    if (!x.is_elementwise() && !stores_on_the_way(x)) return false;
    return can_join(x, *owner, result_, places());
  }

  int64_t stored_count(const Node& owner) const {
    return std::count_if(result_.stored_by.begin(), result_.stored_by.end(),
                         [&](const auto& entry) { return entry.second == &owner; });
  }

  const Places& places() {
    for (size_t i = places_.size(); i < result_.order.size(); ++i) places_[result_.order[i].get()] = i;
    return places_;
  }

  const std::unordered_set<const Node*>& forced_;
  Places places_;
  std::unordered_map<const Node*, Reader> readers_;
  Ownership result_;
};

}  // namespace

Ownership assign_owners(const std::vector<NodePtr>& roots, const std::unordered_set<const Node*>& forced) {
  return Assigner(forced).run(roots);
}

}  // namespace eglantine
