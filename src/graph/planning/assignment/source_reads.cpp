#include "graph/planning/assignment/source_reads.hpp"

#include "graph/planning/assignment/accumulator_reads.hpp"

namespace eglantine {

void SourceReads::add(const NodePtr& source, const Reads& reads, bool through_view) {
  for (Read read : reads) {
    read.as_piece = false;  // of what made x
    reads_.add(source, read, through_view);
  }
}

void SourceReads::of_expression(const Node& x, const Reads& reads) {
  if (const auto* load = x.as<nodes::LoadAt>()) return of_load(*load, reads);
  for (const NodePtr& source : sources_of(x)) add(source, reads);
}

void SourceReads::of_load(const nodes::LoadAt& load, const Reads& reads) {
  for (const NodePtr& index : load.indices) add(index, reads);
  for (const Read& read : reads)
    reads_.add(load.source, {.expression = load.source.get(), .kernel = read.kernel, .in_memory = true});
}

void SourceReads::of_accumulator(const Node& x, const Node& kernel) {
  const AccumulatorReads found = accumulator_reads(x, kernel, owners_.rows_at(kernel));
  for (const auto& [source, read] : found.sources) reads_.add(source, read);
  if (found.materialized != nullptr) owners_.materialized.insert(found.materialized);
}

void SourceReads::of_gather(const nodes::Gather& gather, const Node& kernel) {
  reads_.add(gather.index, {.expression = &kernel, .kernel = &kernel, .in_order = false});
  reads_.add(gather.source, {.expression = gather.source.get(), .kernel = &kernel, .in_memory = true});
}

}  // namespace eglantine
