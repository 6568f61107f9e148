#include "graph/planning/ownership.hpp"

#include <algorithm>
#include <limits>

#include "graph/op_info.hpp"
#include "graph/planning/cheap_stencils.hpp"
#include "graph/planning/fusion.hpp"
#include "graph/planning/kept_for_derivatives.hpp"
#include "graph/planning/kernel_graph.hpp"
#include "graph/planning/product_choice.hpp"
#include "graph/planning/reads.hpp"
#include "graph/planning/repeated_values.hpp"
#include "graph/planning/traversal.hpp"
#include "graph/results_together.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Whether x's kernel can apply an element-wise expression to what it computes.
bool takes_epilogue(const Node& x) {
  if (const auto* sort = x.as<nodes::Sort>()) return sort->wanted != nodes::Sorted::both;
  if (const auto* attention = x.as<nodes::Attention>()) return !attention->both;
  return x.as<nodes::Reduce>() || x.as<nodes::Matmul>() || x.as<nodes::Scan>() || x.as<nodes::Gather>() ||
         x.as<nodes::Tiles>() || x.as<nodes::Contraction>();
}

/// Whether x's kernel applies its epilogue once to each element, so that it may write extra outputs.
bool stores_on_the_way(const Node& x) { return x.as<nodes::Reduce>() || x.as<nodes::Matmul>(); }

/// What x shows in other places: an element of it is read again and again, and not computed each time.
const NodePtr& moved_from(const NodePtr& x) {
  for (const NodePtr* at = &x;;) {
    if (const auto* view = (*at)->as<nodes::View>())
      at = &view->source;
    else if (const auto* remap = (*at)->as<nodes::Remap>())
      at = &remap->source;
    else if (is_widening(**at))
      at = &(*at)->as<nodes::Elementwise>()->args[0];
    else
      return *at;
  }
}

/// How many neighbouring results the kernel of a reduction computes together, if they make the same numbers.
int64_t results_at_once(const nodes::Reduce& x) {
  const Shape& shape = x.arg->shape;
  const int last = shape.rank() - 1;
  const Axes& reduced = x.order.reduced;
  const bool may = x.reduction == Reduction::sum && x.arg->dtype == DType::f32 && !reduced.contains(last);
  return may && shape[last] <= most_results_at_once ? shape[last] : 1;
}

/// What one assignment finds out about rows for the next one.
struct RowFindings {
  std::unordered_set<const Node*> alone;    ///< reductions that no other one of the same rows joins
  std::unordered_set<const Node*> results;  ///< of rows, whose readers cannot compute rows: materialized

  size_t size() const { return alone.size() + results.size(); }
};

/// Assigns nodes readers first: all readers of a node are known when it is assigned.
class Assigner {
 public:
  Assigner(const std::unordered_set<const Node*>& forced, const DeviceLimits& device, RowFindings& found)
      : forced_(forced), device_(device), found_(found) {}

  Ownership run(const std::vector<NodePtr>& roots) {
    result_.order = sources_first(roots, [](const Node&) { return true; });
    for (const NodePtr& root : roots) result_.materialized.insert(root.get());
    kept_ = kept_for_derivatives(result_.order);
    for (auto node = result_.order.rbegin(); node != result_.order.rend(); ++node) assign(**node);
    result_.kernels = graph_.in_order_of_running();
    return std::move(result_);
  }

 private:
  void assign(const Node& x) {
    const Reads reads = std::move(reads_[&x]);
    const bool wanted = result_.materialized.count(&x) || forced_.count(&x) || found_.results.count(&x);
    if (x.as<nodes::View>()) return assign_view(x, wanted, reads);
    if (x.as<nodes::Remap>()) return assign_remap(x, wanted, reads);
    const bool again = x.is_kept() || kept_.count(&x) != 0 || by_several(reads);
    if (!wanted && !again && is_added_by_readers(x, reads)) {
      result_.short_sums.insert(&x);
      return read_sources(x, out_of_order(reads));
    }
    if (x.is_elementwise() || x.as<nodes::LoadAt>())
      assign_elementwise(x, wanted, again, reads);
    else
      assign_accumulator(x, wanted, again, reads);
  }

