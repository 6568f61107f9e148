#include "lower/reduce/program.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "eglantine/own.hpp"
#include "graph/op_info.hpp"
#include "graph/results_together.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/any_order.hpp"
#include "lower/reduce/shared_columns.hpp"
#include "lower/reduce/text.hpp"
#include "lower/reduce/together.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order.
constexpr int64_t software_group = 8, hardware_group = 256;
// Items of a round of column_spread: 16 KiB of shared memory.
constexpr int64_t spread_items = 128;
constexpr int most_unroll = 8;
constexpr int row_length_slot = 8;  // of the uniforms: EG_LENGTH

/// Whether groups take tiles of columns, which they may share.
bool has_shared_tiles(ReducePattern pattern) {
  return pattern == ReducePattern::column_any_order || pattern == ReducePattern::column_shared;
}

std::string_view template_name(ReducePattern pattern) {
  if (pattern == ReducePattern::row_short) return "reduce_row_short.comp";
  if (pattern == ReducePattern::row_staged) return "reduce_row_staged.comp";
  if (pattern == ReducePattern::row_subgroup) return "reduce_row_subgroup.comp";
  if (pattern == ReducePattern::row_serial) return "reduce_row_serial.comp";
  if (pattern == ReducePattern::row_serial_together) return "reduce_row_serial_together.comp";
  if (pattern == ReducePattern::row_together) return "reduce_row_together.comp";
  if (pattern == ReducePattern::row_each) return "reduce_row_each.comp";
  if (has_shared_tiles(pattern)) return "reduce_column_tiles.comp";
  return pattern <= ReducePattern::row_single_pass ? "reduce_row.comp" : "reduce_column.comp";
}

/// Whether an invocation goes along rows whose values it has in registers.
bool by_each_row(ReducePattern pattern) {
  return pattern == ReducePattern::row_together || pattern == ReducePattern::row_each;
}

/// Of a column tree: whether elements are loaded one by one, each of a column of its own.
bool takes_scalars(const ReduceLevel& level) { return level.together > 0 || level.singly; }

AddressSpec read_spec(const Shape& domain, int kept, const ReduceLevel& level, const char* name) {
  const bool row = level.tree == layout::ReduceTree::row;
  AddressSpec spec{
      name, domain, {{0, kept}, {kept, domain.rank() - kept}}, row || !takes_scalars(level) ? 4 : 1, row ? 1 : 0};
  spec.masked = row;
  return spec;
}

/// Whether rows of one block are runs of memory so short that the vectors of a subgroup's lanes lie in many lines, each
/// of which the four loads of a vector would look up again.
bool loads_apart(const ReduceLevel& level, ReducePattern pattern) {
  constexpr int64_t longest_run = 64;
  const Expr& x = level.prologue;
  const codegen::AxisSpan row{level.kept_rank, x.domain.rank() - level.kept_rank};
  const int64_t run = x.domain[x.domain.rank() - 1];
  if (pattern != ReducePattern::row_subgroup || level.length > layout::row_block || level.indices ||
      is_arg(level.reduction) || x.dtype() != DType::f32 || run % vector_width == 0 || run > longest_run)
    return false;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) {
    return std::abs(operand.layout.strides.back()) == 1 &&
           codegen::access_pattern_of(operand.layout, row) == codegen::AccessPattern::coordinates;
  });
}

codegen::LoadStage load_stage(const ReduceLevel& level, codegen::Vectors reads, ReducePattern pattern) {
  const Shape& domain = level.prologue.domain;
  if (loads_apart(level, pattern)) {
    AddressSpec spec = read_spec(domain, level.kept_rank, level, "eg_load");
    spec.width = 1;
    spec.masked = false;
    return {spec, level.prologue, reads};
  }
  if (pattern == ReducePattern::row_staged)
    return {AddressSpec{"eg_load", domain, {{0, domain.rank()}}, 4}, level.prologue, reads};
  const int kept = level.kept_rank - level.together;
  const auto spec_of = [&](const Expr& expr) { return read_spec(expr.domain, kept, level, "eg_load"); };
  if (level.together == 0 && pattern != ReducePattern::row_each)
    return {spec_of(level.prologue), level.prologue, reads};
  const ResultsTogether results = results_together(level.prologue, kept, level.kept_rank);
  AddressSpec spec = spec_of(results.prologue);
  spec.keeps = by_each_row(pattern);
  return {spec, results.prologue, reads, {}, results.results};
}

