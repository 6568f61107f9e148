#include "lower/index/scatter_segments.hpp"

#include <algorithm>
#include <memory>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word = 4;
// Part of the result: another length changes the last bits of sums.
constexpr int64_t run_length = 32;
// As in map/lower.cpp; smaller on hardware, for the many loads of an invocation.
constexpr int64_t software_segments_group = 8, hardware_segments_group = 128;

int64_t words_of(const SegmentPairs& pairs) { return pairs.values ? 1 : 2; }  ///< of a pair in the keys' buffer
int64_t runs_of(const SegmentPairs& pairs) { return ceil_divide(pairs.count, run_length); }

/// The program over a window of runs and a window of the output, with its bindings and uniforms.
class SegmentsProgram : public BoundProgram {
 public:
  SegmentsProgram(const Target& target, Reduction reduction, const SegmentPairs& level, const BufferPtr& ends,
                  const Strided& out, const Window& runs, const Window& outputs)
      : BoundProgram(target),
        reduction_(reduction),
        dtype_(out.dtype()),
        pairs_(!level.values),
        staged_(!pairs_ && !target.software),
        group_size_(group_size_of(target, target.software ? software_segments_group : hardware_segments_group)),
        grid_(resident_grid(target, runs.count, group_size_, group_size_, run_length + 1)) {
    // A run compares its end keys with its neighbours'.
    const int64_t first = std::max<int64_t>(0, runs.first * run_length - 1);
    const int64_t last = std::min(level.count, (runs.first + runs.count) * run_length + 1) - 1;
    const int64_t words = words_of(level);
    const int keys =
        bindings_.add_read(level.keys.get(), StorageType::u32, true, {first * words, (last + 1) * words - 1});
    const int values =
        pairs_ ? keys : bindings_.add_read(level.values.get(), word_storage(dtype_), true, {first, last});
    const int sums =
        bindings_.add_write(out.buffer.get(), out.storage, false, {outputs.first, outputs.first + outputs.count - 1});
    const int ends_block =
        bindings_.add_write(ends.get(), StorageType::u32, true, {runs.first * 4, (runs.first + runs.count) * 4 - 1});
    out_binding_ = sums;
    ends_binding_ = ends_block;
    for (int64_t number :
         {runs.first, runs.first + runs.count, grid_.chunk, level.count, bindings_.first_element(keys) / words,
          bindings_.first_element(values), bindings_.first_element(ends_block) / 4, outputs.first, outputs.count})
      uniforms_.add(number);
  }

  Dispatch dispatch() const {
    using codegen::define;
    const std::string defines =
        define("EG_GROUP_SIZE", group_size_) + define("EG_RUN", run_length) + define("EG_KEYS", "eg_b0") +
        (pairs_ ? define("EG_PAIRS") : define("EG_VALUES", "eg_b1")) + (staged_ ? define("EG_STAGED") : "") +
        define("EG_OUT", codegen::block_name(out_binding_)) + define("EG_ENDS", codegen::block_name(ends_binding_)) +
        define("EG_VALUE", codegen::stored_type(dtype_, 1)) + define("EG_VALUES4", codegen::stored_type(dtype_, 4)) +
        define("EG_FROM_BITS(bits)", codegen::from_bits(dtype_, "bits")) +
        define("EG_TO_BITS(value)", codegen::to_bits(dtype_, "value"));
    Dispatch dispatch = dispatch_of("scatter_segments",
                                    {"scatter_segments.comp", defines, codegen::combine_functions(reduction_, dtype_)},
                                    bindings_, uniforms_);
    dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
    return dispatch;
  }

 private:
  Reduction reduction_;
  DType dtype_;
  bool pairs_, staged_;
  int64_t group_size_;
  Grid grid_;
  int out_binding_ = -1, ends_binding_ = -1;
};

/// One level: each window of the output with each window of the runs.
void run_level(Lowering& lowering, Reduction reduction, const SegmentPairs& level, const BufferPtr& ends,
               const Strided& out) {
  const Target& target = lowering.target();
  const int64_t covered = (target.max_block_bytes - target.binding_alignment) / word / words_of(level);
  const int64_t most_runs = std::max<int64_t>(1, (covered - 2) / run_length - 1);
  const int64_t elements = out.layout.size(), most_elements = target.max_block_bytes / word;
  for (int64_t first = 0; first < elements; first += most_elements) {
    const Window outputs{first, std::min(most_elements, elements - first)};
    for (int64_t run = 0; run < runs_of(level); run += most_runs) {
      const Window runs{run, std::min(most_runs, runs_of(level) - run)};
      lowering.dispatch(SegmentsProgram(target, reduction, level, ends, out, runs, outputs).dispatch());
    }
  }
}

}  // namespace

void combine_segments(Lowering& lowering, Reduction reduction, SegmentPairs pairs, const Strided& out) {
  while (true) {
    const BufferPtr ends = lowering.temporary(runs_of(pairs) * 4 * word);
    run_level(lowering, reduction, pairs, ends, out);
    if (runs_of(pairs) == 1) return;
    pairs = {ends, nullptr, 2 * runs_of(pairs)};
  }
}

}  // namespace eglantine::lower
