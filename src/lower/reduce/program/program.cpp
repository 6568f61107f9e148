#include "lower/reduce/program/program.hpp"

#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/program/accumulator_text.hpp"
#include "lower/reduce/program/nans_apart.hpp"
#include "lower/reduce/schedule/any_order.hpp"
#include "lower/reduce/schedule/level_addresses.hpp"

namespace eglantine::lower {

ReduceProgram::ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors,
                             ReducePattern pattern)
    : BoundProgram(target, vectors, target.texel_reads),
      reduction_(level.reduction),
      custom_(level.custom),
      read_(read_windows(level, window, pattern)),
      written_{window.kept},
      load_(load_stage(level, reads_, pattern)) {
  bind_inputs(level);
  // What is bound tells which loads are joined.
  plan_ = group_plan(target, level, window, pattern, load_);
  bind_shared(level, plan_.tile_plan.words());
  bind_results(level, window, vectors);
  add_uniforms(level);
}

void ReduceProgram::bind_inputs(const ReduceLevel& level) {
  load_.bind(bindings_, read_);
  if (!level.indices) return;
  indices_.emplace(index_stage(level, reads_));
  indices_->bind(bindings_, read_);
}

/// What groups pass each other.
void ReduceProgram::bind_shared(const ReduceLevel& level, int64_t words_of_tiles) {
  if (level.single_pass) partials_binding_ = bindings_.add_coherent(level.partials.get(), {0, exchange_words - 1});
  if (!level.counters) return;
  counters_binding_ = bindings_.add_coherent(level.counters.get(), {0, exchange_counters - 1});
  left_binding_ = bindings_.add_coherent(level.left.get(), {0, words_of_tiles - 1});
}

void ReduceProgram::bind_results(const ReduceLevel& level, const ReduceWindow& window, bool vectors) {
  if (!level.is_last()) {
    const DType dtype = is_arg(reduction_) ? DType::u32 : load_.dtype();
    partials_binding_ =
        bindings_.add_write(level.partials.get(), word_storage(dtype), false, partial_words(level, window));
    return;
  }
  epilogue_.emplace(write_spec(level, plan_.pattern, "eg_epilogue"), level.epilogue, reads_);
  epilogue_->bind(bindings_, written_);
  store_.emplace(write_spec(level, plan_.pattern, "eg_store"), level.out, vectors);
  store_->bind(bindings_, written_);
}

void ReduceProgram::add_uniforms(const ReduceLevel& level) {
  const bool row = plan_.is_row();
  const auto& [kept, blocks] = plan_.window;
  uniforms_.add(plan_.items());
  uniforms_.add(plan_.grid.chunk);
  uniforms_.add_divisor(row ? blocks.count : plan_.tiles());
  uniforms_.add(kept.first / plan_.kept_of_an_item());
  uniforms_.add(blocks.first);
  uniforms_.add(row ? plan_.lanes_log2 : plan_.has_tiles() ? plan_.vector_count() : plan_.items_at_once);
  uniforms_.add(extent(level));
  if (plan_.lanes_singly > 0) length_slot_ = uniforms_.add(level.length);
  load_.add_uniforms(bindings_, read_, uniforms_);
  if (indices_) indices_->add_uniforms(bindings_, read_, uniforms_);
  if (epilogue_) {
    epilogue_->add_uniforms(bindings_, written_, uniforms_);
    store_->add_uniforms(bindings_, written_, uniforms_);
    return;
  }
  const int64_t words = is_arg(reduction_) ? 2 : 1;
  partials_base_slot_ = uniforms_.add(partial_index(level, 0, 0) * words - bindings_.first_element(partials_binding_));
  partials_pitch_slot_ = uniforms_.add(row ? level.blocks : level.kept);
}

/// What the program's loops end with: of rows in fours the vectors of all, of columns taken singly the lines of one.
int64_t ReduceProgram::extent(const ReduceLevel& level) const {
  if (plan_.pattern == ReducePattern::row_fours)
    return ceil_divide(plan_.window.kept.count * level.length, vector_width);
  return plan_.lanes_singly > 0 ? lines_of(plan_.tile_plan, level.length) : level.length;
}

/// As far as a dispatch reads a row, or a column; rows may be read one behind the other.
int64_t ReduceProgram::row_length() const {
  return in_order_of_memory(plan_.pattern) ? read_[0].count / plan_.window.kept.count : read_[1].count;
}

std::string ReduceProgram::holes() const {
  std::string holes = load_.text(bindings_);
  if (indices_) holes += indices_->text(bindings_);
  holes += (has_nans_apart(plan_.pattern, combined()) ? nans_apart_functions(plan_.pattern, combined())
                                                      : accumulator_functions(reduction_, load_.dtype(), custom_)) +
           element_functions(plan_, combined(), indices_.has_value(), length_slot_);
  if (plan_.pattern == ReducePattern::row_single_pass) holes += exchange_functions(combined(), partials_binding_);
  if (plan_.leaves)
    holes +=
        shared_tile_functions(reduction_, load_.dtype(), {counters_binding_, left_binding_}, plan_.lanes_singly > 0);
  return holes + finish_holes();
}

std::string ReduceProgram::finish_holes() const {
  if (epilogue_)
    return epilogue_->text(bindings_) + store_->text(bindings_) +
           epilogue_finish(plan_, combined(), epilogue_->reads_accumulator());
  return partial_function(reduction_, load_.dtype(), codegen::block_name(partials_binding_), partials_base_slot_) +
         partial_finish(plan_, combined(), partials_pitch_slot_);
}

std::string ReduceProgram::name() const {
  const bool row = plan_.is_row(), together = plan_.at_once > 1;
  const std::string form = plan_.pattern == ReducePattern::row_each       ? "row_each"
                           : plan_.pattern == ReducePattern::row_fours    ? "row_fours"
                           : plan_.pattern == ReducePattern::column_short ? "column_short"
                           : row && together                              ? "row_together"
                           : row                                          ? "row"
                           : together                                     ? "column_together"
                           : plan_.lanes_singly > 0                       ? "column_singly"
                                                                          : "column";
  const std::string combine = custom_ ? custom_->name : std::string(name_of(reduction_));
  return "reduce_" + form + " " + combine + " " + std::string(name_of(load_.dtype()));
}

Dispatch ReduceProgram::dispatch() const {
  Dispatch dispatch = dispatch_of(name(),
                                  {std::string(template_of(plan_.pattern)), defines_of(plan_, combined(), row_length()),
                                   holes(), takes_subgroups(plan_.pattern)},
                                  bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(plan_.grid.groups);
  return dispatch;
}

}  // namespace eglantine::lower
