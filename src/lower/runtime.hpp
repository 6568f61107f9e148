#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "codegen/bindings.hpp"
#include "eglantine/error.hpp"

/// The part of the GL backend that knows the driver: what the kernel families need of it, and no more.
namespace eglantine::gl {

class KernelMemo;
struct Tuning;

/// What kernels are planned and written for. Filled once when the device is opened.
struct Target {
  bool gles = false;
  int glsl_version = 430;          ///< 430, 450, 460; 310 or 320 on GLES
  bool has_precise = true;         ///< `precise` exists (not on GLES 3.1)
  bool knows_nan = false;          ///< isnan() sees every NaN
  bool software = false;           ///< llvmpipe and its like: long serial runs, few barriers, bounded loops
  int64_t max_block_bytes = 0;     ///< largest range one binding may cover (EGLANTINE_MAX_BLOCK_BYTES lowers it)
  int64_t binding_alignment = 16;  ///< bytes, of a binding's offset
  int64_t max_bindings = 16;
  int64_t max_invocations = 128;  ///< in a work group
  int64_t max_shared_bytes = 16384;
  int64_t max_groups = 65535;    ///< in any dimension
  int64_t max_groups_x = 65535;  ///< along x alone: 2^31 - 1 on NVIDIA
  int64_t max_loop_trips =
      0;  ///< dynamic back-edges an invocation may take; 0 where nothing bounds them (llvmpipe: 65535)
  int64_t resident_invocations =
      0;  ///< that the whole device holds at a time: 132 * 2048 on an H200; a few groups' worth on llvmpipe
  bool forward_progress =
      false;                 ///< a resident group goes on while others wait for it: single-pass forms may look back
  bool large_pages = false;  ///< large buffers are mapped in large pages: far-apart accesses cost no more
  bool texel_reads = false;  ///< what is only read is read faster as texels than as a storage block (llvmpipe)
  int64_t subgroup = 0;      ///< invocations of a subgroup, where GL_KHR_shader_subgroup does all we use of it; else 0
  std::shared_ptr<const Tuning> tuning;  ///< choices that were measured on this device, or null (tuning.hpp)
};

class GlStorage;

/// Words of what Runtime::open_exchange gives: counters, and results of the 2^15 row blocks of 2^28 elements and those
/// of the levels after.
inline constexpr int64_t exchange_counters = 64, exchange_words = 9 * (int64_t{1} << 12);

/// What a dispatch binds: storage, or a buffer, whose storage is looked up only when the dispatch runs. Any thread may
/// explain a kernel while the worker gives its buffers their storage.
class Bound {
 public:
  Bound(const Storage* storage) : storage_(storage) {}
  Bound(const Buffer* buffer) : buffer_(buffer) {}
  const Storage& operator*() const { return storage_ != nullptr ? *storage_ : buffer_->storage(); }
  const Buffer* buffer() const { return buffer_; }  ///< null where storage is bound by itself

 private:
  const Storage* storage_ = nullptr;
  const Buffer* buffer_ = nullptr;
};

/// Part of a buffer at a binding point. offset is a multiple of Target::binding_alignment, size a positive multiple of
/// 4 (a range that vec4 reads may run over the end of a tensor into its padding; allocations are padded to 16 bytes for
/// that).
struct Range {
  Bound storage;
  int64_t offset = 0;
  int64_t size = 0;
  codegen::Texels texels{};  ///< bound as a texture buffer where it has a width
};

/// A word of a buffer that kernels lower, by atomicMin, to the smallest place of an index out of range.
struct Flag {
  BufferPtr buffer;
  int64_t element = 0;
};

/// One glDispatchCompute.
struct Dispatch {
  std::string name;                     ///< for errors, logs and timings: "reduce_row sum f32"
  std::string key;                      ///< names the program: equal keys, equal source
  std::function<std::string()> source;  ///< the whole GLSL, called when the key is new
  std::vector<Range> ranges;            ///< ranges[i] goes to `layout(std430, binding = i)`, or to that sampler
  uint32_t written = 0;                 ///< bit i: the kernel writes ranges[i]; the others are only read
  std::vector<uint32_t> uniforms;  ///< goes to `layout(location = 0) uniform uint eg_u[N];`, N = size; may be empty
  std::vector<int> parameters;     ///< which of the uniforms are parameters of the kernel's expressions, in their order
  std::array<uint32_t, 3> groups{1, 1, 1};
};

/// Bytes of one buffer that go to another.
struct Stretch {
  int64_t from = 0, to = 0, size = 0;
};

/// Runs dispatches and owns the driver's objects. On the worker thread only.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual const Target& target() const = 0;
  /// Compiles the program if it is new, waits for hazards with glMemoryBarrier, binds, dispatches. Throws ShaderError,
  /// DeviceError.
  virtual void dispatch(const Dispatch& dispatch) = 0;
  /// Has the driver copy, behind the kernels so far. Only where Target::software.
  virtual void copy(const Buffer&, const Buffer&, std::span<const Stretch>) {
    throw DeviceError("[copy] this device's driver copies nothing");
  }
  /// Reads `data.size()` bytes from `offset` on, and waits for the kernels that write them. Only where
  /// Target::software, on which that takes no longer than the copying.
  virtual void read(const Buffer&, int64_t, std::span<std::byte>) {
    throw DeviceError("[read] nothing is read back while this device's kernels are planned");
  }
  /// How kernels were dispatched here before, or null where each is to be planned.
  virtual KernelMemo* memo() { return nullptr; }
  /// Memory from the pool, for partial results; it goes back when the pointer goes.
  virtual std::unique_ptr<Storage> allocate(int64_t bytes) = 0;
  /// Words for the groups of one dispatch to leave each other, and counters, which are zero, and which the kernel
  /// leaves zero. A few take turns, so that dispatches need not wait for one another.
  virtual BufferPtr open_exchange() { throw DeviceError("[reduce] this device's groups exchange nothing"); }
  /// A flag for a kernel whose indices have the value `index`, to be looked at when its result is.
  /// Only kernels with indices ask for one.
  virtual Flag open_check(const Expr&, const IndexCheck& check) {
    throw DeviceError("[" + check.function + "] nobody would look at this kernel's flag");
  }
  /// A flag that a kernel lowers when a group of it gives up waiting for another: reading the result is a DeviceError
  /// then. The same one for all dispatches of a kernel. Only where Target::forward_progress says that groups may wait.
  virtual Flag open_alarm(const std::string& function) {
    throw DeviceError("[" + function + "] nobody would look at this kernel's alarm");
  }
};

/// Runs one kernel of each family: plans windows and chunks, writes the GLSL on demand, dispatches. In run_map.cpp,
/// run_reduce.cpp, run_matmul.cpp, run_gather.cpp, run_scatter.cpp...
void run(Runtime& runtime, const MapKernel& kernel);
void run(Runtime& runtime, const ReduceKernel& kernel);
void run(Runtime& runtime, const ScanKernel& kernel);
void run(Runtime& runtime, const RowKernel& kernel);
void run(Runtime& runtime, const SortKernel& kernel);
void run(Runtime& runtime, const GatherKernel& kernel);
void run(Runtime& runtime, const ScatterKernel& kernel);
void run(Runtime& runtime, const TileKernel& kernel);
void run(Runtime& runtime, const MatmulKernel& kernel);

/// The GLSL sources run() would compile for the kernel on this target, one after another, for Backend::explain.
/// Compiles and runs nothing.
std::string glsl_of(const Target& target, const Kernel& kernel);

}  // namespace eglantine::gl