AddressSpec write_spec(const ReduceLevel& level, const char* name) {
  const Shape& domain = level.epilogue.domain;
  const bool singly = level.tree == layout::ReduceTree::row || takes_scalars(level);
  return {name, domain, {{0, domain.rank()}}, singly ? 1 : 4, 0};
}

Window elements_of(const ReduceLevel& level, const Window& blocks) {
  const int64_t block = level.block(), first = blocks.first * block;
  return {first, std::min(level.length, first + blocks.count * block) - first};
}

/// What a dispatch reads along each span of its addresses.
std::vector<Window> read_windows(const ReduceLevel& level, const ReduceWindow& window, ReducePattern pattern) {
  const Window &kept = window.kept, elements = elements_of(level, window.blocks);
  if (pattern == ReducePattern::row_staged) return {{kept.first * level.length, kept.count * level.length}};
  const int64_t at_once = level.at_once();
  return {{kept.first / at_once, kept.count / at_once}, elements};
}

TilePlan tile_plan(const Target& target, const ReduceLevel& level) {
  return level.any_order ? any_order_plan(target, level) : shared_columns_plan(target, level);
}

/// The index of a partial result.
int64_t partial_index(const ReduceLevel& level, int64_t kept, int64_t block) {
  block += level.first_block;
  return level.tree == layout::ReduceTree::row ? kept * level.blocks + block : block * level.kept + kept;
}

}  // namespace

ReduceProgram::ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      reduction_(level.reduction),
      custom_(level.custom),
      pattern_(pattern_of(target, level)),
      window_(window),
      at_once_(level.at_once()),
      columns_at_once_(level.columns_at_once()),
      read_(read_windows(level, window, pattern_)),
      written_{window.kept},
      load_(load_stage(level, reads_, pattern_)),
      apart_(loads_apart(level, pattern_)) {
  load_.bind(bindings_, read_);
  if (level.indices) {
    indices_.emplace(read_spec(level.prologue.domain, level.kept_rank, level, "eg_load_index"), *level.indices, reads_);
    indices_->bind(bindings_, read_);
  }
  if (level.single_pass) partials_binding_ = bindings_.add_coherent(level.partials.get(), {0, exchange_words - 1});
  if (level.counters) bind_shared_tiles(level, tile_plan(target, level).words());
  if (level.is_last()) {
    epilogue_.emplace(write_spec(level, "eg_epilogue"), level.epilogue, reads_);
    epilogue_->bind(bindings_, written_);
    store_.emplace(write_spec(level, "eg_store"), level.out, vectors);
    store_->bind(bindings_, written_);
  } else {
    const int64_t words = is_arg(reduction_) ? 2 : 1;
    const int64_t first = partial_index(level, window.kept.first, window.blocks.first);
    const int64_t last =
        partial_index(level, window.kept.first + window.kept.count - 1, window.blocks.first + window.blocks.count - 1);
    const DType dtype = words == 2 ? DType::u32 : load_.dtype();
    partials_binding_ = bindings_.add_write(level.partials.get(), word_storage(dtype), false,
                                            {first * words, last * words + words - 1});
  }
  // A plain sum is so cheap that its loads decide.
  const bool loads_count = target.large_pages && level.reduction == Reduction::sum && level.prologue.code.size() == 1;
  unroll_ = loads_count ? most_unroll : unroll_of(level.prologue);
  long_prologue_ = has_long_prologue(level);
  split_ = pattern_ == ReducePattern::column_split ||
           (pattern_ == ReducePattern::column_two_level && splits_blocks(target, level));
  if (pattern_ == ReducePattern::column_two_level && !long_prologue_ && !split_) trips_ = whole_trips(level);
  plan_grid(target, level);
  add_uniforms(level);
}

