#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eglantine::gl {

/// What the conditions of workarounds depend on. Filled when a device is opened.
struct Driver {
  std::string vendor, renderer;
  bool gles = false;
  bool software = false;       ///< GL runs on the CPU
  bool emulated = false;       ///< EGL listed it as Mesa's software device, whatever the renderer's name
  bool thread_groups = false;  ///< GL_NV_shader_thread_group is there
  bool subgroups = false;      ///< GL_KHR_shader_subgroup is there
  bool large_texels = false;   ///< texture buffers are as large as storage blocks and bind at the same offsets

  bool is(std::string_view name) const { return renderer.find(name) != std::string::npos; }
  bool is_made_by(std::string_view name) const { return vendor.find(name) != std::string::npos; }
  /// Mesa's GL on Vulkan. It may run on a GPU though EGL lists it as a software device.
  bool is_zink() const { return renderer.starts_with("zink"); }
};

/// One for each row of the table.
enum class Quirk : uint8_t {
  no_compute,
  on_the_cpu,
  few_loop_trips,
  slow_blocks,
  unseen_texels,
  slow_halves,
  slow_staging,
  memory_of_the_host,
  slow_kernels,
  flushes,
  stale_uniforms,
  late_compilation,
  waiting_groups,
  small_pages,
  part_pages,
  idle_clock,
  unreported_residency,
  chatty_debug_output,
  uneven_group_counts,
  moved_shared_loads,
  inexact_built_ins,
  inexact_division,
  contracted_products,
  reassociated_products,
  lost_nan,
  doubtful_isnan,
  doubtful_packing,
  undefined_integers,
  negated_integers,
  joined_signs,
  folded_products,
  boolean_arrays,
  scattered_vector_stores,
  elapsed_time,
  unchecked_bindings,
  empty_uuid,
  indexed_calls,
  long_dispatches,
};

/// A deviation of one driver, or of a kind of drivers, and what we do instead.
struct Workaround {
  Quirk quirk;
  const char* name;                ///< as eglantine-info and docs/drivers.md have it
  const char* driver;              ///< the drivers that the condition selects, in words
  bool (*applies)(const Driver&);  ///< null: always on, since it is harmless or right everywhere
  const char* symptom;
  const char* instead;  ///< what we emit or do instead
  const char* test;     ///< of the test program: "Suite.test", without the device
};

std::span<const Workaround> workarounds();         ///< in Quirk's order; only here does a driver's name decide anything
bool in_force(Quirk quirk, const Driver& driver);  ///< whether the row's condition holds
int64_t guessed_residency(const Driver& driver);   ///< resident invocations if unreported; plans grids, never results
std::vector<std::string> workarounds_of(const Driver& driver);  ///< the rows in force
std::string workarounds_in_markdown();  ///< as eglantine-info --workarounds and docs/drivers.md have it

}  // namespace eglantine::gl
