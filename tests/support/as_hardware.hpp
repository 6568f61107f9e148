#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/gl/execution/gl_runtime.hpp"

namespace eglantine::test {

/// A device whose kernels are lowered, and their texts written, for another target.
class AsTarget {
 public:
  AsTarget(gl::GlRuntime& device, const gl::Target& target) : device_(device), target_(target) {}
  virtual ~AsTarget() = default;
  const gl::Target& target() const { return target_; }
  gl::Target& plan_for() { return target_; }

  template <class Family>
  void run(const Family& kernel) {
    const Kernel checked = kernel;
    run_steps([&](lower::Lowering& lowering) { return lower::lower(lowering, kernel), true; },
              checked_index_of(checked));
  }
  /// Runs the steps that `add` adds, unless it returns false.
  bool run_steps(const std::function<bool(lower::Lowering&)>& add, const CheckedIndex& checked = {}) {
    lower::Lowering lowering(target_, &gl::unstored);
    if (!add(lowering)) return false;
    gl::Lowered lowered = lowering.take();
    std::vector<lower::Step> steps;
    for (const lower::Step& step : lowered.steps) {
      const auto* dispatch = std::get_if<gl::Dispatch>(&step);
      if (dispatch == nullptr) {
        steps.push_back(step);
        continue;
      }
      ++dispatches;
      names += dispatch->name + "\n";
      for (gl::Dispatch& each : instead_of(*dispatch)) steps.emplace_back(std::move(each));
    }
    for (lower::Temporary& temporary : lowered.temporaries) {
      temporary.first = 0;
      temporary.last = steps.size() - 1;
    }
    lowered.steps = std::move(steps);
    device_.run(lowered, checked);
    return true;
  }

  int dispatches = 0;
  std::string names;  ///< a line for each dispatch

 protected:
  /// The dispatches to run instead of one. The device would write the text's first lines for itself.
  virtual std::vector<gl::Dispatch> instead_of(const gl::Dispatch& dispatch) {
    gl::Dispatch same = dispatch;
    rewrite(same, [](const std::string& text) { return text; });
    return {same};
  }
  /// The dispatch with another text for its program.
  template <class Change>
  void rewrite(gl::Dispatch& dispatch, Change change) const {
    dispatch.program = std::make_shared<const lower::Program>(change(dispatch.program->text(target_)));
  }

 private:
  gl::GlRuntime& device_;
  gl::Target target_;
};

/// A device whose kernels are lowered for a GPU with so many resident invocations.
class AsHardware : public AsTarget {
 public:
  explicit AsHardware(gl::GlRuntime& device, int64_t resident_invocations = 4096) : AsTarget(device, device.target()) {
    plan_for().software = false;
    plan_for().texel_reads = false;
    plan_for().packs_words = false;
    plan_for().resident_invocations = resident_invocations;
  }
};

/// The GLSL of a kernel for a target.
inline std::string glsl_of(const gl::Target& target, const Kernel& kernel) {
  return lower::text_of(lower::lower(kernel, target, &gl::unstored), target);
}

}  // namespace eglantine::test
