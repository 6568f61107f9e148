#include "lower/attention/gradient/program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/attention/gradient/text.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;
using codegen::uniform_at;

/// What both forms have in common: see glsl/attention/attention_gradient_serial.comp. Numbers past the last stand for
/// the last, whose share is then 0. Exponents are of 2: a score takes a product, a difference and the device's exp2.
constexpr const char* gradient_functions = R"(
uint eg_row(uint row) { return min(row, EG_ROWS - 1u); }
uint eg_column(uint column) { return min(column, EG_COLUMNS - 1u); }
float eg_base(uint row) { return 1.44269504 * eg_logsumexp_at(eg_row(row), 0u); }
float eg_delta(uint row) { return eg_delta_at(eg_row(row), 0u); }
float eg_weight(float product, float base) { return eg_exp2_near(product * (EG_SCALE * 1.44269504) - base); }
vec4 eg_shares(vec4 x, vec4 base) {
  return vec4(eg_weight(x.x, base.x), eg_weight(x.y, base.y), eg_weight(x.z, base.z), eg_weight(x.w, base.w));
}
vec4 eg_shares(vec4 x, float base) { return eg_shares(x, vec4(base)); }
)";

}  // namespace

AttentionGradientProgram::AttentionGradientProgram(const Target& target, const AttentionGradientPart& part,
                                                   const AttentionGradientTile& tile, bool vectors)
    : BoundProgram(target, vectors, tile.serial && target.texel_reads),
      part_(part),
      kernel_(part.kernel),
      tile_(tile),
      q_("q", kernel_.q, 1, vectors),
      k_("k", kernel_.k, kernel_.key_share, vectors),
      v_("v", kernel_.v, kernel_.value_share, vectors),
      cotangent_("g", kernel_.cotangent, 1, vectors),
      logsumexp_("logsumexp", kernel_.logsumexp, 1, false),
      delta_("delta", kernel_.delta, 1, false) {
  if (kernel_.mask.buffer) mask_.emplace("mask", kernel_.mask, 1, false);
  for_each_operand([&](AttentionOperand& x) { x.bind(bindings_, {part.first_head, kernel_.heads}); });
  bind_results();
  add_uniforms();
  for_each_operand([&](AttentionOperand& x) { x.add_uniforms(bindings_, uniforms_); });
  for (Result* x : {&out_, &second_, &others_})
    if (x->block >= 0) add_uniforms(*x);
}

void AttentionGradientProgram::add_uniforms() {
  const int64_t tiles = tiles_of(kernel_, tile_);
  slots_ = {slot(kernel_.rows),
            slot(kernel_.columns),
            slot(kernel_.features),
            slot(kernel_.results),
            slot(tiles),
            slot(part_.first_head),
            slot(kernel_.together),
            slot(part_.diagonal),
            uniforms_.add_parameter(kernel_.scale),
            slot(tile_.parts),
            slot(turns_of(kernel_, tile_))};
}

void AttentionGradientProgram::bind_results() {
  out_.at = "eg_out_at";
  second_.at = "eg_second_at";
  others_.at = "eg_others_at";
  out_.head = second_.head = "group";
  others_.head = "head";
  if (tile_.of_all) return bind_results_of_all();
  bind_result(out_, kernel_.out, kernel_.features);
  if (tile_.of_keys) bind_result(second_, kernel_.second, kernel_.results);
}

/// k's and v's gradients lie in one block, and parts of q's one behind the other.
void AttentionGradientProgram::bind_results_of_all() {
  others_.layout = kernel_.out.layout;
  out_.layout = kernel_.second.layout;
  second_.layout = kernel_.third;
  layout::Reach parts = layout::reach(others_.layout), both = layout::reach(out_.layout);
  if (tile_.parts > 1) others_.part = others_.layout.size();
  parts.last += (tile_.parts - 1) * others_.part;
  both.last = layout::reach(second_.layout).last;
  others_.vectors = reads_vectors(others_.layout);
  out_.vectors = second_.vectors = reads_vectors(out_.layout) && reads_vectors(second_.layout);
  others_.block = bindings_.add_write(kernel_.out.buffer.get(), StorageType::f32, others_.vectors, parts);
  out_.block = second_.block = bindings_.add_write(kernel_.second.buffer.get(), StorageType::f32, out_.vectors, both);
}

template <class Visit>
void AttentionGradientProgram::for_each_operand(Visit visit) {
  for (AttentionOperand* x : {&q_, &k_, &v_, &cotangent_, &logsumexp_, &delta_}) visit(*x);
  if (mask_) visit(*mask_);
}

/// Of contiguous lines of so many elements.
void AttentionGradientProgram::bind_result(Result& result, const Strided& x, int64_t width) {
  const int64_t heads = kernel_.heads / std::max<int64_t>(1, kernel_.together);
  result.layout = layout::contiguous({1, heads, lines_of(kernel_), width}, x.layout.offset);
  result.vectors = reads_vectors(result.layout);
  result.block = bindings_.add_write(x.buffer.get(), x.storage, result.vectors, layout::reach(result.layout));
}

