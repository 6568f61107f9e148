#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "backend/device_state.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/flat_map.hpp"
#include "graph/planning/plan.hpp"
#include "layout/layout.hpp"
#include "system/main_memory.hpp"

namespace eglantine {

namespace {

/// Marks what a submitted plan computed, and returns what their values held: letting that go may end other nodes of the
/// plan.
std::vector<nodes::Value> commit(const Plan& plan) {
  std::vector<nodes::Value> released;
  for (const auto& [node, buffer] : plan.produced) {
    node->buffer = buffer;
    node->weight = 0;
    if (const auto second = plan.seconds.find(node); second != plan.seconds.end()) node->second = second->second;
    released.push_back(std::exchange(node->value, nodes::Leaf{}));
  }
  return released;
}

/// What to compute so that x can be read: a view of something pending is cheapest by way of its source, unless it shows
/// only a part of it.
NodePtr root_of(const NodePtr& x) {
  const auto* view = x->as<nodes::View>();
  return view != nullptr && x->shape.elements() >= view->source->shape.elements() ? view->source : x;
}

/// Whether the host may look on while the buffer is written: each element once, and never read.
bool writes_once(const Kernel& kernel) {
  return std::holds_alternative<MapKernel>(kernel) || std::holds_alternative<ReduceKernel>(kernel);
}

/// The result of the root that somebody waits to read, if its kernels allow that it lies where the host sees it.
void expect_reading(const Plan& made, const Node* read) {
  const auto found = made.produced.find(read);
  if (found == made.produced.end()) return;
  const BufferPtr& buffer = found->second;
  const auto allows = [&](const Kernel& kernel) { return output_of(kernel).buffer != buffer || writes_once(kernel); };
  if (std::all_of(made.kernels.begin(), made.kernels.end(), allows)) buffer->expect_reading();
}

/// A buffer that was just made, for booleans that lie packed or for anything else.
BufferPtr as_stored(BufferPtr buffer, bool is_packed) {
  if (is_packed) buffer->pack_booleans();
  return buffer;
}

/// Plans and submits under the lock, so that two threads submit what they share in the order in which they planned it.
/// `read`: the root that the caller reads next, or null.
void submit(const std::vector<NodePtr>& roots, DeviceState& device, const Node* read = nullptr) {
  Queue& queue = device.queue();
  const auto allocate = [&](int64_t bytes, bool is_packed) { return as_stored(queue.allocate(bytes), is_packed); };
  Plan made = plan(roots, device.capabilities(), allocate);
  if (read != nullptr) expect_reading(made, read);
  for (const Node* node : made.fused) node->fused = true;
  for (Kernel& kernel : made.kernels) queue.run(std::move(kernel));
  commit(made);  // what it returns dies here, when every node of the plan has been marked
}

/// The same for one flat node.
void submit_flat(const Node& x, bool is_read) {
  Queue& queue = x.device->queue();
  const BufferPtr buffer =
      as_stored(queue.allocate(x.shape.elements() * size_of(x.dtype)), limits_of(x).packs(x.dtype));
  if (is_read) buffer->expect_reading();
  queue.run(flat_map(x, buffer));
  x.buffer = buffer;
  x.weight = 0;
  x.value = nodes::Leaf{};
}

/// Where a computed or constant value lies; no buffer for a constant.
struct Located {
  BufferPtr buffer;
  Layout layout;
  uint32_t bits = 0;
};

std::optional<Located> locate(const NodePtr& x) {
  const GraphLock lock;
  if (const auto* constant = x->as<nodes::Constant>()) return Located{nullptr, {}, constant->bits};
  Placed at = placed(x);
  if (!at.source->buffer || !at.layout.is_contiguous()) return std::nullopt;
  return Located{at.source->buffer, at.layout};
}

void evaluate(const NodePtr& node, bool is_read) {
  node->device->queue().wait_for_space();
  const GraphLock lock;
  if (is_flat(*node)) return submit_flat(*node, is_read);
  if (!is_pending(*node)) return;
  const NodePtr root = root_of(node);
  submit({root}, *node->device, is_read ? root.get() : nullptr);
}

/// x, computed to be read, where it lies in its own order: where that is nowhere, because it is an index or strided in
/// memory, a copy.
Located computed(const NodePtr& x) {
  evaluate(x, true);
  if (const std::optional<Located> at = locate(x)) return *at;
  const NodePtr copy = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  evaluate(copy, true);
  return *locate(copy);
}

/// As it is stored. Waits.
void download(const Located& at, DType dtype, std::span<std::byte> out) {
  const int64_t offset = at.layout.offset * element_bytes({at.buffer, dtype, at.layout});
  at.buffer->queue().download(at.buffer, offset, out);
}

}  // namespace

const DeviceLimits& limits_of(const Node& x) { return x.device->capabilities(); }

void evaluate(const NodePtr& node) { evaluate(node, false); }

void evaluate(const std::vector<NodePtr>& nodes) {
  for (const NodePtr& node : nodes) node->device->queue().wait_for_space();
  const GraphLock lock;
  std::unordered_map<DeviceState*, std::vector<NodePtr>> roots;
  for (const NodePtr& node : nodes)
    if (is_pending(*node)) roots[node->device.get()].push_back(root_of(node));
  for (auto& [device, wanted] : roots) submit(wanted, *device);
}

void read(const NodePtr& x, std::span<uint32_t> out) {
  const Located at = computed(x);
  if (!at.buffer) return std::fill(out.begin(), out.end(), at.bits), void();
  download(at, x->dtype, std::as_writable_bytes(out));
}

void read(const NodePtr& x, std::span<bool> out) {
  const Located at = computed(x);
  if (!at.buffer) return std::fill(out.begin(), out.end(), at.bits != 0), void();
  if (at.buffer->is_packed()) return download(at, x->dtype, std::as_writable_bytes(out));
  auto words = fresh_vector<uint32_t>(out.size(), "Tensor::to_vector");
  download(at, x->dtype, std::as_writable_bytes(std::span(words)));
  std::copy(words.begin(), words.end(), out.begin());
}

std::string explain_node(const NodePtr& x) {
  const Backend& backend = x->device->queue().backend();
  std::vector<Kernel> kernels;
  {
    const GraphLock lock;
    if (!is_pending(*x)) return "nothing to run: the value is there already\n";
    const auto pretend = [](int64_t bytes, bool is_packed) {
      return as_stored(std::make_shared<Buffer>(nullptr, bytes), is_packed);
    };
    kernels = plan({root_of(x)}, backend.capabilities(), pretend).kernels;
  }
  std::string text;
  for (const Kernel& kernel : kernels) {
    if (!text.empty()) text += "\n\n";
    text += backend.explain(kernel);
    while (text.back() == '\n') text.pop_back();
  }
  return text + "\n";
}

}  // namespace eglantine