  /// A sum of a few elements is an expression where each of its readers computes it once: also a reduction whose few
  /// neighbouring results all read it (forces), so that the pairs that it is of are never stored.
  bool is_added_by_readers(const Node& x, const Reads& reads) const {
    return is_short_sum(x, result_.materialized, forced_) &&
           std::all_of(reads.begin(), reads.end(), [&](const Read& read) {
             return !read.in_memory && !read.as_piece && computations_by(read) <= x.shape.elements();
           });
  }

  static constexpr int64_t untold = std::numeric_limits<int64_t>::max();  ///< more than any
  /// How many elements the reading kernel, a map, a reduction, a product with few columns or rows, computes: results at
  /// once as one. Else `untold`.
  int64_t computations_by(const Read& read) const {
    if (const RowFolds* rows = rows_at(*read.kernel)) return rows->shape.elements();
    const Node& reader = reader_of(read);
    if (const auto* reduce = reader.as<nodes::Reduce>())
      return reduce->arg->shape.elements() / results_at_once(*reduce);
    if (const auto* matmul = reader.as<nodes::Matmul>())
      if (const std::optional<FewColumns> few = few_columns_of(reader)) return few->matrix(*matmul)->shape.elements();
    return read.kernel->is_elementwise() ? read.kernel->shape.elements() : untold;
  }

  /// The node whose argument reads: what the kernel takes in, or its last expression.
  const Node& reader_of(const Read& read) const {
    const auto accumulator = result_.accumulator_of.find(read.kernel);
    const bool takes_in = accumulator != result_.accumulator_of.end() && !read.ends_kernel;
    return takes_in ? *accumulator->second : *read.kernel;
  }

  /// A function of many steps, or what is made of one, is stored where each of its elements is read so often that
  /// computing it there takes longer than a kernel more. What a row kernel makes of one it computes once for each row.
  bool is_read_often(const Node& x, const Reads& reads) const {
    constexpr int64_t often = 64, many = int64_t{1} << 20;
    if (x.as<nodes::Elementwise>() == nullptr || reads.empty()) return false;
    const bool is_often = std::ranges::all_of(reads, [&](const Read& read) {
      const int64_t elements = computations_by(read);
      return elements != untold && elements >= many && elements / often >= x.shape.elements();
    });
    if (!is_often) return false;
    if (takes_many_steps(x) && is_elementwise_to_memory(x, result_.materialized)) return true;
    return std::ranges::all_of(reads, [&](const Read& read) {
      return rows_at(*read.kernel) == nullptr && is_made_apart(x, computations_by(read));
    });
  }

  /// Whether x is made, in many steps, of what is in memory and of reductions that are no rows of a kernel of so many
  /// elements.
  bool is_made_apart(const Node& x, int64_t elements) const {
    bool is_apart = true, many = takes_many_steps(x);
    sources_first(sources_of(x), [&](const Node& node) {
      const auto* reduce = node.as<nodes::Reduce>();
      const bool fuses = node.is_elementwise() || node.as<nodes::View>() || node.as<nodes::Remap>() ||
                         node.as<nodes::Constant>() || node.as<nodes::Iota>();
      if (result_.materialized.count(&node) != 0 || !is_pending(node)) return false;
      is_apart = is_apart && (reduce != nullptr ? reduce->arg->shape.elements() != elements : fuses);
      many = many || takes_many_steps(node);
      return fuses;
    });
    return is_apart && many;
  }

  static bool takes_many_steps(const Node& x) {
    const auto* elementwise = x.as<nodes::Elementwise>();
    return elementwise != nullptr && has_many_steps(elementwise->op, elementwise->args[0]->dtype);
  }