void AttentionGradientProgram::add_uniforms(Result& result) {
  const Layout& x = result.layout;
  result.base = slot(x.offset - bindings_.first_element(result.block));
  result.heads = slot(x.shape[1]);
  for (size_t axis = 0; axis < 3; ++axis) result.pitches[axis] = slot(x.strides[axis]);
  result.width = slot(x.shape[3]);
  result.part_slot = slot(result.part);
}

std::string AttentionGradientProgram::head_text() const {
  std::string variables = "uint eg_part;\n", results;
  for (const Result* x : {&out_, &second_, &others_}) {
    if (x->block < 0) continue;
    variables += std::string("uint ") + x->at + ";\n";
    results += head_of_result(*x);
  }
  return variables + "void eg_head(uint head) {\n  uint group = head / EG_TOGETHER;\n" + results +
         "  head += " + uniform_at(slots_.first_head) +
         ";\n  eg_q_head(head);\n  eg_k_head(head);\n  eg_v_head(head);\n  eg_g_head(head);\n"
         "  eg_logsumexp_head(head);\n  eg_delta_head(head);\n" +
         (mask_ ? "  eg_mask_head(head);\n" : "") + "}\n";
}

/// eg_begin, eg_end and eg_hides_none.
std::string AttentionGradientProgram::range_text() const {
  const std::string diagonal = "int(" + uniform_at(slots_.diagonal) + ")";
  const bool of_keys = tile_.of_keys, causal = kernel_.causal;
  std::string begin = "0u", end = "EG_ALL_OTHERS", all = "other + EG_TILE_OTHERS <= EG_ALL_OTHERS";
  if (causal && of_keys) begin = "uint(clamp(int(line) - " + diagonal + ", 0, int(EG_ALL_OTHERS)))";
  if (tile_.of_all) begin += " / EG_TILE_OTHERS * EG_TILE_OTHERS";  // the same invocation adds to the same elements
  if (causal && !of_keys) end = "uint(clamp(int(min(line, EG_ALL_LINES)) + " + diagonal + ", 0, int(EG_ALL_OTHERS)))";
  if (causal && of_keys) all += " && int(line + EG_TILE_LINES) <= int(other) + 1 + " + diagonal;
  if (causal && !of_keys) all += " && int(other + EG_TILE_OTHERS) <= int(line) + 1 + " + diagonal;
  if (mask_) all = "false";
  return "uint eg_begin(uint line) { return " + begin + "; }\nuint eg_end(uint line) { return " + end +
         "; }\nbool eg_hides_none(uint line, uint other) { return " + all + "; }\n";
}

std::string AttentionGradientProgram::share_text() const {
  std::string text = std::string("float eg_share(uint line, uint other, float product, float base) {\n  uint row = ") +
                     (tile_.of_keys ? "other, column = line" : "line, column = other") +
                     ";\n  bool hidden = row >= EG_ROWS || column >= EG_COLUMNS;\n";
  if (kernel_.causal)
    text += "  hidden = hidden || int(column) > int(row) + int(" + uniform_at(slots_.diagonal) + ");\n";
  const std::string masked = "eg_mask_at(eg_row(row), eg_column(column))";
  if (mask_ && kernel_.mask.dtype() == DType::boolean) text += "  hidden = hidden || " + masked + " == 0u;\n";
  if (mask_ && kernel_.mask.dtype() != DType::boolean)
    text += "  float add = " + masked +
            ";\n  hidden = hidden || floatBitsToUint(add) == 0xff800000u;\n  base -= add * 1.44269504;\n";
  return text + "  return hidden ? 0.0 : eg_weight(product, base);\n}\n";
}

/// Where a head's lines begin.
std::string AttentionGradientProgram::head_of_result(const Result& result) const {
  const std::string head = result.head, heads = uniform_at(result.heads);
  std::string text = std::string("  ") + result.at + " = " + uniform_at(result.base) + " + " + head + " / " + heads +
                     " * " + uniform_at(result.pitches[0]) + " + " + head + " % " + heads + " * " +
                     uniform_at(result.pitches[1]);
  if (result.part > 0) text += " + eg_part * " + uniform_at(result.part_slot);
  return text + ";\n";
}

/// A function that puts four elements, from e on, of a line, or adds them to what is there.
std::string AttentionGradientProgram::result_text(const std::string& function, const Result& result) const {
  const bool adds = function.find("bool adds") != std::string::npos;
  std::string text = "void " + function + " {\n";
  if (result.block < 0) return text + "}\n";
  const std::string width = uniform_at(result.width), block = codegen::block_name(result.block);
  text += "  if (e >= " + width + ") return;\n  uint at = " + std::string(result.at) + " + line * " +
          uniform_at(result.pitches[2]) + " + e;\n";
  const auto put = [&](const std::string& at, const std::string& x) {
    const std::string place = block + "[" + at + "]";
    return place + " = " + (adds ? "adds ? " + place + " + " + x + " : " : "") + x + ";\n";
  };
  if (result.vectors) return text + "  " + put("at >> 2", "x") + "}\n";
  for (int j = 0; j < 4; ++j) {
    const std::string number = std::to_string(j) + "u";
    text += "  if (e + " + number + " < " + width + ") " +
            put("at + " + number, std::string("x.") + "xyzw"[static_cast<size_t>(j)]);
  }
  return text + "}\n";
}

