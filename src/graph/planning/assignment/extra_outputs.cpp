#include "graph/planning/assignment/extra_outputs.hpp"

#include <algorithm>

#include "graph/planning/recomputation/fusion.hpp"

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

}  // namespace

const Node* ExtraOutputs::taking_in(const Node& x, const Reads& reads) const {
  if (reads.size() != 1 || !reads.front().is_extra_output()) return nullptr;
  const Node& owner = *reads.front().kernel;
  return can_take_in(x, owner) && (stored_count(owner) == 0 || stores_on_the_way(x)) ? &owner : nullptr;
}

bool ExtraOutputs::can_take_in(const Node& x, const Node& owner) const {
  return takes_epilogue(x) && !owners_.accumulator_of.count(&owner) && owners_.rows_at(owner) == nullptr &&
         !depths_.reads_deeper(owner, x);
}

const Node* ExtraOutputs::storing(const Node& x, const Reads& reads) const {
  if (forced_.count(&x) || (!x.is_elementwise() && !stores_on_the_way(x))) return nullptr;
  for (const bool of_rows : {true, false})
    for (auto read = reads.rbegin(); read != reads.rend(); ++read)
      if ((of_rows ? owners_.rows_at(*read->kernel) != nullptr : read->is_extra_output()) &&
          can_store(x, *read->kernel, reads))
        return read->kernel;
  return nullptr;
}

const Node* ExtraOutputs::storing_beside(const Node& x, const Reads& reads,
                                         const std::vector<const Node*>& elementwise) const {
  constexpr std::ptrdiff_t looked_at = 4;
  if (forced_.count(&x) != 0 || !x.is_elementwise()) return nullptr;
  const auto end = elementwise.rend();
  for (auto kernel = elementwise.rbegin(); kernel != end && kernel - elementwise.rbegin() < looked_at; ++kernel)
    if (is_sibling(x, **kernel, reads)) return *kernel;
  return nullptr;
}

bool ExtraOutputs::is_sibling(const Node& x, const Node& kernel, const Reads& reads) const {
  if (x.shape != kernel.shape || owners_.rows_at(kernel) != nullptr || owners_.accumulator_of.count(&kernel) != 0)
    return false;
  const auto by_kernel = [&](const Read& read) { return read.kernel == &kernel; };
  const std::unordered_set<const Node*>& memory = owners_.materialized;
  if (std::any_of(reads.begin(), reads.end(), by_kernel) || !share_elements(x, kernel, memory)) return false;
  return is_elementwise_to_memory(x, memory) && is_elementwise_to_memory(kernel, memory) &&
         fused_below(x, memory).size() + fused_below(kernel, memory).size() < max_fused && can_store(x, kernel, reads);
}

/// Whether owner's kernel can have x as an extra output.
bool ExtraOutputs::can_store(const Node& x, const Node& owner, const Reads& reads) const {
  return (x.is_elementwise() || can_take_in(x, owner)) && can_store_computed(x, owner, reads);
}

bool ExtraOutputs::can_store_computed(const Node& x, const Node& owner, const Reads& reads) const {
  constexpr int64_t most = 3;
  if (stored_count(owner) >= most) return false;
  const auto accumulator = owners_.accumulator_of.find(&owner);
  if (accumulator != owners_.accumulator_of.end() && !stores_on_the_way(*accumulator->second)) return false;
  // What is one for a row is at hand wherever a row kernel reads it.
  const RowFolds* rows = owners_.rows_at(owner);
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

int64_t ExtraOutputs::stored_count(const Node& owner) const {
  return std::count_if(owners_.stored_by.begin(), owners_.stored_by.end(),
                       [&](const auto& entry) { return entry.second == &owner; });
}

}  // namespace eglantine