void ReduceProgram::bind_shared_tiles(const ReduceLevel& level, int64_t words) {
  counters_binding_ = bindings_.add_coherent(level.counters.get(), {0, exchange_counters - 1});
  left_binding_ = bindings_.add_coherent(level.left.get(), {0, words - 1});
}

int64_t ReduceProgram::vector_count() const { return ceil_divide(window_.kept.count, columns_at_once_); }

bool ReduceProgram::has_tiles() const {
  return pattern_ == ReducePattern::column_two_level || has_shared_tiles(pattern_);
}

int64_t ReduceProgram::tiles() const { return has_tiles() ? ceil_divide(vector_count(), side_) : vector_count(); }

int64_t ReduceProgram::items() const {
  if (has_shared_tiles(pattern_)) return grid_.groups;
  const int64_t kept = is_row() ? window_.kept.count / at_once_ : tiles();
  return kept * window_.blocks.count;
}

void ReduceProgram::plan_grid(const Target& target, const ReduceLevel& level) {
  const int64_t length = std::min(level.length, level.block());
  if (has_shared_tiles(pattern_)) {
    const TilePlan plan = tile_plan(target, level);
    if (level.singly) lanes_singly_ = plan.lanes();
    tile_plan_ = plan;
    group_size_ = plan.group;
    side_ = plan.side;
    grid_ = {plan.groups(), plan.chunk};
    return;
  }
  if (pattern_ == ReducePattern::column_two_level) {
    group_size_ = two_level_group(target, level);
    side_ = two_level_vectors(target, level);
    grid_ = {std::min(items(), target.max_groups), 1};
    return;
  }
  if (pattern_ == ReducePattern::column_spread) {
    // A round is as long as shared memory allows, and short enough for every group to have one.
    group_size_ = group_size_of(target, software_group);
    slots_ = is_arg(reduction_) ? spread_items / 2 : spread_items;
    const int64_t groups = ceil_divide(target.resident_invocations, group_size_);
    const int64_t rounds = std::clamp<int64_t>(items() / groups / group_size_, 1, slots_ / group_size_);
    items_at_once_ = rounds * group_size_;
    grid_ = resident_grid(target, items(), items_at_once_, group_size_,
                          rounds * (layout::column_accumulators + 1) * (layout::column_trips + 2));
    return;
  }
  if (!is_row()) {
    group_size_ = group_size_of(target, hardware_group);
    const int64_t at_once = split_ ? group_size_ / layout::column_accumulators : group_size_;
    side_ = split_neighbours(level, at_once);
    grid_ = streaming_grid(target, items(), at_once, group_size_, layout::column_trips + 2);
    return;
  }
  if (pattern_ == ReducePattern::row_two_level) {
    group_size_ = slots_ = two_level_row_group(level);
    grid_ = {std::min(items(), target.max_groups), 1};
    return;
  }
  if (pattern_ == ReducePattern::row_together) {
    group_size_ = layout::row_lanes;
    grid_ = streaming_grid(target, items(), 1, group_size_, layout::row_trips + at_once_ * 2 + 8);
    return;
  }
  if (pattern_ == ReducePattern::row_staged) {
    staged_ = staged_rows(target, level).value();
    group_size_ = staged_.group;
    const int64_t trips = staged_.rows_each * (2 * lanes_of(length) + 1) + 2;
    grid_ = streaming_grid(target, items(), staged_.rows_at_once(), group_size_, trips);
    return;
  }
  const int64_t lanes = lanes_of(length);
  lanes_log2_ = std::countr_zero(static_cast<uint64_t>(lanes));
  if (pattern_ == ReducePattern::row_each) {
    group_size_ = group_size_of(target, hardware_group);
    grid_ = streaming_grid(target, items(), group_size_, group_size_, ceil_divide(length, vector_width) + 2 * lanes);
    return;
  }
  if (pattern_ == ReducePattern::row_short) {
    group_size_ = group_size_of(target, hardware_group);
    grid_ = streaming_grid(target, items(), group_size_ / lanes * unroll_, group_size_, 2 * unroll_ * lanes + 2);
    return;
  }
  if (pattern_ == ReducePattern::row_subgroup) return plan_subgroups(target, length);
  if (pattern_ == ReducePattern::row_serial || pattern_ == ReducePattern::row_serial_together) {
    const int64_t trips_a_lane = ceil_divide(length, lanes * vector_width);
    group_size_ = group_size_of(target, software_group);
    grid_ = resident_grid(target, items(), group_size_, group_size_, (2 + trips_a_lane) * lanes + 1);
    return;
  }
  group_size_ = group_size_of(target, target.software ? software_group : hardware_group);
  // Few blocks are spread over more groups.
  const bool few = (items() << lanes_log2_) < target.resident_invocations;
  if (!target.software && few && !level.single_pass) group_size_ = std::min(group_size_, layout::row_lanes);
  // So few lanes leave registers for more loads each, and have no others to work while they wait. Vectors that take a
  // load for each element are as many already: counts of 3.6 million, every other one, 32.5 us with more and 27.1
  // without.
  const bool is_idle = !target.software && (items() << (lanes_log2_ + 2)) <= target.resident_invocations;
  if (is_idle && load_.loads() <= 2 * static_cast<int64_t>(level.prologue.operands.size()))
    unroll_ = std::max(unroll_, long_prologue_ ? most_unroll / 2 : most_unroll);
  slots_ = std::max(layout::row_lanes, group_size_);
  const int64_t trips = (slots_ / group_size_) * (2 * layout::row_trips + lanes_log2_ + 3) + 1;
  grid_ = streaming_grid(target, items(), slots_ >> lanes_log2_, group_size_, trips);
}

