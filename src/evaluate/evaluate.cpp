#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "backend/device_state.hpp"
#include "evaluate/results_in_order.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/flat_map.hpp"
#include "graph/planning/plan.hpp"
#include "layout/layout.hpp"
#include "system/main_memory.hpp"

namespace eglantine {

namespace {

/// Marks what a submitted plan computed; returns the old values, as dropping them may end other nodes of the plan.
std::vector<nodes::Value> commit(const Plan& plan, const GraphLock& lock) {
  std::vector<nodes::Value> released;
  for (const auto& [node, result] : plan.produced) {
    const auto second = plan.seconds.find(node);
    released.push_back(node->set_computed(lock, result, second != plan.seconds.end() ? second->second : Stored{}));
  }
  return released;
}

/// What to compute so that x can be read: the source of a view of something pending, unless the view shows only a part.
NodePtr root_of(const NodePtr& x) {
  const auto* view = x->as<nodes::View>();
  return view != nullptr && x->shape.elements() >= view->source->shape.elements() ? root_of(view->source) : x;
}

/// Whether the host may look on while the buffer is written: each element once, and never read.
bool writes_once(const Kernel& kernel) {
  return std::holds_alternative<MapKernel>(kernel) || std::holds_alternative<ReduceKernel>(kernel);
}

/// The result of the root that somebody waits to read, if its kernels allow that it lies where the host sees it.
void expect_reading(const Plan& made, const Node* read) {
  const auto found = made.produced.find(read);
  if (found == made.produced.end() || made.in_place.count(read)) return;
  const BufferPtr& buffer = found->second.buffer;
  const auto allows = [&](const Kernel& kernel) { return output_of(kernel).buffer != buffer || writes_once(kernel); };
  if (std::all_of(made.kernels.begin(), made.kernels.end(), allows)) buffer->expect_reading();
}

/// Plans and submits under the lock, so that threads submit what they share in the order of planning. `read`: the root
/// that the caller reads next, or null.
void submit(const std::vector<NodePtr>& roots, DeviceState& device, const GraphLock& lock, const Node* read = nullptr) {
  Queue& queue = device.queue();
  Plan made = device.plans(lock).plan(roots, [&](int64_t bytes) { return queue.allocate(bytes); });
  if (read != nullptr) expect_reading(made, read);
  for (const Node* node : made.fused) node->set_kept(lock);
  queue.run(std::move(made.kernels), made.pool);
  commit(made, lock);  // what it returns dies here, when every node of the plan has been marked
}

/// The same for one flat node, the only path beside plan(): what every small call pays for.
void submit_flat(const Node& x, const GraphLock& lock, bool is_read) {
  Queue& queue = x.device->queue();
  const StorageType storage = dense_storage(x.dtype);
  const Stored result{queue.allocate(x.shape.elements() * bytes_of(storage)), storage};
  if (is_read) result.buffer->expect_reading();
  queue.run(flat_map(x, result));
  x.set_computed(lock, result);
}

/// Where a computed or constant value lies; no buffer for a constant.
struct Located {
  Stored stored;
  int64_t first = 0;  ///< element
  uint32_t bits = 0;  ///< of a constant
};

std::optional<Located> locate(const NodePtr& x) {
  const GraphLock lock;
  if (const auto* constant = x->as<nodes::Constant>()) return Located{.stored = {}, .bits = constant->bits};
  Placed at = placed(x);
  // Behind boundaries, which show all of what they are of.
  for (const nodes::View* view = nullptr; (view = at.source->as<nodes::View>()) != nullptr; at.source = view->source)
    if (!view->boundary) return std::nullopt;
  if (!at.source->is_computed() || !at.layout.is_contiguous()) return std::nullopt;
  return Located{at.source->stored(), at.layout.offset};
}

void evaluate(const NodePtr& node, bool is_read) {
  node->device->queue().wait_for_space();
  const GraphLock lock;
  if (is_flat(*node)) return submit_flat(*node, lock, is_read);
  if (!is_pending(*node)) return;
  const NodePtr root = root_of(node);
  submit({root}, *node->device, lock, is_read ? root.get() : nullptr);
}

/// x, computed to be read, where it lies in its own order; else (an iota, or strided in memory) a copy.
Located computed(const NodePtr& x) {
  evaluate(x, true);
  if (const std::optional<Located> at = locate(x)) return *at;
  const NodePtr copy = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  evaluate(copy, true);
  return *locate(copy);
}

/// As it is stored. Waits.
void download(const Located& at, std::span<std::byte> out) {
  at.stored.buffer->queue().download(at.stored.buffer, at.first * bytes_of(at.stored.storage), out);
}

}  // namespace

const DeviceLimits& limits_of(const Node& x) { return x.device->capabilities(); }

void evaluate(const NodePtr& node) { evaluate(node, false); }

void evaluate(const std::vector<NodePtr>& nodes) {
  for (const NodePtr& node : nodes) node->device->queue().wait_for_space();
  const GraphLock lock;
  lie_in_one_order(nodes, lock);
  std::unordered_map<DeviceState*, std::vector<NodePtr>> roots;
  for (const NodePtr& node : nodes)
    if (is_pending(*node)) roots[node->device.get()].push_back(root_of(node));
  for (auto& [device, wanted] : roots) submit(wanted, *device, lock);
}

namespace {

/// Booleans of a word each.
void download_words(const Located& at, std::span<bool> out) {
  auto words = fresh_vector<uint32_t>(out.size(), "Tensor::to_vector");
  download(at, std::as_writable_bytes(std::span(words)));
  std::copy(words.begin(), words.end(), out.begin());
}

}  // namespace

template <Element T>
void read(const NodePtr& x, std::span<T> out) {
  for (const TracePtr& trace : x->traces) trace->read = true;
  const Located at = computed(x);
  if (!at.stored.buffer) return std::fill(out.begin(), out.end(), stored_element<T>(at.bits)), void();
  if constexpr (std::is_same_v<T, bool>)
    if (at.stored.storage == StorageType::boolean_word) return download_words(at, out);
  download(at, std::as_writable_bytes(out));
}

#define EG_INSTANTIATE(T) template void read(const NodePtr& x, std::span<T> out);
EG_INSTANTIATE(float)
EG_INSTANTIATE(int32_t)
EG_INSTANTIATE(uint32_t)
EG_INSTANTIATE(bool)
EG_INSTANTIATE(half)
EG_INSTANTIATE(bfloat16)
EG_INSTANTIATE(int8_t)
EG_INSTANTIATE(uint8_t)
#undef EG_INSTANTIATE

std::string explain_node(const NodePtr& x) {
  const Backend& backend = x->device->queue().backend();
  std::vector<Kernel> kernels;
  {
    const GraphLock lock;
    if (!is_pending(*x)) return "nothing to run: the value is there already\n";
    const auto pretend = [](int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); };
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
