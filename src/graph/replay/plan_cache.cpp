#include "graph/replay/plan_cache.hpp"

namespace eglantine {

Plan PlanCache::plan(const std::vector<NodePtr>& roots, const Allocate& allocate) {
  graph_.read(roots);
  if (graph_.has_custom()) return eglantine::plan(graph_, roots, device_, allocate);
  return recorded(roots).replay(graph_, allocate);
}

const RecordedPlan& PlanCache::recorded(const std::vector<NodePtr>& roots) {
  const auto known = entries_.find(graph_.words());
  if (known != entries_.end()) return known->second;
  UnplacedBuffers buffers(unplaced_);
  Plan plan = eglantine::plan(graph_, roots, device_, [&](int64_t bytes) { return buffers(bytes); });
  RecordedPlan made(std::move(plan), graph_, buffers, placeholder_);
  words_ += graph_.words().size();
  if (words_ > most_words_) {
    entries_.clear();
    words_ = graph_.words().size();
  }
  return entries_.emplace(graph_.words(), std::move(made)).first->second;
}

}  // namespace eglantine