/// With twice as many loads in flight as `unroll_`, as registers allow: of a row, or of several short ones.
void ReduceProgram::plan_subgroups(const Target& target, int64_t length) {
  const int64_t vectors = ceil_divide(length, subgroup_of_rows * vector_width);
  unroll_ = std::min(2 * unroll_, most_unroll);
  const bool at_once = vectors <= unroll_;  // a block has many more
  vectors_at_once_ = at_once ? vectors : 0;
  rows_at_once_ = at_once ? unroll_ / vectors : 1;
  group_size_ = group_size_of(target, hardware_group);
  grid_ = streaming_grid(target, items(), group_size_ / subgroup_of_rows * rows_at_once_, group_size_, 2 * vectors + 8);
}

void ReduceProgram::add_uniforms(const ReduceLevel& level) {
  uniforms_.add(items());
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(is_row() ? window_.blocks.count : tiles());
  uniforms_.add(window_.kept.first / (is_row() ? at_once_ : columns_at_once_));
  uniforms_.add(window_.blocks.first);
  uniforms_.add(is_row() ? lanes_log2_ : has_tiles() ? vector_count() : items_at_once_);
  uniforms_.add(lanes_singly_ > 0 ? lines_of(tile_plan_, level.length) : level.length);
  if (lanes_singly_ > 0) length_slot_ = uniforms_.add(level.length);
  load_.add_uniforms(bindings_, read_, uniforms_);
  if (indices_) indices_->add_uniforms(bindings_, read_, uniforms_);
  if (epilogue_) {
    epilogue_->add_uniforms(bindings_, written_, uniforms_);
    store_->add_uniforms(bindings_, written_, uniforms_);
    return;
  }
  const int64_t words = is_arg(reduction_) ? 2 : 1;
  partials_base_slot_ = uniforms_.add(partial_index(level, 0, 0) * words - bindings_.first_element(partials_binding_));
  partials_pitch_slot_ = uniforms_.add(is_row() ? level.blocks : level.kept);
}

