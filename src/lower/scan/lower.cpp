#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"
#include "lower/expressions.hpp"
#include "lower/scan/across.hpp"
#include "lower/scan/program.hpp"
#include "lower/scan/repeated.hpp"
#include "lower/scan/single_pass_program.hpp"
#include "lower/scan/staged_program.hpp"

namespace eglantine::lower {
namespace {

using layout::Box;

class ScanRunner {
 public:
  ScanRunner(Lowering& lowering, const ScanKernel& kernel, const ScanPlan& plan)
      : lowering_(lowering), kernel_(kernel), plan_(plan) {}

  void run() {
    boxes_ = windows_of(lowering_.target(), kernel_.prologue.domain, cut_of(plan_, kernel_));
    if (plan_.pattern == ScanPattern::look_back) make_partials();
    if (plan_.chunks() > 1 && !plan_.single_pass()) make_carries();
    for (const Box& box : boxes_) dispatch(ScanPass::scan, box);
  }

 private:
  int row_axis() const { return kernel_.kept_rank; }

  Strided make_sums() {
    Layout layout = kernel_.out.layout;
    layout.offset = 0;
    layout.shape[row_axis()] = plan_.chunks() - 1;
    std::vector<size_t> axes(layout.strides.size());
    std::iota(axes.begin(), axes.end(), size_t{0});
    std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) {
      return std::abs(kernel_.out.layout.strides[a]) < std::abs(kernel_.out.layout.strides[b]);
    });
    int64_t elements = 1;
    for (size_t axis : axes) {
      layout.strides[axis] = elements;
      elements *= layout.shape[static_cast<int>(axis)];
      // Columns are read by vectors.
      if (axis == axes.front() && !plan_.contiguous()) elements = ceil_divide(elements, vector_width) * vector_width;
    }
    const StorageType storage = word_storage(kernel_.prologue.dtype());
    return {lowering_.temporary(elements * bytes_of(storage)), storage, layout};
  }

  /// Zeros for the partials that look-back tiles publish, in pairs of words. All windows share them.
  void make_partials() {
    const Layout layout = layout::contiguous(partials_shape());
    const int64_t words = 2 * layout.size();
    const Strided all = lowering_.temporary(DType::u32, layout::contiguous(Shape{words}));
    sums_ = Strided{all.buffer, all.storage, layout};
    clear(lowering_, all);
  }

  Shape partials_shape() const {
    Shape shape = kernel_.prologue.domain;
    shape[row_axis()] = look_back_partials(plan_);
    return shape;
  }

  /// The partials of a box's rows: a tile may ask for those of any tile before it.
  std::optional<Strided> partials_in(const Box& box) const {
    if (!sums_) return std::nullopt;
    Box rows = box;
    rows.start[row_axis()] = 0;
    rows.length[row_axis()] = look_back_partials(plan_);
    return Strided{sums_->buffer, sums_->storage, layout::restrict_to(sums_->layout, rows)};
  }

  /// The carries of all chunks but a row's first: a scan of the chunks' totals.
  void make_carries() {
    sums_ = make_sums();
    for (const Box& box : boxes_) dispatch(ScanPass::reduce, box);
    if (plan_.chunks() == 2) return;
    const Strided totals = *sums_;
    sums_ = make_sums();
    lower(lowering_, ScanKernel{load_of(totals), kernel_.kept_rank, kernel_.reduction, false,
                                accumulator_over(totals.layout.shape, totals.dtype()), *sums_, kernel_.custom});
  }

  /// The sums that a pass over a box writes or reads; none where no chunk of the box has any.
  std::optional<Strided> sums_in(ScanPass pass, const Box& box, const ScanWindow& window) const {
    Box chunks = box;
    const bool starts = window.first_chunk == 0;
    if (pass == ScanPass::reduce) {
      chunks.start[row_axis()] = window.first_chunk;
      chunks.length[row_axis()] = window.chunks - (window.ends ? 1 : 0);
    } else {
      chunks.start[row_axis()] = window.first_chunk - (starts ? 0 : 1);
      chunks.length[row_axis()] = window.chunks - (starts ? 1 : 0);
    }
    if (!sums_ || chunks.length[row_axis()] == 0) return std::nullopt;
    return Strided{sums_->buffer, sums_->storage, layout::restrict_to(sums_->layout, chunks)};
  }

