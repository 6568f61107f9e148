#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
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
  std::string defines() const;
  std::string copies_defines() const;
  std::string holes() const;

  ScatterPass pass_;
  std::optional<Reduction> combine_;
  DType dtype_;  ///< of the output
  int64_t updates_;
  codegen::LoadStage index_, update_;
  IndexedAddresses addresses_;
  std::optional<codegen::StoreStage> keys_;
  int64_t group_size_;
  Grid grid_;
  int unroll_;
  GroupCopies copies_;
  int copies_slot_ = -1;
  int out_binding_ = -1, winners_binding_ = -1;
};

}  // namespace eglantine::lower
