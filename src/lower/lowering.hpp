#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/kernel.hpp"
#include "lower/dispatch.hpp"
#include "lower/target.hpp"

/// A kernel of any family becomes a list of steps, as plain values, for a target: nothing here knows a driver's object
/// or runs on a particular thread.
namespace eglantine::lower {

/// Bytes of one buffer that go to another.
struct CopyRange {
  int64_t from = 0, to = 0, size = 0;
};

/// Copies by the driver. Only where Target::software.
struct Copy {
  const Buffer* from = nullptr;
  const Buffer* to = nullptr;
  std::vector<CopyRange> ranges;
};

struct Lowered;

/// Rows that the driver copies from where their indices, which the device reads first, say; the other steps where one
/// of them lies outside its axis. Only where Target::software.
struct GatherRows {
  std::shared_ptr<const GatherKernel> kernel;
  std::shared_ptr<const Lowered> otherwise;
};

using Step = std::variant<Dispatch, Copy, GatherRows>;

/// Memory that a kernel needs for itself, from the first step that uses it to the last.
struct Temporary {
  BufferPtr buffer;
  size_t first = 0, last = 0;
};

/// A word that kernels lower, by atomicMin, to the smallest place of an index out of range. `buffer` stands for it: the
/// device binds a range of its own in its place.
struct Flag {
  BufferPtr buffer;
  int64_t element = 0;
};

/// What the device looks at when the kernel's result is read: whether the flag was touched.
struct IndexFlag {
  Expr index;
  IndexCheck about;
  BufferPtr flag;
};

/// The same of a group that gave up waiting for another one. Only where Target::forward_progress.
struct StallError {
  std::string function;
  BufferPtr flag;
};

/// A kernel, lowered. Buffers that are not the kernel's have no storage: those of the temporaries, and those that stand
/// for a flag or for an exchange.
struct Lowered {
  std::vector<Step> steps;
  std::vector<Temporary> temporaries;
  std::optional<IndexFlag> check;
  std::optional<StallError> stall_error;
  BufferPtr exchange;  ///< null where no step uses one
};

/// Words of an exchange: counters, and results of the 2^15 row blocks of 2^28 elements and those of the levels after.
inline constexpr int64_t exchange_counters = 64, exchange_words = 9 * (int64_t{1} << 12);

/// Makes buffers without storage, of so many bytes.
using MakeBuffer = std::function<BufferPtr(int64_t bytes)>;

/// The steps of a kernel while its family adds them.
class Lowering {
 public:
  Lowering(const Target& target, MakeBuffer make_buffer) : target_(target), make_buffer_(std::move(make_buffer)) {}

  const Target& target() const { return target_; }
  void dispatch(Dispatch step) { add(std::move(step)); }
  void copy(Copy step) { add(std::move(step)); }
  /// `otherwise`: adds the steps of the same kernel without copies.
  void gather_rows(const GatherKernel& kernel, const std::function<void(Lowering&)>& otherwise);

  BufferPtr temporary(int64_t bytes);
  /// Memory that lies as `layout` says, which reaches no address below 0; an element takes a word.
  Strided temporary(DType dtype, const Layout& layout);
  /// Words for the groups of one dispatch to leave each other, and counters, which are zero, and which the kernel
  /// leaves zero.
  BufferPtr exchange();
  /// The flag of a kernel whose indices have the value `index`. Once a kernel.
  Flag check(const Expr& index, const IndexCheck& about);
  /// The same one for all dispatches of a kernel.
  Flag stall_error(const std::string& function);

  Lowered take();

 private:
  template <class S>
  void add(S step) {
    lowered_.steps.emplace_back(std::move(step));
  }

  const Target& target_;
  MakeBuffer make_buffer_;
  Lowered lowered_;
};

/// Adds the steps of a kernel of each family: in map/lower.cpp, reduce/lower.cpp ...
void lower(Lowering& lowering, const MapKernel& kernel);
void lower(Lowering& lowering, const ReduceKernel& kernel);
void lower(Lowering& lowering, const ScanKernel& kernel);
void lower(Lowering& lowering, const RowKernel& kernel);
void lower(Lowering& lowering, const SortKernel& kernel);
void lower(Lowering& lowering, const GatherKernel& kernel);
void lower(Lowering& lowering, const ScatterKernel& kernel);
void lower(Lowering& lowering, const TileKernel& kernel);
void lower(Lowering& lowering, const MatmulKernel& kernel);

Lowered lower(const Kernel& kernel, const Target& target, const MakeBuffer& make_buffer);

/// What would run, for Backend::explain: a line a step, and the GLSL of each program where it comes first.
std::string text_of(const Lowered& lowered, const Target& target);

}  // namespace eglantine::lower