/// Tiles of q with most columns come first. Parts of all take a tile each in turn, there and back, so that each has as
/// many long and short ones.
std::string AttentionGradientProgram::tile_number() const {
  const std::string parts = uniform_at(slots_.parts);
  if (tile_.of_all) return "((turn) * " + parts + " + ((turn) % 2u == 0u ? (group) : " + parts + " - 1u - (group)))";
  return tile_.of_keys ? "(group)" : "(" + uniform_at(slots_.tiles) + " - 1u - (group))";
}

/// What is past the last line is multiplied by shares that are 0.
std::string AttentionGradientProgram::line_value_text() const {
  return "vec4 eg_line_value(uint line, uint e) { return line < EG_ALL_LINES ? EG_LINE_A(line, e) : vec4(0.0); }\n";
}

/// What lines and others are: of rows q and the cotangent, of columns k and v.
std::string AttentionGradientProgram::defines() const {
  const bool of_keys = tile_.of_keys;
  const auto of_rows = [&](const std::string& kind, const char* letter, const char* operand) {
    return define("EG_" + kind + letter + "(row, f)", std::string("eg_") + operand + "(eg_row(row), f)");
  };
  const auto of_columns = [&](const std::string& kind, const char* letter, const char* operand) {
    return define("EG_" + kind + letter + "(column, f)", std::string("eg_") + operand + "(eg_column(column), f)");
  };
  const std::string rows = of_keys ? "OTHER_" : "LINE_", columns = of_keys ? "LINE_" : "OTHER_";
  const auto value = [](const char* letter) {
    const std::string of(letter);
    return define("EG_VALUE_" + of + "(other, e, end)",
                  "((other) < (end) ? EG_OTHER_" + of + "(other, e) : vec4(0.0))");
  };
  return define("EG_ROWS", uniform_at(slots_.rows)) + define("EG_COLUMNS", uniform_at(slots_.columns)) +
         define("EG_ALL_LINES", of_keys ? "EG_COLUMNS" : "EG_ROWS") +
         define("EG_ALL_OTHERS", of_keys ? "EG_ROWS" : "EG_COLUMNS") +
         define("EG_FEATURES", uniform_at(slots_.features)) + define("EG_RESULTS", uniform_at(slots_.results)) +
         define("EG_TOGETHER", of_keys ? uniform_at(slots_.together) : std::string("1u")) +
         define("EG_TILE_OF(group, turn)", tile_number()) +
         define("EG_TURNS", tile_.of_all ? uniform_at(slots_.turns) : std::string("1u")) +
         define("EG_SCALE", "uintBitsToFloat(" + uniform_at(slots_.scale) + ")") + of_rows(rows, "A", "q") +
         of_rows(rows, "B", "g") + of_columns(columns, "A", "k") + of_columns(columns, "B", "v") + value("A") +
         value("B") + attention_gradient_text(tile_);
}

codegen::SourceParts AttentionGradientProgram::parts() const {
  std::string holes;
  for (const AttentionOperand* x : {&q_, &k_, &v_, &cotangent_}) holes += x->text(bindings_, true);
  for (const AttentionOperand* x : {&logsumexp_, &delta_}) holes += x->text_of_one(bindings_);
  if (mask_) holes += mask_->text_of_one(bindings_);
  holes += head_text() + gradient_functions + range_text() + share_text() +
           result_text("eg_put(uint line, uint e, vec4 x)", out_) +
           result_text("eg_put_second(uint line, uint e, vec4 x)", second_);
  if (tile_.of_all)
    holes += line_value_text() + result_text("eg_put_other(uint line, uint e, vec4 x, bool adds)", others_);
  return {tile_.serial ? "attention_gradient_serial.comp" : "attention_gradient_tile.comp", defines(),
          std::move(holes)};
}

Dispatch AttentionGradientProgram::dispatch() const {
  const char* of = tile_.of_all ? "q, k and v" : tile_.of_keys ? "k and v" : "q";
  Dispatch dispatch = dispatch_of(std::string("attention gradient of ") + of + " f32", parts(), bindings_, uniforms_);
  const int64_t heads = kernel_.heads / std::max<int64_t>(1, kernel_.together);
  const int64_t parts_of_lines = std::max(ceil_divide(kernel_.features, 4 * tile_.out_vectors),
                                          tile_.of_keys ? ceil_divide(kernel_.results, 4 * tile_.second_vectors) : 1);
  dispatch.groups = {static_cast<uint32_t>(heads),
                     static_cast<uint32_t>(tile_.of_all ? tile_.parts : tiles_of(kernel_, tile_)),
                     static_cast<uint32_t>(tile_.serial ? parts_of_lines : 1)};
  return dispatch;
}

}  // namespace eglantine::lower
