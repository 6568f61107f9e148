#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/boundaries.hpp"
#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/own_rule.hpp"

/// Views of the buffer that a tensor's elements lie in.
namespace eglantine {

namespace {

/// A constant or iota is computed into a buffer of its own.
NodePtr in_memory(NodePtr x) {
  evaluate(x);
  if (x->is_computed()) return x;
  x = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  evaluate(x);
  return x;
}

/// What x's elements are placed in; a pending view counts as contiguous, and is copied.
NodePtr source_of(const NodePtr& x) {
  const GraphLock lock;
  const bool is_pending_view = x->as<nodes::View>() != nullptr && is_pending(*x);
  return is_pending_view ? make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr}) : placed(x).source;
}

std::optional<Placed> shown(const NodePtr& source) {
  const GraphLock lock;
  return shown_by(*source);
}

Layout in_buffer(const Placed& x) {
  const GraphLock lock;
  return behind_boundaries(x).value().layout;  // a view that no strides express is of a copy
}

bool is_whole(const Layout& x, int64_t elements) { return x.offset == 0 && x.is_contiguous() && x.size() == elements; }

/// The buffer, to derivatives with the elements that a boundary shows put where they lie, of those at one address the
/// last: cotangents go to these.
Tensor with_elements(const Tensor& buffer, const Tensor& elements, const Layout& at) {
  const Function put = [at](const Tensors& x) {
    const Tensor addresses = verbs::iota(x[0].device(), {x[0].size()}).astype(DType::i32);
    const Tensor places = pend(make_view(addresses.node(), at)).reshape({-1});
    return Tensors{scatter(x[0].reshape({-1}), 0, places, x[1].reshape({-1})).reshape(x[0].shape())};
  };
  const auto same = [](const Tensors& x) { return Tensors{x[0]}; };
  const auto back = [put](const Tensors& x, const Tensors&, const Tensors& g) { return vjp(put, x, g).second; };
  return verbs::with_own_derivative({buffer, elements}, same, back, OwnReads::inputs).front();
}

/// All elements of the buffer, in order, that `source` lies in.
Tensor buffer_of(const NodePtr& source) {
  const std::optional<Placed> at = shown(source);
  if (!at) return Tensor(in_memory(source));
  const Tensor buffer = buffer_of(at->source);
  const Layout shown_at = in_buffer(*at);
  if (is_whole(shown_at, buffer.size())) return Tensor(source);
  const bool passes = is_float(source->dtype) && source->is_differentiated();
  return passes ? with_elements(buffer, Tensor(source), shown_at) : verbs::as_constant(buffer);
}

layout::Reach reach_of(const Layout& wanted) {
  try {
    return layout::reach(wanted);
  } catch (const ShapeError&) {
    check::fail<ShapeError>("Tensor::as_strided", "strides ", to_string(IntList(wanted.strides)), " over shape ",
                            to_string(wanted.shape), " reach further than 64 bits can address");
  }
}

}  // namespace

Tensor Tensor::as_strided(Shape target, std::vector<int64_t> strides, int64_t offset) const {
  if (strides.size() != static_cast<size_t>(target.rank()))
    check::fail<ShapeError>("Tensor::as_strided", "shape ", to_string(target), " wants ", std::to_string(target.rank()),
                            " strides, got ", std::to_string(strides.size()));
  check::require_countable("Tensor::as_strided", target);
  const bool empty = target.elements() == 0;
  const Tensor buffer = buffer_of(source_of(node()));
  const Layout wanted{target, std::move(strides), offset};
  const layout::Reach reach = reach_of(wanted);
  if (!empty && (reach.first < 0 || reach.last >= buffer.size()))
    check::fail<ShapeError>("Tensor::as_strided", "reaches elements ", std::to_string(reach.first), " to ",
                            std::to_string(reach.last), " of a buffer of ", std::to_string(buffer.size()));
  return pend(make_view(buffer.node(), wanted));
}

}  // namespace eglantine
