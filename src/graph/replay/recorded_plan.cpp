#include "graph/replay/recorded_plan.hpp"

#include "graph/kernel/parts.hpp"

namespace eglantine {

/// Numbers the buffers of a plan: first those that the graph has, then those that it fills.
class RecordedPlan::Numbering {
 public:
  Numbering(RecordedPlan& out, const GraphStructure& graph, const UnplacedBuffers& made)
      : out_(out), graph_(graph), unplaced_(made) {}

  /// Of the graph's buffer i: i; of number i of the others: -1 - i. The latter are renumbered at the end.
  int32_t of(const Buffer& buffer) {
    const int32_t known = graph_.number_of(buffer);
    const auto [number, is_new] = (known < 0 ? made_ : read_).number(&buffer);
    if (is_new && known < 0) out_.allocations_.push_back(unplaced_.bytes_of(buffer));
    if (is_new && known >= 0) out_.read_.push_back(known);
    return known < 0 ? -1 - number : number;
  }

  void renumber(int32_t& buffer) const {
    if (buffer < 0) buffer = static_cast<int32_t>(out_.read_.size()) - 1 - buffer;
  }

 private:
  RecordedPlan& out_;
  const GraphStructure& graph_;
  const UnplacedBuffers& unplaced_;
  PointerNumbers read_, made_;
};

RecordedPlan::RecordedPlan(Plan made, const GraphStructure& graph, const UnplacedBuffers& buffers,
                           const BufferPtr& placeholder)
    : kernels_(std::move(made.kernels)) {
  Numbering numbers(*this, graph, buffers);
  const auto record = [&](const auto& results, std::vector<Result>& out) {
    for (const auto& [node, stored] : results)
      out.push_back({graph.number_of(*node), numbers.of(*stored.buffer), stored.storage});
  };
  for (const Kernel& kernel : kernels_)
    for_each_buffer(kernel, [&](const BufferPtr& buffer) { handles_.push_back(numbers.of(*buffer)); });
  record(made.produced, produced_);
  record(made.seconds, seconds_);
  for (int32_t& handle : handles_) numbers.renumber(handle);
  for (auto* results : {&produced_, &seconds_})
    for (Result& result : *results) numbers.renumber(result.buffer);
  for (Kernel& kernel : kernels_) for_each_buffer(kernel, [&](BufferPtr& buffer) { buffer = placeholder; });
  pool_ = std::make_shared<KernelPool>(kernels_.size(), placeholder);
  for (const Node* node : made.fused) fused_.push_back(graph.number_of(*node));
  for (const Node* node : made.in_place) in_place_.push_back(graph.number_of(*node));
}

std::vector<BufferPtr> RecordedPlan::buffers_of(const GraphStructure& graph, const Allocate& allocate) const {
  std::vector<BufferPtr> buffers;
  buffers.reserve(read_.size() + allocations_.size());
  for (int32_t number : read_) buffers.push_back(graph.buffer(number));
  for (int64_t bytes : allocations_) buffers.push_back(allocate(bytes));
  return buffers;
}

/// Those that have come back where there are some: of all kernels of the plan the buffers and constants are put in.
std::vector<Kernel> RecordedPlan::kernels_of(const GraphStructure& graph, const std::vector<BufferPtr>& buffers) const {
  std::vector<Kernel> kernels;
  kernels.reserve(kernels_.size());
  auto handle = handles_.begin();
  for (size_t number = 0; number < kernels_.size(); ++number) {
    std::optional<Kernel> again = pool_->take(number);
    Kernel& kernel = again ? kernels.emplace_back(std::move(*again)) : kernels.emplace_back(kernels_[number]);
    for_each_buffer(kernel, [&](BufferPtr& buffer) { buffer = buffers[static_cast<size_t>(*handle++)]; });
    for_each_expression(kernel, [&](Expr& expr) {
      for (Parameter& parameter : expr.parameters)
        if (parameter.constant >= 0) parameter.bits = graph.node(parameter.constant).as<nodes::Constant>()->bits;
    });
  }
  return kernels;
}

Plan RecordedPlan::replay(const GraphStructure& graph, const Allocate& allocate) const {
  const std::vector<BufferPtr> buffers = buffers_of(graph, allocate);
  const auto buffer_of = [&](int32_t number) { return buffers[static_cast<size_t>(number)]; };
  Plan plan;
  plan.kernels = kernels_of(graph, buffers);
  plan.pool = pool_;
  for (const auto& [node, buffer, storage] : produced_) plan.produced[&graph.node(node)] = {buffer_of(buffer), storage};
  for (const auto& [node, buffer, storage] : seconds_) plan.seconds[&graph.node(node)] = {buffer_of(buffer), storage};
  for (int32_t node : fused_) plan.fused.push_back(&graph.node(node));
  for (int32_t node : in_place_) plan.in_place.insert(&graph.node(node));
  return plan;
}

}  // namespace eglantine