std::string ReduceProgram::defines() const {
  using codegen::define;
  std::string text = accumulator_defines(reduction_, dtype()) + define("EG_GROUP_SIZE", group_size_) +
                     (is_row() ? define("EG_UNROLL", unroll_) : loads_at_once(unroll_));
  if (pattern_ == ReducePattern::row_serial) return text + define("EG_LANES", layout::row_lanes);
  if (pattern_ == ReducePattern::row_short) return text + define("EG_ROW_LANES", int64_t{1} << lanes_log2_);
  if (pattern_ == ReducePattern::row_staged)
    return text + define("EG_ROWS_EACH", staged_.rows_each) + define("EG_VECTORS", staged_.vectors) +
           define("EG_WORDS", staged_.words) + staged_macros(staged_, read_[0].count / window_.kept.count);
  if (pattern_ == ReducePattern::row_subgroup)
    return text + define("EG_LANES_EACH", (int64_t{1} << lanes_log2_) / subgroup_of_rows) +
           define("EG_VECTORS_OF_BLOCK", layout::row_block / vector_width) + define("EG_VECTORS", vectors_at_once_) +
           define("EG_ITEMS_EACH", rows_at_once_) +
           subgroup_macros(rows_at_once_, vectors_at_once_ > 0 ? vectors_at_once_ : unroll_,
                           (int64_t{1} << lanes_log2_) / subgroup_of_rows) +
           (apart_ ? define("EG_APART") : "") + shuffle_define(reduction_);
  if (pattern_ == ReducePattern::row_each)
    return text + define("EG_LANES", layout::row_lanes) + row_macros(at_once_) +
           (is_exact(reduction_, dtype()) ? define("EG_ANY_ORDER") : "");
  if (pattern_ == ReducePattern::row_together || pattern_ == ReducePattern::row_serial_together)
    return text + define("EG_LANES", layout::row_lanes) + define("EG_TRIPS", layout::row_trips) + row_macros(at_once_) +
           (read_[1].count % vector_width != 0 ? define("EG_TAIL") : "");
  if (is_row()) {
    return text + define("EG_SLOTS", slots_) + define("EG_LANES", layout::row_lanes) +
           define("EG_TRIPS", layout::row_trips) + define("EG_LANES_EACH", slots_ / group_size_) +
           (unroll_ == 1 ? define("EG_ROLLED") : "") +
           (pattern_ == ReducePattern::row_two_level ? define("EG_TWO_LEVEL") : "") +
           (pattern_ == ReducePattern::row_single_pass ? define("EG_SINGLE_PASS") : "");
  }
  if (pattern_ == ReducePattern::column_any_order)
    return text + define("EG_SIDE", side_) + (counters_binding_ >= 0 ? define("EG_SHARED_TILES") : "");
  if (pattern_ == ReducePattern::column_shared) text += define("EG_SIDE", side_) + define("EG_SHARED_TILES");
  if (pattern_ == ReducePattern::column_serial) text += define("EG_SERIAL");
  if (split_) text += define("EG_SPLIT");
  if (pattern_ == ReducePattern::column_split) text += define("EG_NEIGHBOURS", side_);
  if (pattern_ == ReducePattern::column_two_level)
    text += define("EG_TWO_LEVEL", side_) + (long_prologue_ && !split_ ? define("EG_SERIAL") : "");
  if (trips_ > 0) text += define("EG_TRIPS", trips_);
  if (pattern_ == ReducePattern::column_spread) text += define("EG_SPREAD") + define("EG_SLOTS", slots_);
  return text + define("EG_ROWS", layout::column_block) +
         accumulator_macros(static_cast<int>(layout::column_accumulators));
}

