#include "optim/packing.hpp"

#include <algorithm>

#include "graph/graph_lock.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine::optim {

namespace {

/// Where each of these begins, and behind them where the last ends.
std::vector<int64_t> starts_of(const std::vector<Shape>& shapes) {
  constexpr int64_t step = 64;  // as whole allocations begin: kernels read vectors from there
  std::vector<int64_t> starts;
  int64_t end = 0;
  for (const Shape& shape : shapes) {
    starts.push_back((end + step - 1) / step * step);
    end = starts.back() + shape.elements();
  }
  starts.push_back(end);
  return starts;
}

std::vector<Shape> shapes_of(const std::vector<Tensor>& parts) {
  std::vector<Shape> shapes;
  for (const Tensor& part : parts) shapes.push_back(part.shape());
  return shapes;
}

/// The view of all parts, if they are views of one tensor that lie as parts do; else null.
NodePtr lying_so(const std::vector<Tensor>& parts, const std::vector<int64_t>& starts) {
  const GraphLock lock;
  const auto* first = parts.front().node()->as<nodes::View>();
  if (first == nullptr || first->boundary) return nullptr;
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto* view = parts[k].node()->as<nodes::View>();
    if (view == nullptr || view->boundary || view->source != first->source || !view->layout.is_contiguous() ||
        view->layout.offset != first->layout.offset + starts[k])
      return nullptr;
  }
  Layout all = layout::contiguous({starts.back()});
  all.offset = first->layout.offset;
  return view_of(first->source, all);
}

/// The constant that all parts are, else null.
NodePtr constant_of(const std::vector<Tensor>& parts, int64_t length) {
  const auto* first = parts.front().node()->as<nodes::Constant>();
  const bool same = std::all_of(parts.begin(), parts.end(), [&](const Tensor& part) {
    const auto* constant = part.node()->as<nodes::Constant>();
    return first != nullptr && constant != nullptr && constant->bits == first->bits;
  });
  const NodePtr& node = parts.front().node();
  return same ? make_constant(node->device, node->dtype, {length}, first->bits) : nullptr;
}

}  // namespace

bool is_small(const Tensor& x) {
  constexpr int64_t most = int64_t{1} << 16;
  return x.dtype() == DType::f32 && x.size() > 0 && x.size() <= most && !x.node()->is_traced();
}

Tensor packed(const std::vector<Tensor>& parts) {
  const std::vector<int64_t> starts = starts_of(shapes_of(parts));
  if (NodePtr known = lying_so(parts, starts)) return pend(std::move(known));
  if (NodePtr constant = constant_of(parts, starts.back())) return pend(std::move(constant));
  nodes::Placement placement;
  placement.fill = uint32_t{0};
  for (size_t k = 0; k < parts.size(); ++k) {
    placement.pieces.push_back(parts[k].node());
    placement.regions.push_back(layout::contiguous(parts[k].shape()));
    placement.regions.back().offset = starts[k];
  }
  const NodePtr& node = parts.front().node();
  return pend(make_placement({starts.back()}, node->dtype, node->device, std::move(placement)));
}

std::vector<Tensor> unpacked(const Tensor& vector, const std::vector<Shape>& shapes) {
  const std::vector<int64_t> starts = starts_of(shapes);
  std::vector<Tensor> parts;
  for (size_t k = 0; k < shapes.size(); ++k)
    parts.push_back(vector.slice(0, starts[k], starts[k] + shapes[k].elements()).reshape(shapes[k]));
  return parts;
}

}  // namespace eglantine::optim
