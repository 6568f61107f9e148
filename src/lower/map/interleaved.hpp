#pragma once

#include <optional>
#include <vector>

#include "codegen/stage/stage.hpp"
#include "lower/map/schedule.hpp"

namespace eglantine::lower {

/// A map whose results alternate in one buffer: element i of result j is element i * results + j from `first` on.
struct Interleaved {
  Expr value;                    ///< stores nothing; its elements in row-major order
  std::vector<int32_t> results;  ///< its instructions that are the results
  Strided out;                   ///< of the elements of the first result
};

/// Nothing where a result lies elsewhere, or what they fill does not begin at a whole vector; of narrow storage, where
/// it does not end at one, and others may lie behind it.
std::optional<Interleaved> interleaved(const MapKernel& kernel);

/// Its program: an invocation computes four elements of each result, or of four results one, and writes them as whole
/// vectors, where a kernel of results with gaps writes a part of each line again and again.
class InterleavedProgram : public BoundProgram {
 public:
  InterleavedProgram(const Target& target, const MapSchedule& schedule, const Interleaved& map, bool vectors);

  Dispatch dispatch() const;

 private:
  int64_t results() const { return static_cast<int64_t>(map_.results.size()); }
  std::string holes() const;
  std::string component(int64_t m, int64_t c) const;
  std::string place(int64_t m) const;
  std::string store_vector(int64_t m) const;
  std::string store() const;

  MapSchedule schedule_;
  int64_t max_groups_;
  Interleaved map_;
  codegen::LoadStage load_;
  int binding_ = -1, last_slot_ = -1, quad_slot_ = -1;
};

}  // namespace eglantine::lower
