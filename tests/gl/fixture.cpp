#include "gl/fixture.hpp"

#include <numeric>

#include "backend/gl/devices/device_search.hpp"
#include "eglantine/error.hpp"
#include "support/setting.hpp"

namespace eglantine::test {
std::unique_ptr<gl::GlRuntime> open_runtime(const gl::Options& options, bool gles) {
  // Tests that open a runtime set their own limits, unaffected by those of the device under test.
  const Setting bindings("EGLANTINE_MAX_BINDINGS", std::nullopt),
      invocations("EGLANTINE_MAX_INVOCATIONS", std::nullopt), forms("EGLANTINE_FORMS", std::nullopt);
  gl::DeviceSearch search(options.egl != nullptr ? *options.egl : gl::system_egl());
  std::string problems;
  while (const gl::Candidate* candidate = search.next()) {
    try {
      return std::make_unique<gl::GlRuntime>(*candidate, gles, options);
    } catch (const DeviceError& error) {
      problems += candidate->label + ": " + error.what() + "\n";
    }
  }
  throw DeviceError("no GL device opens\n" + problems);
}

void hold_to_the_floor(gl::Functions& functions) {
  functions.BufferStorage = nullptr;
  functions.CreateBuffers = nullptr;
  functions.NamedBufferStorage = nullptr;
  functions.CopyNamedBufferSubData = nullptr;
}

std::string shader_head(const gl::Target& target, int lanes) {
  return "#version " + std::to_string(target.glsl_version) + (target.gles ? " es\n" : "\n") +
         "layout(local_size_x = " + std::to_string(lanes) + ") in;\n";
}

std::vector<uint32_t> counting(size_t count, uint32_t first) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

gl::Dispatch multiply_add(const gl::GlRuntime& runtime, const Storage& x, const Storage& y, uint32_t count,
                          uint32_t factor, uint32_t summand) {
  constexpr uint32_t lanes = 64;
  gl::Dispatch dispatch;
  dispatch.name = "multiply_add u32";
  dispatch.program = std::make_shared<const lower::Program>(shader_head(runtime.target(), lanes) + R"(
layout(std430, binding = 0) buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(location = 0) uniform uint eg_u[3];
void main() {
  for (uint i = gl_GlobalInvocationID.x; i < eg_u[0]; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    y[i] = x[i] * eg_u[1] + eg_u[2];
  }
}
)");
  dispatch.ranges = {{&x, 0, count * 4}, {&y, 0, count * 4}};
  dispatch.written = 2;
  dispatch.uniforms = {count, factor, summand};
  dispatch.groups = {std::min<uint32_t>(1024, (count + lanes - 1) / lanes), 1, 1};
  return dispatch;
}

BufferPtr buffer_of(gl::GlRuntime& runtime, const std::vector<uint32_t>& words) {
  auto buffer = std::make_shared<Buffer>(nullptr, static_cast<int64_t>(words.size()) * 4);
  buffer->set_storage(runtime.allocate(buffer->bytes()));
  upload(runtime, buffer->storage(), words);
  return buffer;
}

}  // namespace eglantine::test
