#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "backend/gl/context/egl.hpp"
#include "backend/gl/context/functions.hpp"
#include "backend/gl/context/idle_clock.hpp"
#include "backend/gl/memory/exported_memory.hpp"

namespace eglantine::gl {

enum class TransferPath { automatic, direct, staging };
enum class MemoryKind { automatic, plain, imported };  ///< of large buffers: GL storage, or from ExportedMemory
enum class ClockKind { automatic, kept, free };        ///< of a GPU that waits for work

/// How to open a device. The defaults are for users; tests set the rest.
struct Options {
  const Egl* egl = nullptr;                           ///< null: the system's
  std::function<void(Functions&)> replace_functions;  ///< called once, after the table is filled
  TransferPath transfer = TransferPath::automatic;    ///< staging needs buffer storage; direct works everywhere
  MemoryKind memory = MemoryKind::automatic;          ///< else $EGLANTINE_MEMORY, else imported where there is a source
  std::function<std::unique_ptr<ExportedMemory>()> exported_memory;  ///< the source; else the CUDA driver's
  IdleClock::Hold hold_clock;                                        ///< keeps the clock up; else by $EGLANTINE_CLOCK
  std::optional<int64_t> timeout_nanoseconds;           ///< of a fence; else $EGLANTINE_TIMEOUT_SECONDS, else by device
  std::optional<int64_t> longest_dispatch_nanoseconds;  ///< else $EGLANTINE_LONGEST_DISPATCH, else half a second
  std::optional<int64_t> memory_budget;                 ///< bytes; else half of the memory on a software device
  std::optional<bool> compiles_in_background;           ///< else where the driver has GL_KHR_parallel_shader_compile
  std::optional<size_t> most_programs;                  ///< in the cache at a time; else ProgramCache::most_programs
};

}  // namespace eglantine::gl
