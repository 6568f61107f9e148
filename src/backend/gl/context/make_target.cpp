#include "backend/gl/context/make_target.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "backend/gl/context/environment.hpp"
#include "eglantine/error.hpp"
#include "eglantine/version.hpp"
#include "lower/contraction/schedule/tuning.hpp"

namespace eglantine::gl {
namespace {

// GL_NV_shader_thread_group, GL_NVX_gpu_memory_info and GL_ATI_meminfo; in no core header.
constexpr GLenum warp_size_nv = 0x9339, warps_per_sm_nv = 0x933A, sm_count_nv = 0x933B;

// GL_KHR_shader_subgroup.
constexpr GLenum subgroup_size_khr = 0x9532, subgroup_stages_khr = 0x9533, subgroup_features_khr = 0x9534;
constexpr int64_t compute_stage = 0x20;
constexpr int64_t subgroup_features = 0x1 | 0x2 | 0x4 | 0x8 | 0x10;  ///< basic, vote, arithmetic, ballot, shuffle

constexpr int64_t llvmpipe_loop_trips = 65535;
constexpr int64_t fewest_bindings = 4;

int64_t integer(const Context& context, GLenum name) {
  GLint64 value = 0;
  context.gl().GetInteger64v(name, &value);
  return value;
}

int64_t first_of(const Context& context, GLenum name) {
  GLint value = 0;
  context.gl().GetIntegeri_v(name, 0, &value);
  return value;
}

/// The smallest of the three limits: NVIDIA takes 2^31 - 1 groups along x, and 65535 along y and z.
int64_t group_count(const Context& context) {
  std::array<GLint, 3> counts{};
  for (GLuint i = 0; i < counts.size(); ++i) context.gl().GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, i, &counts[i]);
  return *std::min_element(counts.begin(), counts.end());
}

/// Invocations that can be resident at the same time.
int64_t resident_invocations(const Context& context, const Driver& driver, bool software) {
  constexpr int64_t large_gpu = 132 * 2048;  // what kernels are tuned for
  if (driver.software && !software) return large_gpu;
  if (driver.software) return 512 * std::max<int64_t>(1, std::thread::hardware_concurrency());
  if (in_force(Quirk::unreported_residency, driver)) return guessed_residency(driver);
  return integer(context, warp_size_nv) * integer(context, warps_per_sm_nv) * integer(context, sm_count_nv);
}

/// 0 also on software devices, whose subgroups are vectors that run one after another.
int64_t subgroup_size(const Context& context, bool software) {
  if (software || !context.version().has("GL_KHR_shader_subgroup")) return 0;
  const bool enough = (integer(context, subgroup_stages_khr) & compute_stage) != 0 &&
                      (integer(context, subgroup_features_khr) & subgroup_features) == subgroup_features;
  return enough ? integer(context, subgroup_size_khr) : 0;
}

bool has_large_texels(const Context& context, const Target& target) {
  return context.gl().TexBufferRange != nullptr &&
         integer(context, GL_MAX_TEXTURE_BUFFER_SIZE) * 4 >= target.max_block_bytes &&
         integer(context, GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS) >= target.max_bindings &&
         target.binding_alignment % integer(context, GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT) == 0;
}

/// The driver's limit, lowered by a setting.
int64_t lowered(int64_t limit, std::optional<int64_t> wanted) { return std::min(limit, wanted.value_or(limit)); }

int64_t block_limit(const Context& context, int64_t alignment) {
  const int64_t limit = lowered(integer(context, GL_MAX_SHADER_STORAGE_BLOCK_SIZE), max_block_bytes_setting());
  return limit / alignment * alignment;
}

int64_t binding_limit(const Context& context) {
  const int64_t limit = std::min(integer(context, GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS),
                                 integer(context, GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS));
  return lowered(limit, max_bindings_setting());
}

int64_t invocation_limit(const Context& context) {
  const int64_t limit = std::min(integer(context, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS),
                                 first_of(context, GL_MAX_COMPUTE_WORK_GROUP_SIZE));
  return lowered(limit, max_invocations_setting());
}

/// What has `precise` on GLES 3.1; empty where nothing does, or the version has it.
const char* precise_extension(const ContextVersion& version) {
  if (!version.gles || version.version >= 32) return "";
  for (const char* name : {"GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"})
    if (version.has(name)) return name;
  return "";
}

int glsl_version(const ContextVersion& version) { return version.version * 10; }

}  // namespace

