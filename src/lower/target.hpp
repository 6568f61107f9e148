#pragma once

#include <cstdint>
#include <memory>

namespace eglantine::lower {

struct Tuning;

/// What kernels are planned and written for. Filled once, when the device is opened.
struct Target {
  bool gles = false;
  int glsl_version = 430;          ///< 430, 450, 460; 310 or 320 on GLES
  bool has_precise = true;         ///< `precise` exists (on GLES 3.1 by an extension alone)
  const char* precise_by = "";     ///< the extension of GLSL ES 3.10 that has it
  bool knows_nan = false;          ///< isnan() sees every NaN
  bool packs_nearest = false;      ///< packHalf2x16 rounds to nearest, ties to even
  bool software = false;           ///< llvmpipe and the like: long serial runs, few barriers, bounded loops
  int64_t max_block_bytes = 0;     ///< largest range one binding may cover (EGLANTINE_MAX_BLOCK_BYTES lowers it)
  int64_t binding_alignment = 16;  ///< bytes, of a binding's offset
  int64_t max_bindings = 16;
  int64_t max_invocations = 128;  ///< in a work group
  int64_t max_shared_bytes = 16384;
  int64_t max_groups = 65535;    ///< in any dimension
  int64_t max_groups_x = 65535;  ///< along x alone: 2^31 - 1 on NVIDIA
  int64_t max_loop_trips = 0;    ///< dynamic back-edges of an invocation; 0: unbounded (llvmpipe: 65535)
  int64_t resident_invocations =
      0;  ///< that the device holds at a time: 132 * 2048 on an H200; a few groups' worth on llvmpipe
  bool forward_progress =
      false;                 ///< a resident group runs on while others wait for it: single-pass forms may look back
  bool large_pages = false;  ///< large buffers are mapped in large pages: far-apart accesses cost no more
  bool texel_reads = false;  ///< reads are faster as texels than from a storage block (llvmpipe)
  bool packs_words = false;  ///< narrow results whose vectors share words are faster by a detour than by atomics
  bool maps_memory = false;  ///< the host writes buffers in place: the memory is its own
  int64_t subgroup = 0;  ///< invocations of a subgroup where GL_KHR_shader_subgroup supports all we use of it; else 0
  std::shared_ptr<const Tuning> tuning;  ///< choices measured on this device, or null (tuning.hpp)
};

}  // namespace eglantine::lower
