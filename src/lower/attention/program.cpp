#include "lower/attention/program.hpp"

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/attention/text.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;
using codegen::uniform_at;

codegen::AddressSpec spec_of(const char* name, const Shape& domain, bool vectors) {
  codegen::AddressSpec spec{name, domain, {{0, domain.rank()}}, vectors ? 4 : 1};
  spec.whole = vectors;
  return spec;
}

/// What all forms have in common: see glsl/attention/attention_serial.comp. A visible -infinity, or NaN, counts as the
/// least float where the largest is looked for: a row of them is NaN, and not one that sees nothing.
constexpr const char* forward_functions = R"(
bool eg_is_hidden(float x) { return floatBitsToUint(x) == 0xff800000u; }
uint eg_row(uint row) { return min(row, EG_ALL_ROWS - 1u); }
uint eg_column(uint column) { return min(column, EG_COLUMNS - 1u); }
vec4 eg_value(uint column, uint e, uint end) {
  vec4 value = eg_v(eg_column(column), e);
  return column < end ? value : vec4(0.0);
}
float eg_counted(float x) { return x > -3.40282347e38 ? x : -3.40282347e38; }
float eg_largest(float own, vec4 x) {
  return max(own, max(max(x.x, x.y), max(x.z, x.w)));
}
float eg_base(float largest) { return eg_is_hidden(largest) ? 0.0 : largest; }
vec4 eg_shares(vec4 x) { return vec4(eg_weight(x.x), eg_weight(x.y), eg_weight(x.z), eg_weight(x.w)); }
float eg_rescale(float before, float largest) { return before == largest ? 1.0 : eg_weight(before - largest); }
vec4 eg_normalized(vec4 sum, float largest, float share) { return eg_is_hidden(largest) ? vec4(0.0) : sum * share; }
)";

/// What sums are multiplied by at the end.
constexpr const char* of_all = R"(
float eg_share_of(float largest, float total) { return eg_is_hidden(largest) ? 0.0 : 1.0 / total; }
)";
constexpr const char* of_some = R"(
float eg_share_of(float largest, float total) { return 1.0; }
)";

}  // namespace

AttentionProgram::AttentionProgram(const Target& target, const AttentionPart& part, const AttentionTile& tile,
                                   bool vectors)
    : BoundProgram(target, vectors, tile.serial() && target.texel_reads),
      part_(part),
      kernel_(part.kernel),
      tile_(tile),
      vector_results_(kernel_.results % vector_width == 0),
      q_("q", kernel_.q, 1, vectors),
      k_("k", kernel_.k, kernel_.key_share, vectors),
      v_("v", kernel_.v, kernel_.value_share, vectors),
      epilogue_(spec_of("eg_epilogue", kernel_.epilogue.domain, vector_results_), kernel_.epilogue, reads_),
      store_(spec_of("eg_store", kernel_.epilogue.domain, vector_results_), kernel_.out, true),
      results_{{0, kernel_.epilogue.domain.elements()}} {
  if (kernel_.mask.buffer) mask_.emplace("mask", kernel_.mask, 1, false);
  bind();
  add_uniforms();
}

void AttentionProgram::bind() {
  const Window heads{part_.first_head, kernel_.heads};
  q_.bind(bindings_, heads);
  k_.bind(bindings_, heads);
  v_.bind(bindings_, heads);
  if (mask_) mask_->bind(bindings_, heads);
  epilogue_.bind(bindings_, results_);
  store_.bind(bindings_, results_);
  if (!kernel_.second.buffer) return;
  logsumexp_ = bindings_.add_write(kernel_.second.buffer.get(), kernel_.second.storage, false,
                                   layout::reach(kernel_.second.layout));
}

void AttentionProgram::add_uniforms() {
  slots_ = {slot(kernel_.rows),
            slot(kernel_.columns),
            slot(kernel_.features),
            slot(kernel_.results),
            slot(ceil_divide(kernel_.rows, tile_.tile_rows())),
            slot(part_.first_head),
            slot(part_.diagonal),
            uniforms_.add_parameter(kernel_.scale),
            -1,
            logsumexp_ < 0 ? -1 : slot(kernel_.second.layout.offset - bindings_.first_element(logsumexp_)),
            -1};
  if (tile_.heads > 1 || part_.split > 0) slots_.heads = slot(kernel_.heads);
  if (part_.split > 0) slots_.split = slot(part_.split);
  q_.add_uniforms(bindings_, uniforms_);
  k_.add_uniforms(bindings_, uniforms_);
  v_.add_uniforms(bindings_, uniforms_);
  if (mask_) mask_->add_uniforms(bindings_, uniforms_);
  epilogue_.add_uniforms(bindings_, results_, uniforms_);
  store_.add_uniforms(bindings_, results_, uniforms_);
}

