#include "eglantine/tensor.hpp"

#include <cstring>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/pend.hpp"
#include "evaluate/upload.hpp"
#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "system/main_memory.hpp"

namespace eglantine {

namespace {

Axes reversed_axes(int rank) {
  Axes axes;
  for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  return axes;
}

Shape reversed(const Shape& shape) {
  Shape result;
  for (int i = shape.rank() - 1; i >= 0; --i) result.push_back(shape[i]);
  return result;
}

/// The node that owns x's buffer: a constant, iota or pending view (which counts as contiguous) is computed into one.
NodePtr computed_source(const NodePtr& x) {
  NodePtr source;
  bool own = false;
  {
    const GraphLock lock;
    source = placed(x).source;
    own = x->as<nodes::View>() != nullptr && is_pending(*x);
  }
  if (own) source = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  evaluate(source);
  if (source->is_computed()) return source;
  source = make_elementwise(Op::copy, x->dtype, {source, nullptr, nullptr});
  evaluate(source);
  return source;
}

layout::Reach reach_of(const Layout& wanted) {
  try {
    return layout::reach(wanted);
  } catch (const ShapeError&) {
    check::fail<ShapeError>("Tensor::as_strided", "strides ", to_string(IntList(wanted.strides)), " over shape ",
                            to_string(wanted.shape), " reach further than 64 bits can address");
  }
}

void require_order(std::string_view function, MemoryOrder order) {
  if (order != MemoryOrder::row_major && order != MemoryOrder::column_major)
    check::fail<Error>(function, std::to_string(static_cast<int>(order)),
                       " is no order of elements; there are row_major and column_major");
}

template <class T>
Tensor make_from(std::span<const T> values, const Shape& shape, const Device& device, MemoryOrder order) {
  check::require_countable("Tensor::from", shape);
  require_order("Tensor::from", order);
  if (shape.elements() != static_cast<int64_t>(values.size()))
    check::fail<ShapeError>("Tensor::from", "shape ", to_string(shape), " has ", std::to_string(shape.elements()),
                            " elements, got ", std::to_string(values.size()), " values");
  const bool rows = order == MemoryOrder::row_major;
  const Shape stored = rows ? shape : reversed(shape);
  Tensor x = Tensor(NodePtr());
  if constexpr (std::is_same_v<T, bool>) {
    x = Tensor(upload(values, stored, device));
  } else {
    x = Tensor(upload(std::as_bytes(values), stored, dtype_of<T>(), device));
  }
  return rows ? x : x.permute(reversed_axes(shape.rank()));
}

void require_dtype(std::string_view function, DType wanted, const Tensor& x) {
  if (wanted != x.dtype())
    check::fail<DTypeError>(function, "the tensor is ", name_of(x.dtype()), ", asked for ", name_of(wanted),
                            "; convert with astype");
}

template <class T>
void read_into(const Tensor& x, std::span<T> out) {
  if constexpr (std::is_same_v<T, bool>) {
    read(x.node(), out);
  } else {
    read(x.node(), {reinterpret_cast<uint32_t*>(out.data()), out.size()});
  }
}

}  // namespace

template <class T>
Tensor Tensor::from_span(std::span<const T> values, const Shape& shape, const Device& device, MemoryOrder order) {
  return make_from(values, shape, device, order);
}

Tensor Tensor::from_booleans(const std::vector<bool>& values, const Shape& shape, const Device& device,
                             MemoryOrder order) {
  const Booleans flat(values.size(), "Tensor::from");
  std::copy(values.begin(), values.end(), flat.all.begin());
  return make_from(std::span<const bool>(flat.all), shape, device, order);
}

template <class T>
std::vector<T> Tensor::read_vector() const {
  constexpr std::string_view name = "Tensor::to_vector";
  require_dtype(name, dtype_of<T>(), *this);
  const auto count = static_cast<size_t>(size());
  if constexpr (std::is_same_v<T, bool>) {
    const Booleans flat(count, name);
    read(node(), flat.all);
    return in_host_memory(name, count / 8, [&] { return std::vector<bool>(flat.all.begin(), flat.all.end()); });
  } else {
    std::vector<T> values = fresh_vector<T>(count, name);
    read_into<T>(*this, values);
    return values;
  }
}

template <class T>
T Tensor::read_item() const {
  require_dtype("Tensor::item", dtype_of<T>(), *this);
  if (size() != 1)
    check::fail<ShapeError>("Tensor::item", "wants exactly one element, the shape is ", to_string(shape()));
  T value;
  read_into<T>(*this, {&value, 1});
  return value;
}

template <class T>
void Tensor::read_to(std::span<T> out, MemoryOrder order) const {
  require_dtype("Tensor::copy_to", dtype_of<T>(), *this);
  require_order("Tensor::copy_to", order);
  if (static_cast<int64_t>(out.size()) != size())
    check::fail<ShapeError>("Tensor::copy_to", "shape ", to_string(shape()), " has ", std::to_string(size()),
                            " elements, the destination holds ", std::to_string(out.size()));
  read_into(order == MemoryOrder::row_major ? *this : permute(reversed_axes(rank())), out);
}

#define EG_INSTANTIATE(T)                                                                                        \
  template EGLANTINE_API Tensor Tensor::from_span(std::span<const T>, const Shape&, const Device&, MemoryOrder); \
  template EGLANTINE_API std::vector<T> Tensor::read_vector<T>() const;                                          \
  template EGLANTINE_API T Tensor::read_item<T>() const;                                                         \
  template EGLANTINE_API void Tensor::read_to(std::span<T>, MemoryOrder) const;
EG_INSTANTIATE(float)
EG_INSTANTIATE(int32_t)
EG_INSTANTIATE(uint32_t)
EG_INSTANTIATE(bool)
#undef EG_INSTANTIATE

Tensor::Tensor(float value) : Tensor(full({}, value)) {}

void Tensor::fail_undefined() {
  throw Error("[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first");
}

const Shape& Tensor::shape() const& { return node()->shape; }
int Tensor::rank() const { return node()->shape.rank(); }
int64_t Tensor::size() const { return node()->shape.elements(); }
DType Tensor::dtype() const { return node()->dtype; }
Device Tensor::device() const { return Device(node()->device); }

Tensor Tensor::to(const Device& other) const {
  if (other == device()) return *this;
  const auto count = static_cast<size_t>(size());
  constexpr std::string_view name = "Tensor::to";
  if (dtype() == DType::boolean) {
    const Booleans flat(count, name);
    read(node(), flat.all);
    return Tensor(upload(flat.all, shape(), other));
  }
  std::vector<uint32_t> words = fresh_vector<uint32_t>(count, name);
  read(node(), words);
  return Tensor(upload(std::as_bytes(std::span(words)), shape(), dtype(), other));
}

Layout Tensor::layout() const {
  const GraphLock lock;
  const Placed at = placed(node());
  return at.source->is_computed() ? at.layout : layout::contiguous(shape());
}

Tensor Tensor::as_strided(Shape target, std::vector<int64_t> strides, int64_t offset) const {
  if (strides.size() != static_cast<size_t>(target.rank()))
    check::fail<ShapeError>("Tensor::as_strided", "shape ", to_string(target), " wants ", std::to_string(target.rank()),
                            " strides, got ", std::to_string(strides.size()));
  check::require_countable("Tensor::as_strided", target);
  const bool empty = target.elements() == 0;
  const NodePtr source = computed_source(node());
  const Layout wanted{target, std::move(strides), offset};
  const layout::Reach reach = reach_of(wanted);
  const int64_t held = source->shape.elements();
  if (!empty && (reach.first < 0 || reach.last >= held))
    check::fail<ShapeError>("Tensor::as_strided", "reaches elements ", std::to_string(reach.first), " to ",
                            std::to_string(reach.last), " of a buffer of ", std::to_string(held));
  return pend(make_view(source, wanted));
}

const Tensor& Tensor::eval() const& {
  evaluate(node());
  return *this;
}

Tensor Tensor::eval() && {
  evaluate(node());
  return std::move(*this);
}

void eval(std::initializer_list<Tensor> tensors) { eval(std::vector<Tensor>(tensors)); }

void eval(const std::vector<Tensor>& tensors) {
  std::vector<NodePtr> nodes;
  for (const Tensor& x : tensors) nodes.push_back(x.node());
  evaluate(nodes);
}

std::string explain(const Tensor& x) { return explain_node(x.node()); }

}  // namespace eglantine
