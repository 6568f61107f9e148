#include <algorithm>
#include <array>
#include <bit>
#include <thread>

#include "perf/open_like.hpp"
#include "perf/peaks.hpp"

namespace eglantine::perf {

namespace {

using gl::Dispatch;
using gl::GlRuntime;
using gl::Target;

std::string head(const Target& target, int64_t lanes) {
  return "#version " + std::to_string(target.glsl_version) + (target.gles ? " es\nprecision highp float;\n" : "\n") +
         "layout(local_size_x = " + std::to_string(lanes) + ") in;\n";
}

class Prober {
 public:
  explicit Prober(GlRuntime& runtime) : runtime_(runtime), target_(runtime.target()) {}

  double copy_rate() {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      buffers_[i] = runtime_.allocate(copy_bytes());
      fill(*buffers_[i], static_cast<uint32_t>(i));
    }
    double best = 0;
    for (const int64_t lanes : {64, 256, 512, 1024})
      for (const bool resident : {true, false})
        if (lanes <= target_.max_invocations) best = std::max(best, copied(lanes, resident));
    return best;
  }

  double arithmetic_rate() {
    double best = 0;
    for (const int64_t lanes : {64, 256}) best = std::max(best, computed(lanes));
    return best;
  }

 private:
  int64_t copy_bytes() const {
    const int64_t wanted = target_.software ? int64_t{64} << 20 : int64_t{512} << 20;
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(wanted, target_.max_block_bytes))));
  }
  uint32_t vectors() const { return static_cast<uint32_t>(copy_bytes() / 16); }

  /// Seconds of one dispatch in a row of them, which take turns over the buffers: the least of several rows.
  template <class Make>
  double seconds_of(Make dispatch) {
    double best = 1e30;
    const int rows = target_.software ? 5 : 12, in_a_row = target_.software ? 2 : 20;
    for (int row = 0; row < rows; ++row) {
      runtime_.dispatch(dispatch(0));
      const Mark begin = runtime_.clock().mark();
      for (int i = 0; i < in_a_row; ++i) runtime_.dispatch(dispatch(i));
      const int64_t stop = runtime_.clock().now();
      best = std::min(best, static_cast<double>(stop - runtime_.clock().take(begin)) * 1e-9 / in_a_row);
    }
    return best;
  }

  Dispatch streaming(const std::string& name, int64_t lanes, const std::string& body,
                     const std::vector<const Storage*>& on, int64_t groups) const {
    Dispatch dispatch;
    dispatch.name = name + std::to_string(lanes);
    dispatch.program = std::make_shared<const lower::Program>(head(target_, lanes) + body);
    for (const Storage* storage : on) dispatch.ranges.push_back({storage, 0, copy_bytes()});
    dispatch.written = 1;
    const auto count = static_cast<uint32_t>(groups);
    const uint32_t chunk = (vectors() + count - 1) / count;
    dispatch.uniforms = {vectors(), chunk};
    dispatch.groups = {count, 1, 1};
    return dispatch;
  }

  static constexpr const char* fill_text = R"(
layout(std430, binding = 0) writeonly buffer Y { uvec4 y[]; };
layout(location = 0) uniform uint eg_u[2];
void main() {
  uint end = min((gl_WorkGroupID.x + 1u) * eg_u[1], eg_u[0]);
  for (uint i = gl_WorkGroupID.x * eg_u[1] + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
    y[i] = uvec4(i, i * 747796405u, i ^ 2891336453u, ~i) | 0x3F000000u;
}
)";
  // Each group works through its chunk; with as many groups as there are vectors, each invocation copies one.
  static constexpr const char* copy_text = R"(
layout(std430, binding = 0) writeonly buffer Y { vec4 y[]; };
layout(std430, binding = 1) readonly buffer X { vec4 x[]; };
layout(location = 0) uniform uint eg_u[2];
void main() {
  uint end = min((gl_WorkGroupID.x + 1u) * eg_u[1], eg_u[0]);
  for (uint i = gl_WorkGroupID.x * eg_u[1] + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) y[i] = x[i];
}
)";

  /// As many groups as the device holds at a time; on a software device enough that no loop grows too long.
  int64_t resident_groups(int64_t lanes) const {
    const int64_t least = target_.software ? 1024 : 1;
    return std::clamp<int64_t>(target_.resident_invocations / lanes, least, target_.max_groups);
  }

  void fill(const Storage& storage, uint32_t) {
    runtime_.dispatch(streaming("fill", 64, fill_text, {&storage}, resident_groups(64)));
  }

  double copied(int64_t lanes, bool resident) {
    const int64_t each = (vectors() + lanes - 1) / lanes;
    const int64_t groups = resident ? resident_groups(lanes) : std::min(each, target_.max_groups);
    const double seconds = seconds_of([&](int i) {
      const auto at = static_cast<size_t>(i) % 2 * 2;
      return streaming("copy", lanes, copy_text, {buffers_[at].get(), buffers_[at + 1].get()}, groups);
    });
    return 2 * static_cast<double>(copy_bytes()) / seconds;
  }

  /// 32 chains a = a * x + y an invocation: independent, so that nothing waits for a result.
  double computed(int64_t lanes) {
    constexpr int64_t trips = 256, unrolled = 4, chains = 32;
    const int64_t groups = target_.software ? 64 : 8 * resident_groups(lanes);
    std::string step, start, total;
    for (int i = 0; i < chains / 4; ++i) {
      const std::string a = "a" + std::to_string(i);
      step += "    " + a + " = " + a + " * x + y;\n";
      start += "  vec4 " + a + " = vec4(gl_LocalInvocationID.x + " + std::to_string(i) + "u);\n";
      total += (i == 0 ? "" : " + ") + a;
    }
    std::string body =
        "\nlayout(std430, binding = 0) writeonly buffer Y { vec4 out_y[]; };\n"
        "layout(location = 0) uniform uint eg_u[2];\nvoid main() {\n"
        "  float x = uintBitsToFloat(eg_u[0]), y = uintBitsToFloat(eg_u[1]);\n" +
        start + "  for (int i = 0; i < " + std::to_string(trips) + "; ++i) {\n";
    for (int i = 0; i < unrolled; ++i) body += step;
    body += "  }\n  out_y[gl_GlobalInvocationID.x % 1024u] = " + total + ";\n}\n";
    if (!sums_) sums_ = runtime_.allocate(1024 * 16);
    const double seconds = seconds_of([&](int) {
      Dispatch dispatch = streaming("fma", lanes, body, {}, groups);
      dispatch.ranges = {{sums_.get(), 0, 1024 * 16}};
      dispatch.uniforms = {std::bit_cast<uint32_t>(0.999F), std::bit_cast<uint32_t>(0.001F)};
      return dispatch;
    });
    return 2.0 * static_cast<double>(trips * unrolled * chains * lanes * groups) / seconds;
  }

  GlRuntime& runtime_;
  const Target& target_;
  std::array<std::unique_ptr<Storage>, 4> buffers_;
  std::unique_ptr<Storage> sums_;
};

}  // namespace

Peaks gl_peaks(const DeviceInfo& info) {
  Peaks peaks;
  std::exception_ptr error;
  // A thread of its own: its context must not stay current on ours.
  std::thread([&] {
    try {
      const auto runtime = open_like(info);
      Prober prober(*runtime);
      peaks = {prober.copy_rate(), prober.arithmetic_rate()};
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
  return peaks;
}

}  // namespace eglantine::perf
