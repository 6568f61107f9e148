#include "graph/planning/recomputation/computed_by_readers.hpp"

#include <algorithm>

#include "graph/planning/recomputation/computations.hpp"
#include "graph/planning/recomputation/fusion.hpp"
#include "graph/planning/recomputation/repeated_values.hpp"

namespace eglantine {

namespace {

/// Whether nothing but reductions of all of x's elements reads it, of which none could store it on the way.
bool takes_a_kernel(const Node& x, const Uses& uses, const Ownership& owners) {
  return !uses.kept && std::ranges::all_of(uses.reads, [&](const Read& read) {
    const auto* reduce = reader_of(read, owners).as<nodes::Reduce>();
    return reduce != nullptr && owners.rows_at(*read.kernel) == nullptr &&
           reduce->arg->shape.elements() == x.shape.elements();
  });
}

/// How many elements of what it reads a reader computes, neighbours that it computes together counted each.
int64_t elements_read(const Read& read, const Ownership& owners) {
  const Node& reader = reader_of(read, owners);
  if (owners.rows_at(*read.kernel) != nullptr) return computations_by(read, owners);
  if (const auto* reduce = reader.as<nodes::Reduce>()) return reduce->arg->shape.elements();
  return reader.as<nodes::Gather>() ? reader.shape.elements() : computations_by(read, owners);
}

/// Whether kernels of maps and reductions alone read x, each every element once.
bool is_read_through(const Node& x, const Uses& uses, const Ownership& owners) {
  const auto reads_again = [&](const Read& read) {
    return !read.in_order && std::ranges::count(uses.reads, read.kernel, &Read::kernel) > 1;
  };
  return !uses.kept && std::ranges::none_of(uses.reads, reads_again) &&
         std::ranges::all_of(uses.reads, [&](const Read& read) {
           const Node& first = owners.computed_first(*read.kernel);
           return (first.is_elementwise() || first.as<nodes::Reduce>() != nullptr) && !read.as_piece &&
                  owners.rows_at(*read.kernel) == nullptr &&
                  elements_read(read, owners) <= x.shape.elements() / read.times;
         });
}

/// What recomputing x may take. Where storing it takes a kernel that does nothing else, what lies in as many bytes is
/// as good (deviations from a mean); and on a GPU, which computes an exponential while it reads two numbers, wherever
/// readers go through x once each, for none reads more than it would of x, and x is not written.
Recomputing recomputing(const Node& x, const Uses& uses, const Ownership& owners, bool is_gpu) {
  if (is_gpu && is_read_through(x, uses, owners))
    return {.operations = 6, .functions = 1, .times = 1, .of_views = true};
  return {.times = takes_a_kernel(x, uses, owners) ? 1 : 2};
}

/// Whether all readers together compute no more than so many elements.
bool compute_at_most(int64_t most, const Uses& uses, const Ownership& owners) {
  return std::ranges::all_of(uses.reads, [&](const Read& read) {
    const int64_t elements = elements_read(read, owners);
    if (elements > most / read.times) return false;
    most -= elements * read.times;
    return true;
  });
}

/// Whether all readers together compute no more elements than x has, such as those of parts of rows and of a rest: in
/// x's stead they read what it is made of, once.
bool is_read_in_parts(const Node& x, const Uses& uses, const Ownership& owners) {
  return !uses.kept && compute_at_most(x.shape.elements(), uses, owners) &&
         is_elementwise_to_less(x, owners.materialized);
}

/// Whether x and what its readers compute are so few elements that a few operations more of each take a GPU less time
/// than the dispatch that would store x: which labels count, in the loss of a small network.
bool is_quicker_than_dispatch(const Node& x, const Uses& uses, const Ownership& owners,
                              const std::unordered_set<const Node*>& forced) {
  constexpr int64_t few = int64_t{1} << 16, few_computed = int64_t{1} << 22;
  return x.shape.elements() <= few && compute_at_most(few_computed, uses, owners) &&
         is_recomputed(x, owners.materialized, forced, {.operations = 6, .times = 0, .of_kernels = !uses.kept});
}

}  // namespace

bool is_added_by_readers(const Node& x, const Reads& reads, const Ownership& owners,
                         const std::unordered_set<const Node*>& forced) {
  return is_short_sum(x, owners.materialized, forced) && std::ranges::all_of(reads, [&](const Read& read) {
           return !read.in_memory && !read.as_piece && read.piece == nullptr &&
                  computations_by(read, owners) <= x.shape.elements();
         });
}

bool is_computed_by_readers(const Node& x, const Uses& uses, const Ownership& owners, const RolledReads& rolled,
                            const std::unordered_set<const Node*>& forced, const DeviceLimits& device) {
  if (is_read_in_parts(x, uses, owners)) return true;
  const bool is_gpu = device.line > 0;
  if (is_recomputed(x, owners.materialized, forced, recomputing(x, uses, owners, is_gpu))) return true;
  return is_gpu && (is_computed_once(x, owners.materialized) || rolled.are_of_stencil(x, uses, owners, forced) ||
                    is_quicker_than_dispatch(x, uses, owners, forced));
}

}  // namespace eglantine