Driver make_driver(const Context& context, const Candidate& candidate) {
  const ContextVersion& version = context.version();
  Driver driver;
  driver.vendor = context.text(GL_VENDOR);
  driver.renderer = context.text(GL_RENDERER);
  driver.gles = version.gles;
  driver.emulated = candidate.software;
  driver.thread_groups = version.has("GL_NV_shader_thread_group");
  driver.subgroups = version.has("GL_KHR_shader_subgroup");
  driver.software = in_force(Quirk::on_the_cpu, driver);
  return driver;
}

lower::TuningKey tuning_key(const Context& context, bool software) {
  return {context.text(GL_RENDERER), context.text(GL_VERSION), EGLANTINE_VERSION, software, context.version().gles};
}

Target make_target(const Context& context, Driver& driver) {
  const bool software = driver.software && !hardware_forms_setting();
  const ContextVersion& version = context.version();
  Target target;
  target.gles = version.gles;
  target.glsl_version = glsl_version(version);
  target.precise_by = precise_extension(version);
  target.has_precise = !version.gles || version.version >= 32 || *target.precise_by != 0;
  target.software = software;
  target.packs_words = software;
  target.binding_alignment = std::max<int64_t>(16, integer(context, GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT));
  target.max_block_bytes = block_limit(context, target.binding_alignment);
  target.max_bindings = binding_limit(context);
  target.max_invocations = invocation_limit(context);
  target.max_shared_bytes = integer(context, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
  target.max_groups = group_count(context);
  target.max_groups_x = first_of(context, GL_MAX_COMPUTE_WORK_GROUP_COUNT);
  target.max_loop_trips = in_force(Quirk::few_loop_trips, driver) ? llvmpipe_loop_trips : 0;
  target.resident_invocations = resident_invocations(context, driver, software);
  target.knows_nan = !in_force(Quirk::doubtful_isnan, driver);
  target.packs_nearest = !in_force(Quirk::doubtful_packing, driver);
  target.forward_progress = in_force(Quirk::waiting_groups, driver);
  target.subgroup = subgroup_size(context, driver.software);
  driver.large_texels = has_large_texels(context, target);
  target.texel_reads = software && in_force(Quirk::slow_blocks, driver);
  target.tuning = lower::load_tuning(tuning_key(context, software));
  if (target.max_bindings < fewest_bindings) {
    throw DeviceError("the driver allows " + std::to_string(target.max_bindings) +
                      " storage buffers in a compute shader, and Eglantine needs 4; try a newer driver");
  }
  return target;
}

int64_t spin_nanoseconds(const Target& target) {
  const bool has_idle_cores = !target.software && std::thread::hardware_concurrency() >= 4;
  return has_idle_cores ? 50'000 : 0;
}

DriverMemory driver_memory(const Context& context) {
  constexpr int64_t kibibyte = 1024;
  DriverMemory memory;
  if (context.version().has("GL_NVX_gpu_memory_info")) {
    memory.total = integer(context, GL_GPU_MEMORY_INFO_DEDICATED_VIDMEM_NVX) * kibibyte;
    memory.free = integer(context, GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX) * kibibyte;
  } else if (context.version().has("GL_ATI_meminfo")) {
    std::array<GLint, 4> pool{};
    context.gl().GetIntegerv(GL_VBO_FREE_MEMORY_ATI, pool.data());
    memory.free = pool[0] * kibibyte;
  }
  return memory;
}

}  // namespace eglantine::gl
