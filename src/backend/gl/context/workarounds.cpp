#include "backend/gl/context/workarounds.hpp"

#include <algorithm>
#include <array>

namespace eglantine::gl {
namespace {

constexpr std::array software_renderers{"llvmpipe", "softpipe",    "swrast",
                                        "lavapipe", "SwiftShader", "Software Rasterizer"};

bool is_softpipe(const Driver& driver) { return driver.is("softpipe"); }

bool runs_on_the_cpu(const Driver& driver) {
  if (std::any_of(software_renderers.begin(), software_renderers.end(), [&](auto name) { return driver.is(name); }))
    return true;
  const bool layered = driver.is_zink() || driver.renderer.starts_with("D3D12");
  return driver.emulated && !layered;
}

bool is_software(const Driver& driver) { return driver.software; }
bool is_zink_on_the_cpu(const Driver& driver) { return driver.software && driver.is_zink(); }
bool reads_texels_faster(const Driver& driver) {
  return driver.software && driver.large_texels && !is_zink_on_the_cpu(driver);
}
bool lets_groups_wait(const Driver& driver) { return !driver.software && driver.thread_groups && driver.subgroups; }
bool runs_on_nvidia(const Driver& driver) { return !driver.software && driver.is_made_by("NVIDIA"); }
/// Not tested on GLES, whose specification promises less.
bool may_ignore_nan(const Driver& driver) { return driver.software || driver.gles || !driver.is_made_by("NVIDIA"); }
bool reports_no_residency(const Driver& driver) { return !driver.software && !driver.thread_groups; }

constexpr auto always = nullptr;

constexpr std::array table{
    Workaround{Quirk::no_compute, "no compute", "softpipe", is_softpipe,
               "compute shaders give wrong results or end the process", "the device is refused, with the reason",
               "GlDevices.softpipe_is_refused_whatever_it_says_it_can_do"},
    Workaround{Quirk::on_the_cpu, "on the CPU", "llvmpipe, zink on lavapipe, SwiftShader", runs_on_the_cpu,
               "barriers cost nanoseconds for each invocation; a vector of eight invocations runs all its loop trips "
               "before the next one starts, and stores write one component of one invocation at a time",
               "serial forms of kernels, groups of eight that read memory in order, no staging in shared memory; what "
               "is only moved is copied: a few long rows by the driver, short ones by the host in mapped buffers",
               "Workarounds.hold_for_the_drivers_that_they_are_for"},
    Workaround{Quirk::few_loop_trips, "few loop trips", "GL on the CPU", is_software,
               "llvmpipe silently ends an invocation after 65,535 loop trips in all",
               "more groups, chunks and levels, so that none takes more trips (`Target::max_loop_trips`)",
               "Boundary/Trips.as_many_as_an_invocation_may_make"},
    Workaround{
        Quirk::slow_blocks, "slow blocks", "llvmpipe with large texture buffers", reads_texels_faster,
        "a storage block is read one component of one invocation at a time, after a bounds check; texels are read "
        "whole: 3.6 times as fast in a dot product",
        "read-only operands of maps, reductions, rows, scans and products are bound as texture buffers "
        "(`Target::texel_reads`)",
        "Workarounds.texel_buffers_and_storage_blocks_give_the_same_bits"},
    Workaround{
        Quirk::unseen_texels, "unseen texels", "zink on the CPU", is_zink_on_the_cpu,
        "Mesa 22.3 at times misses that a kernel reads a texture buffer: an upload into memory that the pool hands "
        "out again does not wait for it, and the kernel reads what is uploaded",
        "operands are bound as storage blocks, which it sees", "Gl/ReusedMemory.waits_for_the_kernels_that_read_it"},
    Workaround{Quirk::slow_halves, "slow halves", "GL on the CPU", is_software,
               "llvmpipe converts halves one at a time: a sum of f16 takes 1.4 times as long as by the bits",
               "halves are widened and rounded by their bits (`EG_SLOW_HALVES`)",
               "Narrow/NarrowTypes.all_halves_widen_and_move"},
    Workaround{
        Quirk::slow_staging, "slow staging", "GL on the CPU", is_software,
        "staging adds a copy: glBufferSubData and glGetBufferSubData are faster",
        "direct transfers; on a GPU, where reading a buffer moves it to host memory, a staging ring of mapped memory",
        "Gl/GlRuntimeWays.one_kernel_computes"},
    Workaround{Quirk::memory_of_the_host, "memory of the host", "GL on the CPU", is_software,
               "device memory is the machine's own, and Linux ends the process instead of refusing",
               "a budget of half the memory", "Pool.a_budget_is_kept_by_giving_pooled_memory_back"},
    Workaround{Quirk::slow_kernels, "slow kernels", "GL on the CPU", is_software,
               "kernels may take minutes on a busy machine", "fences time out after 600 s, not 60",
               "GlFaults.a_device_that_hangs_is_lost_and_the_last_kernel_named"},
    Workaround{Quirk::flushes, "needless flushes", "GL on the CPU", is_software, "kernels run as they are submitted",
               "no flushes; on a GPU dispatches are flushed in batches",
               "Gl/GlRuntimeWays.a_chain_of_kernels_sees_each_write"},
    Workaround{Quirk::stale_uniforms, "stale uniforms", "zink on the CPU", is_zink_on_the_cpu,
               "Mesa 22.3 compiles uniforms that conditions depend on into the program as constants, and after a few "
               "changes runs a program with stale ones: wrong results",
               "uniforms are read at computed indices, so that none becomes a constant",
               "Workarounds.uniforms_that_decide_are_seen_after_every_change"},
    Workaround{Quirk::late_compilation, "late compilation", "zink on the CPU", is_zink_on_the_cpu,
               "lavapipe compiles on a thread of its own when a kernel runs; exit handlers that LLVM registers then "
               "run before ours, during the next compilation, which never ends",
               "the first dispatch of each program is waited for",
               "Workarounds.a_program_has_been_compiled_when_its_first_dispatch_returns"},
    Workaround{Quirk::waiting_groups, "waiting groups", "NVIDIA since Volta", lets_groups_wait,
               "GL does not guarantee that a resident group makes progress while others wait for it; here it does, and "
               "barrier() alone orders shared memory",
               "single-pass scans and sorts, and bare barriers in products (`Target::forward_progress`); elsewhere "
               "several passes",
               "ScanTiles.need_no_progress_of_others"},
    Workaround{Quirk::small_pages, "small pages", "NVIDIA", runs_on_nvidia,
               "plain storage is mapped in small pages: maps of several large operands run at half speed, strided "
               "reads at a hundredth",
               "large buffers are imported from the CUDA driver, in pages of 2 MiB, where its library is installed",
               "ImportedMemory.is_for_large_buffers"},
    Workaround{Quirk::part_pages, "part pages", "NVIDIA", always,
               "a buffer over a part of its imported memory, 5 MiB of 6, may read as zeros after every write",
               "a buffer covers its memory object whole", "ImportedMemory.is_taken_whole"},
    Workaround{
        Quirk::idle_clock, "idle clock", "NVIDIA", runs_on_nvidia,
        "after four seconds without work the clock falls to a fifth, and takes up to two seconds of work to rise; "
        "with a CUDA context it stays",
        "on cards with 32 GiB or more one is held from half a second after the first kernel "
        "(`EGLANTINE_CLOCK`)",
        "IdleClock.is_held_a_while_after_the_first_kernel"},
    Workaround{Quirk::unreported_residency, "unreported residency", "GPUs without GL_NV_shader_thread_group",
               reports_no_residency, "the number of resident invocations is unknown",
               "it is guessed from the vendor's name, which affects grids alone",
               "Workarounds.residency_is_guessed_by_the_vendor"},
    Workaround{Quirk::chatty_debug_output, "chatty debug output", "NVIDIA", always,
               "messages 0x20071 and 0x20092 report where every buffer lies and what was recompiled",
               "these two are left out of $EGLANTINE_LOG", "Gl/GlRuntimeWays.one_kernel_computes"},
    Workaround{Quirk::uneven_group_counts, "uneven group counts", "NVIDIA", always,
               "2^31 - 1 groups along x, 65,535 along y and z",
               "the smallest of the three; single-pass scans, whose grid is along x alone, use x's limit",
               "Boundary/Rows.as_many_as_groups_in_a_dispatch"},
    Workaround{Quirk::moved_shared_loads, "moved shared loads", "Mesa", always,
               "a load from shared memory may move across barrier()", "memoryBarrierShared() before every barrier()",
               "Reduce/SumOrder.rows_around_the_edges_of_lanes_and_blocks"},
    Workaround{Quirk::inexact_built_ins, "inexact built-ins", "all", always,
               "exp is 64 ULP off, log wrong by half near 1, sin useless for large arguments; each driver fails at "
               "another one",
               "our own functions (`glsl/math`)", "Trust/Accuracy.is_as_the_operation_table_promises"},
    Workaround{Quirk::inexact_division, "inexact division", "NVIDIA", always,
               "x / y is up to 2 ULP off, and wrong for y beyond 2^126", "our own division, refined by its residual",
               "Elementwise/Operation.is_as_accurate_as_its_row_promises"},
    Workaround{Quirk::contracted_products, "contracted products", "NVIDIA", always,
               "a product and a sum become one fma, x * (1 - f) is multiplied out; llvmpipe's fma() rounds twice",
               "`precise` where bits matter, and no result depends on fma",
               "Reduce/SumOrder.multiply_sum_and_dot_have_the_bits_of_the_products"},
    Workaround{Quirk::reassociated_products, "reassociated products", "NVIDIA", always,
               "products of products are multiplied in another order, `precise` ones too: a * b * c has other bits in "
               "one kernel than in two",
               "`#pragma optionNV(fastmath off)` in shaders for hardware, which others ignore",
               "Elementwise/Products.have_the_bits_of_one_after_another"},
    Workaround{Quirk::lost_nan, "lost NaN", "all", always,
               "!(x < y) becomes x >= y, sign(NaN) is 0, min and max drop a NaN, pow(NaN, 0) is NaN",
               "tests for NaN use the bits (`glsl/math`)", "Reduce/MaxMin.one_nan_anywhere_makes_nan"},
    Workaround{Quirk::doubtful_isnan, "doubtful isnan", "all but OpenGL by NVIDIA", may_ignore_nan,
               "GLSL lets a driver ignore NaN, in isnan() too; NVIDIA's is exact, and one instruction shorter than a "
               "test of the bits",
               "isnan() there (`Target::knows_nan`), elsewhere the bits", "Reduce/MaxMin.one_nan_anywhere_makes_nan"},
    Workaround{Quirk::doubtful_packing, "doubtful packing", "all but OpenGL by NVIDIA", may_ignore_nan,
               "GLSL lets packHalf2x16 round as a driver likes; NVIDIA's rounds to the nearest, in one instruction, "
               "but takes unpackHalf2x16(packHalf2x16(x)) for x",
               "packHalf2x16 there (`Target::packs_nearest`), with a mask before it is unpacked; elsewhere rounding by "
               "the bits",
               "Narrow/NarrowTypes.floats_round_to_the_nearest_half"},
    Workaround{Quirk::undefined_integers, "undefined integers", "all", always,
               "division by zero, % of negatives and conversions out of range differ by driver",
               "our own division, remainder and conversions, as numerics.md has them",
               "Elementwise/Operation.is_as_accurate_as_its_row_promises"},
    Workaround{
        Quirk::negated_integers, "negated integers", "NVIDIA", always,
        "the compiler takes max(-x, -y) of int for -min(x, y), which is wrong where x is the smallest i32, whose "
        "negative is itself",
        "integers are negated as unsigned ones (`eg_neg`)", "Network/PoolIndices.every_view"},
    Workaround{
        Quirk::joined_signs, "joined signs", "llvmpipe on AVX-512", always,
        "LLVM 15 joins and, or of three operands into one instruction, at times with two of them swapped "
        "(llvm-project#157929): y without its sign joined with the sign of x became x & ~y in some fused kernels",
        "a sign is selected, not joined (`eg_copysign`)", "Elementwise/Signs.stay_right_in_fused_kernels"},
    Workaround{Quirk::folded_products, "folded products", "Mesa 22.3", always,
               "umulExtended of two constants gives a high word of 0",
               "the one product of Philox whose factors are both constants is made of halves (`eg_philox_block`)",
               "Creation/Bernoulli.has_the_same_bits_everywhere"},
    Workaround{Quirk::boolean_arrays, "boolean arrays", "zink", always,
               "an array of bool that stays in memory becomes integers of one bit, which Vulkan refuses: no pipeline, "
               "and a crash",
               "truth values of several elements are stored in uint", "ScanTiles.largest_of_every_dtype"},
    Workaround{Quirk::scattered_vector_stores, "scattered vector stores", "NVIDIA", always,
               "a store to a computed component of a shared vec4 is slow: a product fell from 47 to 19 TFLOP/s",
               "tiles are written as whole vec4s", "Codegen/MatmulForms.meet_the_bound"},
    Workaround{Quirk::elapsed_time, "elapsed time", "llvmpipe", always, "GL_TIME_ELAPSED around a dispatch reads 1 ns",
               "pairs of GL_TIMESTAMP", "Gl/KernelTimer.maps_the_device_s_times_to_the_host_s_clock"},
    Workaround{Quirk::unchecked_bindings, "unchecked bindings", "llvmpipe", always,
               "ranges past the end of a buffer or over the limit of a block are bound silently",
               "every dispatch is checked before it is submitted",
               "GlRuntime.a_dispatch_that_no_driver_would_check_is_refused"},
    Workaround{Quirk::empty_uuid, "no UUID", "Mesa on the CPU", always,
               "GL_EXT_memory_object is advertised, but the device's UUID is an error or zeros", "EGL's UUID is used",
               "Device/Info.says_what_a_kernel_may_use"},
    Workaround{Quirk::indexed_calls, "indexed calls", "Mesa", always,
               "a call of an indexed expression, 1.0[0](x), crashes the compiler while it reports the error",
               "users' GLSL is rejected when it calls anything but a function",
               "BadInput/CustomOperation.calls_of_something_indexed"},
    Workaround{Quirk::long_dispatches, "long dispatches", "all", always,
               "watchdogs of drivers and operating systems kill dispatches of seconds, and the device with them",
               "a dispatch that would take longer than half a second is cut into windows of its groups",
               "Watchdog/Windows.of_a_slow_kernel_give_the_same_result"},
};

constexpr bool in_order() {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].quirk != static_cast<Quirk>(i)) return false;
  return true;
}
static_assert(in_order(), "in_force() finds a row by its number");