/// eg_head, eg_end, eg_hides_none and eg_score.
std::string AttentionProgram::score_text() const {
  const std::string diagonal = "int(" + uniform_at(slots_.diagonal) + ")";
  const bool splits = part_.split > 0;
  std::string text =
      std::string("uint eg_result_head;\n") + (splits ? "uint eg_first_column;\n" : "") +
      "void eg_head(uint head, uint split) {\n  eg_result_head = head" +
      (splits ? " + split * EG_ALL_HEADS;\n  eg_first_column = split * " + uniform_at(slots_.split) : "") +
      ";\n  head += " + uniform_at(slots_.first_head) +
      ";\n  eg_q_head(head);\n  eg_k_head(head);\n  eg_v_head(head);\n" + (mask_ ? "  eg_mask_head(head);\n" : "") +
      "}\nuint eg_end(uint row) {\n  return ";
  const std::string end = kernel_.causal
                              ? "uint(clamp(int(min(row, EG_ALL_ROWS)) + " + diagonal + ", 0, int(EG_COLUMNS)))"
                              : std::string("EG_COLUMNS");
  text += part_.split > 0 ? "min(" + end + ", EG_FIRST_COLUMN + " + uniform_at(slots_.split) + ")" : end;
  text += ";\n}\nbool eg_hides_none(uint row, uint end) {\n  return ";
  text += mask_ ? "false" : "end <= EG_COLUMNS" + (kernel_.causal ? " && int(end) <= int(row) + 1 + " + diagonal : "");
  text +=
      ";\n}\nfloat eg_score(uint row, uint column, float product, inout float own) {\n"
      "  float s = product * EG_SCALE;\n  bool hidden = column >= EG_COLUMNS;\n";
  if (kernel_.causal) text += "  hidden = hidden || int(column) > int(row) + " + diagonal + ";\n";
  const std::string masked = "eg_mask_at(eg_row(row), eg_column(column))";
  if (mask_ && kernel_.mask.dtype() == DType::boolean) text += "  hidden = hidden || " + masked + " == 0u;\n";
  if (mask_ && kernel_.mask.dtype() != DType::boolean)
    text += "  float add = " + masked + ";\n  hidden = hidden || eg_is_hidden(add);\n  s += add;\n";
  return text + "  own = hidden ? own : max(own, eg_counted(s));\n  return hidden ? -eg_infinity() : s;\n}\n";
}

std::string AttentionProgram::result_text() const {
  const auto store = [&](const std::string& at, const std::string& value) {
    const std::string argument = epilogue_.reads_accumulator() ? ", " + value : "";
    return "eg_store(" + at + ", eg_epilogue(" + at + argument + "));\n";
  };
  std::string text =
      "void eg_result(uint row, uint e, vec4 x) {\n  if (e >= EG_ALL_RESULTS) return;\n"
      "  uint at = (eg_result_head * EG_ALL_ROWS + row) * EG_ALL_RESULTS + e;\n";
  if (vector_results_) return text + "  " + store("at >> 2", "x") + "}\n";
  for (int j = 0; j < 4; ++j) {
    const std::string number = std::to_string(j) + "u";
    text += "  if (e + " + number + " < EG_ALL_RESULTS) " +
            store("at + " + number, std::string("x.") + "xyzw"[static_cast<size_t>(j)]);
  }
  return text + "}\n";
}

std::string AttentionProgram::logsumexp_text() const {
  const std::string start = "void eg_put_logsumexp(uint row, float largest, float total) {\n";
  if (logsumexp_ < 0) return start + "}\n";
  const std::string at = codegen::block_name(logsumexp_) + "[" + uniform_at(slots_.logsumexp) + " + ",
                    row = "(eg_result_head * EG_ALL_ROWS + row)";
  if (part_.partial)
    return start + "  " + at + "2u * " + row + "] = largest;\n  " + at + "2u * " + row + " + 1u] = total;\n}\n";
  return start + "  " + at + row + "] = eg_is_hidden(largest) ? largest : largest + eg_log(total);\n}\n";
}

/// In the form of rows queries are multiplied by it, once, otherwise scores.
std::string AttentionProgram::scale_text() const {
  const std::string scale = "uintBitsToFloat(" + uniform_at(slots_.scale) + ")";
  if (tile_.form != AttentionTile::Form::rows) return define("EG_SCALE", scale);
  return define("EG_QUERY_SCALE", scale) + define("EG_SCALE", "1.0");
}

codegen::SourceParts AttentionProgram::parts() const {
  const std::string defines =
      define("EG_ALL_ROWS", uniform_at(slots_.rows)) + define("EG_COLUMNS", uniform_at(slots_.columns)) +
      define("EG_FEATURES", uniform_at(slots_.features)) + define("EG_ALL_RESULTS", uniform_at(slots_.results)) +
      define("EG_TILES", uniform_at(slots_.tiles)) +
      (slots_.heads >= 0 ? define("EG_ALL_HEADS", uniform_at(slots_.heads)) : "") +
      (tile_.serial() ? "" : define("EG_FIRST_COLUMN", part_.split > 0 ? "eg_first_column" : "0u")) + scale_text() +
      attention_text(tile_);
  const bool serial = tile_.serial(), rows = tile_.form == AttentionTile::Form::rows;
  const bool past_results = !serial || ceil_divide(kernel_.results, vector_width) % tile_.result_vectors != 0;
  std::string holes = q_.text(bindings_, !serial) + k_.text(bindings_, !serial) + v_.text(bindings_, past_results);
  if (mask_) holes += mask_->text_of_one(bindings_);
  holes += std::string("float eg_weight(float x) { return ") + (serial ? "eg_exp(x)" : "eg_exp_near(x)") + "; }\n";
  holes += std::string(forward_functions) + (part_.partial ? of_some : of_all) + score_text() +
           epilogue_.text(bindings_) + store_.text(bindings_) + result_text() + logsumexp_text();
  return {serial ? "attention_serial.comp"
          : rows ? "attention_rows.comp"
                 : "attention_tile.comp",
          defines, std::move(holes), tile_.shuffles};
}

Dispatch AttentionProgram::dispatch() const {
  Dispatch dispatch = dispatch_of("attention f32", parts(), bindings_, uniforms_);
  dispatch.groups = {
      static_cast<uint32_t>(ceil_divide(kernel_.heads, tile_.heads)),
      static_cast<uint32_t>(ceil_divide(kernel_.rows, tile_.tile_rows())),
      static_cast<uint32_t>(tile_.serial() ? ceil_divide(kernel_.results, 4 * tile_.result_vectors) : part_.splits())};
  return dispatch;
}

}  // namespace eglantine::lower
