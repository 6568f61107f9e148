#pragma once

#include <algorithm>
#include <string>

#include "lower/schedules.hpp"

namespace eglantine::test {

/// subgroupShuffleXor, and subgroupShuffle of a uint, for a group all of whose invocations call it, in shared memory.
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
uint subgroupShuffleXor(uint value, uint apart) {
  return floatBitsToUint(subgroupShuffleXor(uintBitsToFloat(value), apart));
}
int subgroupShuffleXor(int value, uint apart) { return int(subgroupShuffleXor(uint(value), apart)); }
shared uint eg_played_words[EG_GROUP_SIZE];
uint subgroupShuffle(uint value, uint lane) {
  eg_played_words[gl_LocalInvocationID.x] = value;
  memoryBarrierShared();
  barrier();
  uint shown = eg_played_words[(gl_LocalInvocationID.x & ~31u) + lane];
  memoryBarrierShared();
  barrier();
  return shown;
}
float subgroupShuffle(float value, uint lane) {
  return uintBitsToFloat(subgroupShuffle(floatBitsToUint(value), lane));
}
)";

/// subgroupInclusiveAdd for such a group.
inline constexpr const char* played_sums = R"(
shared uint eg_shown[EG_GROUP_SIZE];
uint subgroupInclusiveAdd(uint value) {
  eg_shown[gl_LocalInvocationID.x] = value;
  memoryBarrierShared();
  barrier();
  uint sum = 0u;
  for (uint i = gl_LocalInvocationID.x & ~31u; i <= gl_LocalInvocationID.x; ++i) sum += eg_shown[i];
  memoryBarrierShared();
  barrier();
  return sum;
}
)";

inline void replace_all(std::string& text, const std::string& name, const std::string& value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
}

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
      rewrite(changed, &played);
    return {changed};
  }

  static std::string played(std::string text) {
    for (size_t at = 0; (at = text.find("#extension")) != std::string::npos;)
      text.erase(at, text.find('\n', at) + 1 - at);
    replace_all(text, "gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID", "gl_LocalInvocationID.x");
    const bool sums = text.find("subgroupInclusiveAdd") != std::string::npos;
    replace_all(text, "gl_SubgroupInvocationID", "(gl_LocalInvocationID.x & 31u)");
    replace_all(text, "gl_SubgroupID", "(gl_LocalInvocationID.x >> 5)");
    replace_all(text, "gl_SubgroupSize", "32u");
    const char* before = text.find("subgroupShuffle(") != std::string::npos ? "layout(location" : "layout(local_size_x";
    return text.insert(text.find(before), sums ? played_sums : played_shuffles);
  }

  bool played_;
};

}  // namespace eglantine::test
