#pragma once

#include <optional>

#include "lower/program_dispatch.hpp"
#include "lower/scan/program.hpp"
#include "lower/staged_rows.hpp"

namespace eglantine::lower {

/// Register-resident rows of one or two lanes that are taken to shared memory in the order of memory
/// (scan_staged.comp).
struct StagedScan {
  ScanKernel kernel;      ///< over the window, its rows from the front
  bool reversed = false;  ///< rows are scanned from their last element
  int64_t lanes = 1;
  StagedGroup rows{};
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