  /// Whether nothing but reductions of all of x's elements reads it, of which none could store it on the way.
  bool takes_a_kernel(const Node& x, const Reads& reads) const {
    if (x.is_kept() || kept_.count(&x) != 0) return false;
    return std::ranges::all_of(reads, [&](const Read& read) {
      const auto* reduce = reader_of(read).as<nodes::Reduce>();
      return reduce != nullptr && rows_at(*read.kernel) == nullptr &&
             reduce->arg->shape.elements() == x.shape.elements();
    });
  }

  /// Sums of many products, such as a depthwise convolution, are stored where a reader computes many times as many
  /// elements as they have: the gradient of its weights would sum each again for each place of a window.
  bool is_sum_read_often(const Node& x, const Reads& reads) const {
    constexpr int64_t often = 4;
    return is_sum_of_products(x) && std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
             const int64_t elements = computations_by(read);
             return elements != untold && elements / often >= x.shape.elements();
           });
  }

  static bool is_sum_of_products(const Node& x) {
    constexpr int many = 8;
    int products = 0;
    for (const Node* at = &x; products < many; ++products) {
      const auto* step = at->as<nodes::Elementwise>();
      if (at->is_computed() || step == nullptr || step->op != Op::multiply_add) return false;
      at = step->args[2].get();
    }
    return true;
  }

  bool is_computed_by_readers(const Node& x, const Reads& reads) const {
    if (is_recomputed(x, result_.materialized, forced_, takes_a_kernel(x, reads))) return true;
    const bool is_gpu = device_.line > 0;
    return is_gpu && (is_computed_once(x, result_.materialized) || is_stencil(x, reads));
  }

  /// Whether maps of as many elements read x at several places, and compute it at each (is_stencil_of_cheap()).
  bool is_stencil(const Node& x, const Reads& reads) const {
    const auto is_by_map = [&](const Read& read) {
      const Node& map = *read.kernel;
      return map.is_elementwise() && map.shape.elements() == x.shape.elements() && !read.as_piece &&
             result_.accumulator_of.count(&map) == 0 && rows_at(map) == nullptr;
    };
    const uint32_t axes = rolled(x);
    if (axes == 0 || viewed_.count(&x) != 0 || x.shape.elements() == 0 || x.is_kept() || kept_.count(&x) != 0 ||
        !std::ranges::all_of(reads, is_by_map))
      return false;
    return is_stencil_of_cheap(x, static_cast<int64_t>(reads.size()), axes, result_.materialized, forced_);
  }

  /// Axes along which the map that reads x reads it rolled, as bits.
  uint32_t rolled(const Node& x) const {
    const auto known = rolled_.find(&x);
    return known == rolled_.end() ? 0 : known->second;
  }
  void note_rolled(const Node& x, uint32_t axes) {
    if (axes != 0) rolled_[&x] |= axes;
  }

  void assign_elementwise(const Node& x, bool wanted, bool again, const Reads& reads) {
    const bool materialized = wanted || read_in_memory(reads) || is_read_often(x, reads) ||
                              is_sum_read_often(x, reads) || (again && !is_computed_by_readers(x, reads));
    // A widening is transparent, as a view is: a kernel reads narrow memory as well as wide.
    if (!materialized || (!wanted && is_widening(x))) {
      if (const uint32_t axes = rolled(x); axes != 0)
        for_each_source(x, [&](const NodePtr& source) { note_rolled(*source, axes); });
      return read_sources(x, reads);
    }
    const Node* owner = owner_for(x, reads);
    if (owner == nullptr && (owner = sibling_of(x, reads)) != nullptr) result_.beside[owner].push_back(&x);
    if (owner != nullptr) result_.stored_by[&x] = owner;
    if (owner == nullptr) elementwise_.push_back(&x);
    store(x, owner != nullptr ? *owner : x, reads);
    read_sources(x, {read_by(owner != nullptr ? *owner : x)});
  }

  void assign_accumulator(const Node& x, bool wanted, bool again, const Reads& reads) {
    if (!wanted && !again && x.as<nodes::Contraction>() && reads.size() == 1 && reads.front().as_piece) {
      result_.in_place.insert(&x);
      return read_accumulator_sources(x, *reads.front().kernel);
    }
    const std::vector<const Node*> rows = wanted ? std::vector<const Node*>{} : joined_rows(x, reads);
    for (const Node* kernel : rows) read_accumulator_sources(x, *kernel);
    if (!rows.empty()) return;
    const Node& kernel = kernel_of(x, wanted || again, reads);
    if (!wanted) note_results(x, kernel, reads);
    read_accumulator_sources(x, kernel);
  }

  /// The kernel that computes x.
  const Node& kernel_of(const Node& x, bool wanted, const Reads& reads) {
    const Node* owner = wanted ? nullptr : only_owner(x, reads);
    const bool takes_in = owner != nullptr;
    if (!takes_in) {
      owner = owner_for(x, reads);
      if (owner != nullptr) result_.stored_by[&x] = owner;
      store(x, owner != nullptr ? *owner : x, reads);
    }
    const Node& kernel = owner != nullptr ? *owner : x;
    if (owner != nullptr) result_.accumulator_of[owner] = &x;
    if (takes_in || may_reorder_rows(x)) start_rows(x, kernel);
    return kernel;
  }

  bool may_fold(const Node& x) const {
    return x.as<nodes::Reduce>() != nullptr && forced_.count(&x) == 0 && found_.alone.count(&x) == 0;
  }
  bool may_reorder_rows(const Node& x) const { return x.as<nodes::Reduce>() != nullptr && may_reorder(x); }

  /// x's kernel becomes a row kernel if another reduction of the same rows is below x, which then joins it.
  void start_rows(const Node& x, const Node& kernel) {
    if (!may_fold(x)) return;
    std::optional<RowFolds> rows = rows_of(x, device_);
    if (rows && has_fold_below(x, *rows, result_.materialized)) result_.rows.emplace(&kernel, std::move(*rows));
  }

  /// The kernels that read x, if each takes it in as a step over its rows; else none. They may compute elements from
  /// them, or other reductions of them. Each computes x itself: it reads its rows anyway.
  std::vector<const Node*> joined_rows(const Node& x, const Reads& reads) {
    if (!may_fold(x)) return {};
    const std::optional<RowFolds> rows = rows_of(x, device_);
    std::vector<const Node*> kernels;
    for (const Read& read : reads) {
      if (!rows || read.in_memory || read.as_piece) return {};
      if (std::find(kernels.begin(), kernels.end(), read.kernel) == kernels.end()) kernels.push_back(read.kernel);
    }
    bool all = true;
    for (const Node* kernel : kernels) all = may_join(x, *kernel, *rows) && all;
    if (!all) return {};
    for (const Node* kernel : kernels) result_.rows.emplace(kernel, *rows).first->second.folds.insert(&x);
    return kernels;
  }

  bool may_join(const Node& x, const Node& kernel, const RowFolds& rows) const {
    const Node& arg = *x.as<nodes::Reduce>()->arg;
    const bool of_elements = kernel.is_elementwise() && kernel.shape.elements() == rows.shape.elements();
    if (const RowFolds* known = rows_at(kernel)) {
      const Node& elements = *known->first->as<nodes::Reduce>()->arg;
      return known->shape == rows.shape && known->axes == rows.axes &&
             (share_elements(elements, arg, beyond(kernel)) ||
              (of_elements && share_elements(kernel, arg, beyond(kernel))));
    }
    const bool computes_rows = of_elements && result_.accumulator_of.count(&kernel) == 0;
    return computes_rows && share_elements(kernel, arg, beyond(kernel));
  }

  /// For readers of x, which is a step of none of them, what would be a row kernel of its own. `kernel`: x's.
  void note_results(const Node& x, const Node& kernel, const Reads& reads) {
    const std::optional<RowFolds> rows = may_fold(x) ? rows_of(x, device_) : std::nullopt;
    if (!rows || std::ranges::any_of(reads, [](const Read& read) { return read.in_memory || read.as_piece; })) return;
    for (const Read& read : reads)
      if (read.kernel != &kernel && rows_at(*read.kernel) == nullptr) note_result(x, *read.kernel, *rows);
  }

  /// A kernel that reads x, one value for each of its rows, computes these rows, if x is made of a reduction of them.
  void expect_rows(const Node& x, const Node& kernel) {
    if (!kernel.is_elementwise() || result_.accumulator_of.count(&kernel) != 0 || rows_at(kernel) != nullptr) return;
    const Node* fold = kernel.shape.elements() > x.shape.elements() ? fold_below(x, result_.materialized) : nullptr;
    if (fold == nullptr || !may_fold(*fold)) return;
    std::optional<RowFolds> rows = rows_of(*fold, device_);
    if (!rows || rows->shape.elements() != kernel.shape.elements()) return;
    if (!share_elements(kernel, *fold->as<nodes::Reduce>()->arg, beyond(kernel))) return;
    rows->folds.clear();
    result_.rows.emplace(&kernel, std::move(*rows));
  }

  /// x's reader cannot compute rows. What it makes of them is materialized next time: their elements, or what is one
  /// for each of them where several steps of a row are below it.
  void note_result(const Node& x, const Node& kernel, const RowFolds& rows) {
    const auto accumulator = result_.accumulator_of.find(&kernel);
    const Node& reader = accumulator != result_.accumulator_of.end() ? *accumulator->second : kernel;
    if (&reader == &x || doubtful_.count(&x) != 0) return;
    const Node* result = elements_above(reader, x, rows, result_.materialized);
    if (result != nullptr && !share_elements(*result, *x.as<nodes::Reduce>()->arg, result_.materialized))
      result = nullptr;
    if (result == nullptr && has_fold_below(x, rows, result_.materialized))
      result = rows_above(reader, x, rows, result_.materialized);
    if (result != nullptr && found_.results.insert(result).second) doubt(*result);
  }

  /// Once this result is materialized, what is below it may be steps of its row kernel: it is looked at next time.
  void doubt(const Node& result) {
    std::vector<const Node*> open{&result};
    while (!open.empty()) {
      const Node& x = *open.back();
      open.pop_back();
      const bool of_rows = x.is_elementwise() || x.as<nodes::View>() || x.as<nodes::Remap>() || x.as<nodes::Reduce>();
      if (!is_pending(x) || !of_rows || !doubtful_.insert(&x).second) continue;
      for_each_source(x, [&](const NodePtr& source) { open.push_back(source.get()); });
    }
  }

  /// What this kernel reads from memory, and does not store itself.
  std::unordered_set<const Node*> beyond(const Node& kernel) const {
    std::unordered_set<const Node*> found = result_.materialized;
    for (const auto& [stored, owner] : result_.stored_by)
      if (owner == &kernel) found.erase(stored);
    return found;
  }

  const RowFolds* rows_at(const Node& kernel) const {
    const auto known = result_.rows.find(&kernel);
    return known == result_.rows.end() ? nullptr : &known->second;
  }

  /// A view is transparent: what reads it reads its source. One that must be materialized is computed as a copy.
  void assign_view(const Node& x, bool wanted, Reads reads) {
    const auto& view = *x.as<nodes::View>();
    if (wanted) {
      store(x, x, reads);
      reads = {{.expression = &x, .kernel = &x}};
    }
    // In as many places as a window has, which count as one reading.
    if (!wanted && (view.source->as<nodes::Remap>() || viewed_.count(&x) != 0)) viewed_.insert(view.source.get());
    // It may name the axes otherwise.
    if (!wanted && rolled(x) != 0) note_rolled(*view.source, ~uint32_t{0});
    read_by_all(view.source, keeps_order(view) ? reads : out_of_order(reads));
  }

  /// As a view, but in memory where a kernel reads it there. What one expression reads through it counts as read apart
  /// from what that reads elsewhere of the source: a stencil does not recompute each neighbour but for what is cheap.
  void assign_remap(const Node& x, bool wanted, Reads reads) {
    const auto& remap = *x.as<nodes::Remap>();
    const bool stored = wanted || read_in_memory(reads);
    if (stored) {
      store(x, x, reads);
      reads = {{.expression = &x, .kernel = &x}};
    }
    if (!stored && viewed_.count(&x) != 0) viewed_.insert(remap.source.get());
    note_rolled(*remap.source, rolled_axes(remap) | (stored ? 0 : rolled(x)));
    const bool apart = !by_several(reads);
    for (Read& read : reads) {
      read.in_order = false;
      if (apart) read.expression = &remap;
    }
    read_by_all(remap.source, reads);
  }

  /// Materializes x, as a result of this kernel; its other readers' kernels wait for that.
  void store(const Node& x, const Node& kernel, const Reads& reads) {
    result_.materialized.insert(&x);
    if (&kernel == &x) graph_.add(&x);
    for (const Read& read : reads)
      if (read.kernel != &kernel) graph_.need(read.kernel, &kernel);
  }

  void read_by_all(const NodePtr& source, const Reads& reads) {
    if (!is_pending(*source)) return;
    Reads& known = reads_[source.get()];
    for (Read read : reads) {
      read.as_piece = false;  // of what made x
      add_read(known, read);
    }
  }
  void read_sources(const Node& x, const Reads& reads) {
    if (const auto* load = x.as<nodes::LoadAt>()) return read_sources_of(*load, reads);
    for (const NodePtr& source : sources_of(x)) read_by_all(source, reads);
  }

  void read_sources_of(const nodes::LoadAt& load, const Reads& reads) {
    for (const NodePtr& index : load.indices) read_by_all(index, reads);
    for (const Read& read : reads)
      read_by_all(load.source, {{.expression = load.source.get(), .kernel = read.kernel, .in_memory = true}});
  }

  /// x's elements, those once that are the same along whole axes.
  static int64_t elements_once(const Node& x) {
    int64_t count = x.shape.elements();
    const auto* view = x.as<nodes::View>();
    for (int axis = 0; view != nullptr && count > 0 && axis < x.shape.rank(); ++axis)
      if (view->layout.strides[static_cast<size_t>(axis)] == 0) count /= x.shape[axis];
    return count;
  }

  /// What a matrix shows in windows, so that each element is read many times; else null. A copy puts them in order.
  static NodePtr shown_often(const NodePtr& matrix) {
    constexpr int64_t often = 4;
    const NodePtr& order = moved_from(matrix);
    const auto* copy = order->as<nodes::Elementwise>();
    const NodePtr& shown = copy != nullptr && copy->op == Op::copy ? moved_from(copy->args[0]) : order;
    return elements_once(*matrix) >= often * shown->shape.elements() ? shown : nullptr;
  }

  /// A reduction and its like read each argument in an expression of its own, named by the address of a part of x's
  /// value. A product reads computed operands, but for the matrix of one with few columns, a gather a computed source;
  /// each piece of a placement is a kernel.
  void read_accumulator_sources(const Node& x, const Node& kernel) {
    const auto read_apart = [&](const NodePtr& source, const void* name) {
      read_by_all(source, {{.expression = name, .kernel = &kernel, .in_order = false}});
    };
    const auto read_computed = [&](const NodePtr& source) {
      read_by_all(source, {{.expression = source.get(), .kernel = &kernel, .in_memory = true}});
    };
    if (const auto* reduce = x.as<nodes::Reduce>()) {
      const RowFolds* rows = rows_at(kernel);
      if (rows != nullptr && rows->folds.count(&x) != 0)
        read_by_all(reduce->arg, {{.expression = &kernel,
                                   .kernel = &kernel,
                                   .in_order = kernel.shape.elements() == rows->shape.elements(),
                                   .ends_kernel = true}});
      else
        read_apart(reduce->arg, &reduce->arg);
    } else if (const auto* scan = x.as<nodes::Scan>()) {
      read_apart(scan->arg, &scan->arg);
    } else if (const auto* tiles = x.as<nodes::Tiles>()) {
      read_apart(tiles->arg, &tiles->arg);
    } else if (const auto* sort = x.as<nodes::Sort>()) {
      read_apart(sort->keys, &sort->keys);
      if (sort->payload) read_apart(sort->payload, &sort->payload);
    } else if (const auto* second = x.as<nodes::SecondOutput>()) {
      read_computed(second->first);
    } else if (const auto* gather = x.as<nodes::Gather>()) {
      read_computed(gather->source);
      read_apart(gather->index, &gather->index);
    } else if (const auto* scatter = x.as<nodes::Scatter>()) {
      if (scatter->base) read_apart(scatter->base, &scatter->base);
      read_apart(scatter->index, &scatter->index);
      read_apart(scatter->updates, &scatter->updates);
      if (scatter->ends) read_computed(scatter->ends);
    } else if (const auto* placement = x.as<nodes::Placement>()) {
      for (size_t i = 0; i < placement->pieces.size(); ++i)
        if (const NodePtr& piece = placement->pieces[i]; is_pending(*piece))
          add_read(reads_[piece.get()],
                   {.expression = &placement->regions[i], .kernel = &kernel, .in_order = false, .as_piece = true});
    } else if (const auto* matmul = x.as<nodes::Matmul>()) {
      const std::optional<FewColumns> few = few_columns_of(x);
      few ? read_apart(few->matrix(*matmul), &few->matrix(*matmul)) : read_computed(matmul->a);
      if (const NodePtr shown = few ? shown_often(few->matrix(*matmul)) : nullptr) read_computed(shown);
      if (const Node* shown = few ? scattered_windows(*few->matrix(*matmul)) : nullptr)
        result_.materialized.insert(shown);
      read_computed(few ? few->vectors(*matmul) : matmul->b);
    } else if (const auto* attention = x.as<nodes::Attention>()) {
      for (const NodePtr* operand : {&attention->q, &attention->k, &attention->v, &attention->mask})
        if (*operand) read_computed(*operand);
    } else if (x.as<nodes::AttentionGradient>()) {
      for_each_source(x, read_computed);
    } else if (const auto* contraction = x.as<nodes::Contraction>()) {
      for (const NodePtr* side : {&contraction->a, &contraction->b}) {
        read_apart(*side, side);
        read_computed(moved_from(*side));
      }
    }
  }

  /// The kernel of x's only reader, where its epilogue has x at hand and can take it as the accumulator; or null.
  const Node* only_owner(const Node& x, const Reads& reads) const {
    if (reads.size() != 1 || !reads.front().is_extra_output()) return nullptr;
    const Node& owner = *reads.front().kernel;
    return can_take_in(x, owner) && (stored_count(owner) == 0 || stores_on_the_way(x)) ? &owner : nullptr;
  }

  bool can_take_in(const Node& x, const Node& owner) const {
    return takes_epilogue(x) && !result_.accumulator_of.count(&owner) && rows_at(owner) == nullptr;
  }

  /// The last of the kernels that can have the materialized x as an extra output; or null. A row kernel before others:
  /// where another one computes x, both read the rows.
  const Node* owner_for(const Node& x, const Reads& reads) {
    if (forced_.count(&x) || (!x.is_elementwise() && !stores_on_the_way(x))) return nullptr;
    for (auto read = reads.rbegin(); x.is_elementwise() && read != reads.rend(); ++read) expect_rows(x, *read->kernel);
    for (const bool of_rows : {true, false})
      for (auto read = reads.rbegin(); read != reads.rend(); ++read)
        if ((of_rows ? rows_at(*read->kernel) != nullptr : read->is_extra_output()) &&
            can_store(x, *read->kernel, reads))
          return read->kernel;
    return nullptr;
  }

  /// The element-wise kernel of as many elements that reads what x reads, and can store x too: each element is then
  /// read once for both. Null where there is none among the last ones.
  const Node* sibling_of(const Node& x, const Reads& reads) const {
    constexpr std::ptrdiff_t looked_at = 4;
    if (forced_.count(&x) != 0 || !x.is_elementwise()) return nullptr;
    const auto end = elementwise_.rend();
    for (auto kernel = elementwise_.rbegin(); kernel != end && kernel - elementwise_.rbegin() < looked_at; ++kernel)
      if (is_sibling(x, **kernel, reads)) return *kernel;
    return nullptr;
  }

  bool is_sibling(const Node& x, const Node& kernel, const Reads& reads) const {
    if (x.shape != kernel.shape || rows_at(kernel) != nullptr || result_.accumulator_of.count(&kernel) != 0)
      return false;
    const auto by_kernel = [&](const Read& read) { return read.kernel == &kernel; };
    const std::unordered_set<const Node*>& memory = result_.materialized;
    if (std::any_of(reads.begin(), reads.end(), by_kernel) || !share_elements(x, kernel, memory)) return false;
    return is_elementwise_to_memory(x, memory) && is_elementwise_to_memory(kernel, memory) &&
           fused_below(x, memory).size() + fused_below(kernel, memory).size() < max_fused &&
           can_store(x, kernel, reads);
  }

  /// Whether owner's kernel can have x as an extra output: it reads x nowhere else, and waits for no other reader of x.
  bool can_store(const Node& x, const Node& owner, const Reads& reads) const {
    constexpr int64_t most = 3;
    if (stored_count(owner) >= most || (!x.is_elementwise() && !can_take_in(x, owner))) return false;
    const auto accumulator = result_.accumulator_of.find(&owner);
    if (accumulator != result_.accumulator_of.end() && !stores_on_the_way(*accumulator->second)) return false;
    // What is one for a row is at hand wherever a row kernel reads it.
    const RowFolds* rows = rows_at(owner);
    const bool of_row = rows != nullptr && x.shape.elements() == rows->first->shape.elements();
    std::unordered_set<const Node*> others;
    for (const Read& read : reads) {
      if (read.kernel != &owner)
        others.insert(read.kernel);
      else if (!read.is_extra_output() && (!of_row || read.in_memory))
        return false;
    }
    return others.empty() || !graph_.needs_any(&owner, others);
  }

  int64_t stored_count(const Node& owner) const {
    return std::count_if(result_.stored_by.begin(), result_.stored_by.end(),
                         [&](const auto& entry) { return entry.second == &owner; });
  }

  const std::unordered_set<const Node*>& forced_;
  const DeviceLimits& device_;
  RowFindings& found_;
  std::unordered_set<const Node*> kept_;      ///< for derivatives that are being taken
  std::unordered_set<const Node*> doubtful_;  ///< below results that this assignment found
  std::unordered_map<const Node*, Reads> reads_;
  std::unordered_set<const Node*> viewed_;            ///< what a remap shows that views read, in any number of places
  std::unordered_map<const Node*, uint32_t> rolled_;  ///< axes along which a reader's map reads a node rolled, as bits
  std::vector<const Node*> elementwise_;              ///< kernels, the last assigned last
  KernelGraph graph_;
  Ownership result_;
};

}  // namespace

Ownership assign_owners(const std::vector<NodePtr>& roots, const std::unordered_set<const Node*>& forced,
                        const DeviceLimits& device) {
  RowFindings found;
  for (;;) {
    const size_t before = found.size();
    Ownership owners = Assigner(forced, device, found).run(roots);
    for (const auto& [kernel, rows] : owners.rows)
      if (rows.folds.size() == 1 && kernel->shape.elements() == rows.first->shape.elements())
        found.alone.insert(rows.first);
    if (found.size() == before) return owners;
  }
}

}  // namespace eglantine
