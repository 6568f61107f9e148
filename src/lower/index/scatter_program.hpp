#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "codegen/stage/stage.hpp"
#include "lower/index/group_copies.hpp"
#include "lower/index/windows.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The passes over the updates (glsl/index/scatter.comp).
enum class ScatterPass : uint8_t { direct, atomic, claim, settle, keys };

/// What the passes of one scatter share.
struct ScatterJob {
  Flag flag;
  BufferPtr winners = nullptr;  ///< of claim and settle: a word for each element of the output
  Strided keys = {};            ///< of keys: one for each update, over the kernel's domain
};

/// Elements of a scatter that share one index, as software devices take them at once: each index costs as much as
/// several updates.
struct ScatterRow {
  int width = 1;        ///< elements of an update: 4 where vectors of a row lie aligned
  int64_t updates = 0;  ///< of a row that a group takes at once; 0: updates are taken one by one
};

/// The program of one pass, with its bindings and uniforms.
class ScatterProgram : public BoundProgram {
 public:
  /// window: of the axis.
  ScatterProgram(const Target& target, const ScatterKernel& kernel, ScatterPass pass, const ScatterJob& job,
                 const Window& window);

  Dispatch dispatch() const;

 private:
  bool reads_updates() const { return pass_ != ScatterPass::claim && pass_ != ScatterPass::keys; }
  bool writes_out() const { return reads_updates(); }
  bool has_winners() const { return pass_ == ScatterPass::claim || pass_ == ScatterPass::settle; }
  void bind(const ScatterJob& job, const Strided& out);
  void add_uniforms();
  int64_t items() const { return elements_ / (row_.width * std::max<int64_t>(1, row_.updates)); }
  Grid grid_of(const Target& target, const ScatterKernel& kernel) const;
  std::string defines() const;
  std::string copies_defines() const;
  std::string row_defines() const;
  std::string holes() const;

  ScatterPass pass_;
  std::optional<Reduction> combine_;
  DType dtype_;  ///< of the output
  ScatterRow row_;
  int64_t elements_;
  int64_t column_stride_;  ///< of the output, between elements of a row
  codegen::LoadStage index_, update_;
  IndexedAddresses addresses_;
  std::optional<codegen::StoreStage> keys_;
  int64_t group_size_;
  Grid grid_;
  int unroll_;
  GroupCopies copies_;
  int copies_slot_ = -1, row_slot_ = -1;
  int out_binding_ = -1, winners_binding_ = -1;
};

}  // namespace eglantine::lower
