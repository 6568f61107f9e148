#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/dispatch.hpp"
#include "lower/target.hpp"

/// Lowering: a kernel of any family becomes a list of steps for a target, as plain values, without driver objects and
/// on any thread.
namespace eglantine::lower {

using codegen::vector_width;
using codegen::Window;

/// Bytes of one buffer that go to another.
struct CopyRange {
  int64_t from = 0, to = 0, size = 0;
};

/// Rows of so many bytes, which begin at the addresses of `starts` in one buffer and of `ends` in another: layouts of
/// one shape whose elements are bytes. Only where Target::software.
struct Copy {
  const Buffer* from = nullptr;
  const Buffer* to = nullptr;
  int64_t bytes = 0;
  Layout starts, ends;

  int64_t rows() const { return starts.shape.elements(); }
};

struct Lowered;

/// Copies of rows whose starts depend on indices, which the device reads first; the steps of `otherwise` where an index
/// is out of range. Only where Target::software.
struct GatherRows {
  std::shared_ptr<const GatherKernel> kernel;
  std::shared_ptr<const Lowered> otherwise;
};

using Step = std::variant<Dispatch, Copy, GatherRows>;

/// Memory of the kernel's own, from the first step that uses it to the last.
struct Temporary {
  BufferPtr buffer;
  size_t first = 0, last = 0;
};

/// A word that kernels lower, by atomicMin, to the smallest position of an index out of range. The device binds a range
/// of its own in place of `buffer`.
struct Flag {
  BufferPtr buffer;
  int64_t element = 0;
};

/// The flag of a group that gave up waiting for another; only where Target::forward_progress.
struct StallError {
  std::string function;
  BufferPtr flag;
};

/// A lowered kernel. The buffers of temporaries, flags and the exchange have no storage.
struct Lowered {
  std::vector<Step> steps;
  std::vector<Temporary> temporaries;
  BufferPtr index_flag;  ///< of a kernel that checks indices (checked_index_of), read with the result; else null
  std::optional<StallError> stall_error;
  BufferPtr exchange;  ///< null where no step uses it
};

/// Words of an exchange: counters, then results of the 2^15 row blocks of 2^28 elements and of the levels above.
inline constexpr int64_t exchange_counters = 1024, exchange_words = 9 * (int64_t{1} << 12);

/// Makes buffers of so many bytes, without storage.
using MakeBuffer = std::function<BufferPtr(int64_t bytes)>;

/// Collects the steps of a kernel from its family.
class Lowering {
 public:
  Lowering(const Target& target, MakeBuffer make_buffer) : target_(target), make_buffer_(std::move(make_buffer)) {}

  const Target& target() const { return target_; }
  void dispatch(Dispatch step);
  /// The next dispatch writes other elements of that buffer than the last one, and need not wait for it there.
  void next_runs_beside(const BufferPtr& written) { written_beside_ = written.get(); }
  void copy(Copy step) { add(std::move(step)); }
  /// `otherwise`: adds the steps of the same kernel without copies.
  void gather_rows(const GatherKernel& kernel, const std::function<void(Lowering&)>& otherwise);

  BufferPtr temporary(int64_t bytes);
  /// Memory of `layout` (no address below 0), a word an element.
  Strided temporary(DType dtype, const Layout& layout);
  /// Words through which the groups of one dispatch pass results, and counters, which are zero before and after it.
  BufferPtr exchange();
  /// One flag for all dispatches of a kernel that checks its indices.
  Flag index_flag();
  /// One flag for all dispatches of a kernel.
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
  const Buffer* written_beside_ = nullptr;
};

/// Add the steps of a kernel: map/lower.cpp, reduce/lower.cpp ...
void lower(Lowering& lowering, const MapKernel& kernel);
void lower(Lowering& lowering, const ReduceKernel& kernel);
void lower(Lowering& lowering, const ScanKernel& kernel);
void lower(Lowering& lowering, const RowKernel& kernel);
void lower(Lowering& lowering, const SortKernel& kernel);
void lower(Lowering& lowering, const GatherKernel& kernel);
void lower(Lowering& lowering, const ScatterKernel& kernel);
void lower(Lowering& lowering, const TileKernel& kernel);
void lower(Lowering& lowering, const MatmulKernel& kernel);
void lower(Lowering& lowering, const FewColumnsKernel& kernel);
void lower(Lowering& lowering, const ContractionKernel& kernel);
void lower(Lowering& lowering, const AttentionKernel& kernel);
void lower(Lowering& lowering, const AttentionGradientKernel& kernel);

Lowered lower(const Kernel& kernel, const Target& target, const MakeBuffer& make_buffer);

/// The steps for Backend::explain: a line each, and the GLSL of each program at its first use.
std::string text_of(const Lowered& lowered, const Target& target);

}  // namespace eglantine::lower