bool holds(const Workaround& row, const Driver& driver) { return row.applies == nullptr || row.applies(driver); }

}  // namespace

std::span<const Workaround> workarounds() { return table; }

bool in_force(Quirk quirk, const Driver& driver) { return holds(table[static_cast<size_t>(quirk)], driver); }

int64_t guessed_residency(const Driver& driver) {
  if (driver.is_made_by("NVIDIA")) return 64 * 2048;
  if (driver.is_made_by("AMD") || driver.is_made_by("ATI")) return 32 * 2048;
  return driver.gles ? 8192 : 16384;
}

std::vector<std::string> workarounds_of(const Driver& driver) {
  std::vector<std::string> names;
  for (const Workaround& row : table)
    if (holds(row, driver)) names.emplace_back(row.name);
  return names;
}

std::string workarounds_in_markdown() {
  std::string text = "| name | in force for | symptom | what we do instead | test |\n|---|---|---|---|---|\n";
  for (const Workaround& row : table) {
    const std::string whom = row.applies == nullptr ? std::string("everyone; met on ") + row.driver : row.driver;
    text += std::string("| ") + row.name + " | " + whom + " | " + row.symptom + " | " + row.instead + " | `" +
            row.test + "` |\n";
  }
  return text;
}

}  // namespace eglantine::gl