std::string ReduceProgram::element_functions() const {
  if (pattern_ == ReducePattern::row_staged)
    return "EG_ACCUMULATORS eg_elements(uint vector) { return " +
           accumulator_from(reduction_, "eg_load(vector)", "uvec4(0u)") + "; }\n";
  std::string text = "void eg_address(uint number) {\n  eg_load_address(number);\n";
  if (indices_) text += "  eg_load_index_address(number);\n";
  if (by_each_row(pattern_)) text += "  eg_load_keep();\n";
  text += "}\n";
  if (by_each_row(pattern_))
    return text + "EG_ACCUMULATORS eg_elements(vec4 x, uint e) { return " +
           accumulator_from(reduction_, "x", "uvec4(e) + uvec4(0u, 1u, 2u, 3u)") + "; }\n";
  if (pattern_ == ReducePattern::row_serial_together) return text;
  if (at_once_ > 1) return text + columns_text(at_once_);
  if (lanes_singly_ > 0) return text + line_function();
  if (apart_) return text + apart_function();
  text += "EG_ACCUMULATORS eg_elements(";
  const std::string number = is_row() ? "vector" : "r";
  text += is_row() ? "uint vector, uint e" : "uint r";
  const std::string indices = indices_   ? "eg_load_index(" + number + ")"
                              : is_row() ? "uvec4(e) + uvec4(0u, 1u, 2u, 3u)"
                                         : "uvec4(r)";
  return text + ") { return " + accumulator_from(reduction_, "eg_load(" + number + ")", indices) + "; }\n";
}

/// Elements of a row that are as far apart as a subgroup has lanes; past its end the last.
std::string ReduceProgram::apart_function() const {
  return "EG_ACCUMULATORS eg_apart(uint e) {\n  uvec4 at = min(uvec4(e) + uvec4(0u, 32u, 64u, 96u), uvec4(" +
         codegen::uniform_at(row_length_slot) + " - 1u));\n  return " +
         accumulator_from(reduction_, "vec4(eg_load(at.x), eg_load(at.y), eg_load(at.z), eg_load(at.w))", "uvec4(e)") +
         ";\n}\n";
}

/// Four rows of a column, of which the last line may have fewer.
std::string ReduceProgram::line_function() const {
  const auto apart = [&](int64_t j) { return codegen::literal(static_cast<uint64_t>(j * lanes_singly_)); };
  const std::string values(codegen::value_type(dtype(), 4)), last = codegen::uniform_at(length_slot_) + " - 1u";
  return "EG_ACCUMULATORS eg_elements(uint line) {\n  uint r = line / " + apart(1) + " * " + apart(4) + " + line % " +
         apart(1) + ", last = " + last + ";\n  uvec4 rows = uvec4(r, r + " + apart(1) + ", r + " + apart(2) + ", r + " +
         apart(3) + "), at = min(rows, uvec4(last));\n  " + values + " x = " + values +
         "(eg_load(at.x), eg_load(at.y), eg_load(at.z), eg_load(at.w));\n  EG_ACCUMULATORS a = " +
         accumulator_from(reduction_, "x", "rows") +
         ";\n  if (rows.w <= last) return a;\n  return eg_mask(a, (last - r) / " + apart(1) + " + 1u);\n}\n";
}

