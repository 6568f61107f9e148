#include "check/check.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/tape.hpp"
#include "grad/walk.hpp"
#include "vmap/batch.hpp"

namespace eglantine {

namespace {

using check::fail;
using mapping::Batch;
using MappedAxes = std::vector<std::optional<int>>;

/// The mapped arguments' axes from the front, and how many slices they have.
struct Mapped {
  std::vector<std::optional<int>> axes;
  int64_t slices = -1;
};

Mapped mapped(const Tensors& x, const MappedAxes& axes) {
  if (x.size() != axes.size())
    fail<Error>("vmap", "the function is mapped over the axes of ", std::to_string(axes.size()), " tensors, got ",
                std::to_string(x.size()));
  Mapped found;
  for (size_t i = 0; i < x.size(); ++i) {
    found.axes.push_back(axes[i] ? std::optional(check::axis_of("vmap", *axes[i], x[i].shape())) : std::nullopt);
    if (!axes[i]) continue;
    const int64_t length = x[i].shape()[*found.axes[i]];
    if (found.slices >= 0 && length != found.slices)
      fail<ShapeError>("vmap", "the mapped axes have one length, got ", std::to_string(found.slices),
                       " and, of tensor ", std::to_string(i), ", ", std::to_string(length));
    found.slices = length;
  }
  return found;
}

/// One slice of each; zeros where there is none.
Tensors slices_at(int64_t place, const Tensors& x, const Mapped& over) {
  Tensors slices;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!over.axes[i]) {
      slices.push_back(x[i]);
    } else if (over.slices == 0) {
      Shape shape = x[i].shape();
      shape.erase(*over.axes[i]);
      slices.push_back(zeros(shape, x[i].dtype(), x[i].device()));
    } else {
      slices.push_back(x[i].slice(*over.axes[i], place, place + 1).squeeze(*over.axes[i]));
    }
  }
  return slices;
}

void require_tensors(const Tensors& results) {
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].defined()) fail<Error>("vmap", "the function's result ", std::to_string(i), " is no tensor");
}

void require_alike(const Tensors& results, const Tensors& first, int64_t place) {
  require_tensors(results);
  const std::string slice = " of slice " + std::to_string(place);
  if (results.size() != first.size())
    fail<Error>("vmap", "the function gives ", std::to_string(first.size()), " results of slice 0 and ",
                std::to_string(results.size()), slice);
  for (size_t i = 0; i < first.size(); ++i)
    if (results[i].shape() != first[i].shape())
      fail<ShapeError>("vmap", "the function's result ", std::to_string(i), " is ", to_string(first[i].shape()),
                       " of slice 0 and ", to_string(results[i].shape()), slice);
}

/// Slices as the first ones are: each lies by itself, which as_strided shows.
Tensors apart(Tensors slices, const Mapped& over) {
  const auto ended = std::make_shared<Trace>();
  ended->active = false;
  ended->maps = true;
  for (size_t i = 0; i < slices.size(); ++i)
    if (over.axes[i]) slices[i] = pend(make_boundary(slices[i].node(), {.trace = ended}));
  return slices;
}

/// The results of each slice, one after the other; those of the first are known. With the slices in front.
Tensors one_by_one(const Function& f, const Tensors& x, const Mapped& over, const Tensors& first) {
  std::vector<Tensors> each;
  for (const Tensor& result : first) each.push_back({result});
  for (int64_t place = 1; place < over.slices; ++place) {
    const Tensors results = f(apart(slices_at(place, x, over), over));
    require_alike(results, first, place);
    for (size_t i = 0; i < results.size(); ++i) each[i].push_back(results[i]);
  }
  Tensors stacked;
  for (const Tensors& slices : each) stacked.push_back(stack(slices, 0));
  return stacked;
}

/// A function that has run on the first slices.
class Example {
 public:
  Example(const Function& f, const Tensors& x, const Mapped& over) : x_(x), over_(over) {
    active_.trace->maps = true;
    traced_ = slices_at(0, x, over);
    for (size_t i = 0; i < x.size(); ++i)
      if (over.axes[i]) traced_[i] = pend(make_boundary(traced_[i].node(), {.trace = active_.trace}));
    results_ = f(traced_);
    require_tensors(results_);
    record();
  }

  const Tensors& results() const { return results_; }
  bool can_batch() const { return can_batch_ && !active_.trace->read; }
  /// The results of all slices, which lie in front.
  Tensors batched() const {
    Batch batch(over_.slices);
    for (size_t i = 0; i < x_.size(); ++i)
      if (over_.axes[i]) batch.set(traced_[i].node(), moveaxis(x_[i], *over_.axes[i], 0));
    for (const auto& [node, origin] : made_)
      if (!batch.varies(node)) batch.set(node, mapping::batched(node, origin, batch));
    Tensors all;
    for (const Tensor& result : results_) all.push_back(batch.of(result.node()));
    return all;
  }

 private:
  void record() {
    const GraphLock lock;
    const auto sources = [](const nodes::Value& value, auto visit) { for_each_source_of(value, visit); };
    const std::vector<NodePtr> made = derivatives::nodes_through(active_.trace, results_, sources, lock);
    for (const NodePtr& node : made) {
      can_batch_ = can_batch_ && mapping::can_batch(*node, std::max<int64_t>(1, over_.slices));
      made_.push_back({node, node->origin()});
    }
    std::vector<nodes::Value> forgotten = end_trace(*active_.trace, lock);
    for (const NodePtr& node : made) forgotten.push_back(node->forget(lock));
  }

  const Tensors& x_;
  const Mapped& over_;
  const derivatives::ActiveTrace active_;
  Tensors traced_, results_;
  std::vector<derivatives::Recorded> made_;
  bool can_batch_ = true;
};

/// Of all slices, which lie in front.
Tensors of_all_slices(const Function& f, const Tensors& x, const Mapped& over) {
  const Example example(f, x, over);
  if (over.slices > 0) return example.can_batch() ? example.batched() : one_by_one(f, x, over, example.results());
  Tensors none;
  for (const Tensor& result : example.results())
    none.push_back(zeros(Batch(0).with_slices(result.shape()), result.dtype(), result.device()));
  return none;
}

}  // namespace

Function vmap(const Function& f, std::vector<std::optional<int>> axes, int out_axis) {
  derivatives::require_function("vmap", f);
  if (std::none_of(axes.begin(), axes.end(), [](const std::optional<int>& axis) { return axis.has_value(); }))
    fail<Error>("vmap", "no axis is mapped; give at least one of the ", std::to_string(axes.size()), " tensors one");
  return [f, axes = std::move(axes), out_axis](const Tensors& x) {
    Tensors results = of_all_slices(f, x, mapped(x, axes));
    for (Tensor& result : results) result = moveaxis(result, 0, check::axis_of("vmap", out_axis, result.shape()));
    return results;
  };
}

}  // namespace eglantine
