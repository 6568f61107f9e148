#include <array>

#include "backend/gl/context/hexadecimal.hpp"
#include "backend/gl/context/make_target.hpp"

namespace eglantine::gl {
namespace {

/// Those that the backend uses, or could use.
constexpr std::array interesting_extensions{"GL_ARB_buffer_storage",
                                            "GL_EXT_buffer_storage",
                                            "GL_ARB_direct_state_access",
                                            "GL_KHR_debug",
                                            "GL_KHR_robustness",
                                            "GL_EXT_robustness",
                                            "GL_EXT_disjoint_timer_query",
                                            "GL_ARB_timer_query",
                                            "GL_KHR_shader_subgroup",
                                            "GL_NV_gpu_shader5",
                                            "GL_ARB_gpu_shader_int64",
                                            "GL_NV_shader_atomic_float",
                                            "GL_NV_shader_thread_group",
                                            "GL_EXT_memory_object",
                                            "GL_EXT_memory_object_fd",
                                            "GL_NVX_gpu_memory_info",
                                            "GL_ATI_meminfo",
                                            "GL_ARB_get_program_binary"};

}  // namespace

std::string uuid_of(const Context& context, const Candidate& candidate) {
  if (context.gl().GetUnsignedBytei_vEXT == nullptr) return candidate.uuid;
  std::array<GLubyte, GL_UUID_SIZE_EXT> bytes{};
  context.gl().GetUnsignedBytei_vEXT(GL_DEVICE_UUID_EXT, 0, bytes.data());
  // Mesa's software drivers advertise the extension and fail the query.
  const bool known = context.gl().GetError() == GL_NO_ERROR && bytes != std::array<GLubyte, GL_UUID_SIZE_EXT>{};
  return known ? hexadecimal(bytes) : candidate.uuid;
}

DeviceInfo describe_device(const Context& context, const Candidate& candidate, const Target& target,
                           const Driver& driver) {
  DeviceInfo info;
  info.name = context.text(GL_RENDERER);
  info.driver = context.text(GL_VERSION);
  info.uuid = uuid_of(context, candidate);
  info.platform = candidate.label;
  info.software = target.software;
  for (const char* extension : interesting_extensions) {
    if (context.version().has(extension)) info.extensions.emplace_back(extension);
  }
  info.workarounds = workarounds_of(driver);
  info.max_block_bytes = target.max_block_bytes;
  info.max_bindings = target.max_bindings;
  info.max_invocations = target.max_invocations;
  info.max_shared_bytes = target.max_shared_bytes;
  info.max_groups = target.max_groups;
  info.memory_bytes = driver_memory(context).total;
  if (target.tuning != nullptr) info.tuning = target.tuning->file.string();
  return info;
}

}  // namespace eglantine::gl