  void dispatch(ScanPass pass, const Box& box) {
    ScanWindow window;
    window.kernel = kernel_;
    restrict_to(window.kernel.prologue, box);
    restrict_to(window.kernel.epilogue, box);
    restrict_to(window.kernel.out, box);
    window.first_chunk = box.start[row_axis()] / plan_.chunk;
    window.chunks = ceil_divide(box.length[row_axis()], plan_.chunk);
    window.ends = box.start[row_axis()] + box.length[row_axis()] == plan_.length;
    window.sums = plan_.single_pass() ? partials_in(box) : sums_in(pass, box, window);
    if (pass == ScanPass::reduce && !window.sums) return;
    if (const std::optional<StagedScan> staged = staged_scan(lowering_.target(), plan_, window))
      if (run_staged(*staged)) return;
    plan_.single_pass() ? dispatch<ScanTileProgram>(window) : dispatch<ScanProgram>(pass, window);
  }

  bool run_staged(const StagedScan& scan) {
    const auto program = program_of<ScanStagedProgram>(lowering_.target(), scan);
    if (!program.fits()) return false;
    lowering_.dispatch(program.dispatch());
    return true;
  }

  template <class Program, class... About>
  void dispatch(const About&... about) {
    const Target& target = lowering_.target();
    const auto program = program_of<Program>(target, plan_, about...);
    if (!program.fits()) throw DeviceError("[scan] a window passes what one storage buffer binding covers");
    lowering_.dispatch(program.dispatch());
  }

  Lowering& lowering_;
  const ScanKernel& kernel_;
  const ScanPlan& plan_;
  std::vector<Box> boxes_;
  /// One value for each chunk but its row's last, over (rows..., chunks - 1). They lie in the order of the results, so
  /// that a window of those has a window's worth of these.
  std::optional<Strided> sums_;
};

/// For operands so scattered that no range within the device's limit covers the smallest box: x is materialized in the
/// results' layout and scanned there, and a map applies the epilogue. Where results are as scattered, the layout is
/// row-major.
void run_materialized(Lowering& lowering, const ScanKernel& kernel, const ScanPlan& wanted) {
  const bool as_results = results_can_be_cut(lowering.target(), wanted, kernel);
  const Layout rows = as_results ? kernel.out.layout : layout::contiguous(kernel.prologue.domain);
  const DType dtype = kernel.prologue.dtype();
  const Strided x = materialize(lowering, kernel.prologue, rows);
  const Strided y = lowering.temporary(dtype, rows);
  const ScanKernel materialized{
      load_of(x), kernel.kept_rank, kernel.reduction, kernel.exclusive, accumulator_over(rows.shape, dtype),
      y,          kernel.custom};
  const ScanPlan plan = plan_scan(lowering.target(), materialized);
  if (!can_be_cut(lowering.target(), cut_of(plan, materialized)))
    throw DeviceError("[scan] one storage buffer binding covers " + std::to_string(lowering.target().max_block_bytes) +
                      " bytes, and a piece of the scan takes " + std::to_string(plan.chunk * size_of(dtype)) +
                      "; raise EGLANTINE_MAX_BLOCK_BYTES");
  ScanRunner(lowering, materialized, plan).run();
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, y), kernel.out});
}

}  // namespace

void lower(Lowering& lowering, const ScanKernel& kernel) {
  if (run_repeated_once(lowering, kernel)) return;
  if (reads_across(lowering.target(), kernel)) return lower(lowering, of_copy(lowering, kernel));
  const ScanPlan plan = plan_scan(lowering.target(), kernel);
  if (!can_be_cut(lowering.target(), cut_of(plan, kernel))) return run_materialized(lowering, kernel, plan);
  ScanRunner(lowering, kernel, plan).run();
}

}  // namespace eglantine::lower
