#pragma once

#include <algorithm>
#include <string>

#include "lower/schedules.hpp"

namespace eglantine::test {

/// subgroupShuffleXor for a group all of whose invocations call it, in shared memory.
inline constexpr const char* played_shuffles = R"(
shared vec4 eg_played[EG_GROUP_SIZE];
vec4 subgroupShuffleXor(vec4 value, uint apart) {
  eg_played[gl_LocalInvocationID.x] = value;
  memoryBarrierShared();
  barrier();
  vec4 shown = eg_played[gl_LocalInvocationID.x ^ apart];
  memoryBarrierShared();
  barrier();
  return shown;
}
float subgroupShuffleXor(float value, uint apart) { return subgroupShuffleXor(vec4(value), apart).x; }
)";

/// The forms for hardware whose subgroups of 32 exchange values, played where the device has none.
class AsSubgroups : public AsHardware {
 public:
  AsSubgroups(gl::GlRuntime& device, int64_t resident) : AsHardware(device, resident) {
    played_ = device.target().subgroup != 32;
    plan_for().subgroup = 32;
    plan_for().max_invocations = std::max<int64_t>(plan_for().max_invocations, 256);
  }

 private:
  std::vector<gl::Dispatch> instead_of(const gl::Dispatch& whole) override {
    gl::Dispatch changed = whole;
    if (played_ && whole.program->text(target()).find("#extension GL_KHR_shader_subgroup") != std::string::npos)
      rewrite(changed, [](std::string text) {
        for (size_t at = 0; (at = text.find("#extension")) != std::string::npos;)
          text.erase(at, text.find('\n', at) + 1 - at);
        const std::string me = "gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID";
        if (const size_t at = text.find(me); at != std::string::npos)
          text.replace(at, me.size(), "gl_LocalInvocationID.x");
        return text.insert(text.find("layout(local_size_x"), played_shuffles);
      });
    return {changed};
  }

  bool played_;
};

}  // namespace eglantine::test
