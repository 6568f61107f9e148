#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/bindings.hpp"
#include "codegen/stage.hpp"
#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// How a reduction meets memory; decides the template and the shape of its work groups.
enum class ReducePattern : char {
  slices = 's',   ///< row tree, hardware: a slice of a work group a block, folded through shared memory
  serial = 'l',   ///< row tree, software drivers: one invocation a block, without barriers
  columns = 'c',  ///< column tree: one invocation four kept elements of a block of rows
};

/// One level of a reduction: blocks of a tree to one value each.
struct ReduceLevel {
  ReducePattern pattern;
  Reduction reduction;
  DType dtype;            ///< of the values combined
  Expr producer;          ///< kept axes, then reduced ones; unused when from_pairs
  int kept_rank = 0;
  int64_t kept = 1;       ///< coordinates
  int64_t count = 1;      ///< elements reduced for each
  BufferPtr from_pairs;   ///< a later level of argmax or argmin: value bits and place of each element, (kept, count), columns (count, kept)
  BufferPtr to_partials;  ///< null on the last level; else the blocks' values (or pairs), (kept, blocks), columns (blocks, kept)
  Expr consumer;          ///< the last level's
  Strided out;

  int64_t block() const;
  int64_t blocks() const { return (count + block() - 1) / block(); }
  bool pairs() const { return reduction == Reduction::argmax || reduction == Reduction::argmin; }
};

/// Which of a level's tasks one dispatch does: kept coordinates (a multiple of four first, in columns) and blocks.
struct ReduceTasks {
  Numbers kept;
  Numbers blocks;
};

/// The work group of a dispatch.
struct ReduceShape {
  int64_t size = 64;   ///< invocations
  int64_t slice = 1;   ///< slices: invocations a block
  int64_t lanes = 1;   ///< that hold elements: a power of two
  int64_t chunk = 1;   ///< tasks of a group
  int64_t first_task = 0;
};

/// The program of one dispatch: its bindings and uniforms, and on demand its text.
class ReduceProgram {
 public:
  ReduceProgram(const ReduceLevel& level, const ReduceTasks& tasks, const ReduceShape& shape, int64_t max_bytes, int64_t alignment);

  bool fits() const { return bindings_.fits(); }
  const Bindings& bindings() const { return bindings_; }
  std::vector<uint32_t> uniforms() const { return uniforms_.words(); }
  std::string key() const;
  std::string source(std::string_view header) const;

 private:
  void bind(const ReduceTasks& tasks);
  std::string defines() const;
  std::string accumulator() const;
  std::string fetch() const;
  std::string put() const;
  std::string pair_place(const std::string& k, const std::string& e) const;
  bool columns() const { return level_.pattern == ReducePattern::columns; }

  ReduceLevel level_;
  ReduceShape shape_;
  Bindings bindings_;
  Uniforms uniforms_;
  std::optional<Loader> loader_, consumer_;
  std::optional<Sink> sink_;
  int input_binding_ = -1, partial_binding_ = -1;
  int input_slot_ = -1, partial_slot_ = -1;
};

}  // namespace eglantine::codegen
