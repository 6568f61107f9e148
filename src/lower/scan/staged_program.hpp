#pragma once

#include <optional>

#include "lower/program_dispatch.hpp"
#include "lower/scan/program.hpp"

namespace eglantine::lower {

/// Register-resident rows of one or two lanes that are taken to shared memory in the order of memory
/// (scan_staged.comp).
struct StagedScan {
  ScanKernel kernel;      ///< over the window, its rows from the front
  bool reversed = false;  ///< rows are scanned from their last element
  int64_t group_size = 1, rows_each = 1, lanes = 1;
  int64_t words = 0;  ///< of shared memory

  int64_t rows_at_once() const { return group_size * rows_each; }
};

/// Nothing where rows are whole vectors in memory, or few, or what they read lies in another order.
std::optional<StagedScan> staged_scan(const Target& target, const ScanPlan& plan, const ScanWindow& window);

class ScanStagedProgram : public BoundProgram {
 public:
  ScanStagedProgram(const Target& target, const StagedScan& scan, bool vectors);

  Dispatch dispatch() const;

 private:
  std::string defines() const;

  StagedScan scan_;
  int64_t rows_, length_;
  std::vector<Window> windows_;
  codegen::LoadStage load_, epilogue_;
  codegen::StoreStage store_;
  Grid grid_;
  int unroll_;
};

}  // namespace eglantine::lower
