#pragma once

#include <memory>

#include "lower/sort/program.hpp"

/// The sorts of hardware with subgroups of 32, which rank records by ballots.
namespace eglantine::lower {

/// Rows of records: where they are read, and where the first `keep` of each are written.
struct SortJob {
  SortTask task;
  int64_t rows = 1, length = 0, keep = 0;
  SortSource source;
  SortTarget target;
};

/// Sorts rows that fit into shared memory, each read and written once. Returns false, with nothing done, for longer
/// rows and where subgroups or bindings are missing.
bool run_short_rows(Lowering& lowering, const SortJob& job);

/// Sorts rows of a few records on hardware, each by one invocation in registers. Returns false, with nothing done, for
/// longer rows and where bindings are missing.
bool run_network(Lowering& lowering, const SortJob& job);

/// Sorts long rows by onesweep, whose passes read and write the records once. Returns false, with nothing done, without
/// forward progress, subgroups of 32, bindings, or a range that covers all rows.
bool run_onesweep(Lowering& lowering, const SortJob& job);

/// The contents of one of their programs.
struct SubgroupProgram {
  SubgroupProgram(const Target& device, const SortSource& source, bool pairs)
      : reader(source, pairs), bindings(device.max_block_bytes, device.binding_alignment) {}

  SortReader reader;
  std::optional<SortWriter> writer;
  codegen::Bindings bindings;
  codegen::Uniforms uniforms;
  std::string defines, functions;
  int64_t group = 1, groups = 1;
  bool reads = true;      ///< the source
  bool subgroups = true;  ///< a program that writes ranks by ballots
};

/// Defines EG_RECORD and its parts.
std::string record_defines(bool pairs);
/// eg_order(bits): the key as an unsigned integer, flipped by a uniform.
std::string order_function(DType dtype, int flip_slot);
/// eg_bits(key): its inverse, where a key tells the bits.
std::string bits_function(DType dtype, int flip_slot);

/// A dispatch of the template `name`.comp with these contents.
Dispatch sort_dispatch(const std::string& name, DType dtype, const SubgroupProgram& program);

}  // namespace eglantine::lower