std::string ReduceProgram::epilogue_finish() const {
  const int width = is_row() || at_once_ > 1 || lanes_singly_ > 0 ? 1 : 4;
  const std::string accumulator = epilogue_->reads_accumulator() ? accumulator_of(reduction_, width, "result") : "";
  const auto stored_at = [&](const std::string& number, const std::string& component) {
    return "  eg_store(" + number + ", eg_epilogue(" + number +
           (accumulator.empty() ? "" : ", " + accumulator + component) + "));\n";
  };
  const auto stored = [&](const std::string& number) { return stored_at(number, "") + "}\n"; };
  if (!is_row() && at_once_ > 1) {
    std::string text = "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n";
    for (int64_t j = 0; j < at_once_; ++j) text += stored_at(column_text(j), std::string(".") + "xyzw"[j]);
    return text + "}\n";
  }
  if (lanes_singly_ > 0)
    return "void eg_finish(uint vector, uint block, EG_ACCUMULATORS rows) {\n  EG_ACCUMULATOR result = "
           "eg_fold(rows);\n" +
           stored("vector");
  if (pattern_ == ReducePattern::row_single_pass) return "void eg_deliver(EG_ACCUMULATOR result) {\n" + stored("0u");
  return is_row() ? "void eg_finish(uint row, uint block, EG_ACCUMULATOR result) {\n" + stored("row")
                  : "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n" + stored("vector");
}

std::string ReduceProgram::partial_finish() const {
  const std::string pitch = codegen::uniform_at(partials_pitch_slot_);
  if (is_row())
    return "void eg_finish(uint row, uint block, EG_ACCUMULATOR result) {\n  eg_store_partial(row * " + pitch +
           " + block, result);\n}\n";
  std::string text = "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n";
  for (int64_t j = 0; j < columns_at_once_; ++j) {
    const std::string place = column_text(j);
    text += "  if (" + place + " < " + pitch + ") eg_store_partial(block * " + pitch + " + " + place + ", " +
            component_of(reduction_, "result", "xyzw"[j]) + ");\n";
  }
  return text + "}\n";
}

std::string ReduceProgram::column_text(int64_t j) const {
  return "vector * " + std::to_string(columns_at_once_) + "u + " + std::to_string(j) + "u";
}

/// How the groups of a single-pass level exchange results.
std::string ReduceProgram::exchange_functions() const {
  const std::string block = codegen::block_name(partials_binding_);
  const std::string place = block + "[" + std::to_string(exchange_counters) + "u + number]";
  const DType dtype = codegen::combined_as(this->dtype());
  return "uint eg_arrive(uint counter, uint count) { return atomicAdd(" + block + "[counter], count); }\n" +
         "void eg_reset(uint counter) { " + block + "[counter] = 0u; }\n" +
         "EG_ACCUMULATOR eg_read_partial(uint number) { return " + codegen::from_bits(dtype, place) + "; }\n" +
         "void eg_finish(uint row, uint number, EG_ACCUMULATOR result) { " + place + " = " +
         codegen::to_bits(dtype, "result") + "; }\n";
}

std::string ReduceProgram::holes() const {
  std::string holes = load_.text(bindings_);
  if (indices_) holes += indices_->text(bindings_);
  holes += accumulator_functions(reduction_, dtype(), custom_) + element_functions();
  if (pattern_ == ReducePattern::row_single_pass) holes += exchange_functions();
  if (counters_binding_ >= 0) holes += shared_tile_functions(reduction_, dtype(), counters_binding_, left_binding_);
  if (epilogue_) {
    holes += epilogue_->text(bindings_) + store_->text(bindings_) + epilogue_finish();
  } else {
    holes += partial_function(reduction_, dtype(), codegen::block_name(partials_binding_), partials_base_slot_) +
             partial_finish();
  }
  return holes;
}

Dispatch ReduceProgram::dispatch() const {
  const std::string combine = custom_ ? custom_->name : std::string(name_of(reduction_));
  const std::string name = std::string(pattern_ == ReducePattern::row_each ? "reduce_row_each "
                                       : is_row() && at_once_ > 1          ? "reduce_row_together "
                                       : is_row()                          ? "reduce_row "
                                       : at_once_ > 1                      ? "reduce_column_together "
                                       : lanes_singly_ > 0                 ? "reduce_column_singly "
                                                                           : "reduce_column ") +
                           combine + " " + std::string(name_of(dtype()));
  Dispatch dispatch = dispatch_of(
      name, {std::string(template_name(pattern_)), defines(), holes(), pattern_ == ReducePattern::row_subgroup},
      bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
