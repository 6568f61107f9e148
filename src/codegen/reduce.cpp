#include "codegen/reduce.hpp"

#include <bit>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "graph/op_info.hpp"

namespace eglantine::codegen {

namespace {

/// The uniforms every program starts with, and the macros of the templates that name them.
enum Slot : int { tasks_slot, chunk_slot, inner_slot, kept_slot, block_slot, count_slot, lanes_slot, bits_slot, total_slot, blocks_slot };

std::string identity_text(Reduction reduction, DType dtype) {
  const bool real = dtype == DType::f32, signed_integer = dtype == DType::i32;
  switch (reduction) {
    case Reduction::sum: return real ? "uintBitsToFloat(0x80000000u)" : signed_integer ? "0" : "0u";
    case Reduction::prod: return real ? "1.0" : signed_integer ? "1" : "1u";
    case Reduction::max:
    case Reduction::argmax: return real ? "uintBitsToFloat(0xff800000u)" : signed_integer ? "int(0x80000000u)" : "0u";
    case Reduction::min:
    case Reduction::argmin: return real ? "uintBitsToFloat(0x7f800000u)" : signed_integer ? "0x7fffffff" : "0xffffffffu";
    case Reduction::any: return "false";
    case Reduction::all: return "true";
  }
  return "";
}

/// Whether value a comes before value b: larger (or smaller), or the one NaN.
std::string beats_text(Reduction reduction, DType dtype) {
  const std::string type(value_type(dtype, 1)), order = reduction == Reduction::argmax ? "a > b" : "a < b";
  const std::string body = dtype == DType::f32 ? "eg_isnan(a) ? !eg_isnan(b) : (!eg_isnan(b) && " + order + ")" : order;
  return "bool eg_beats(" + type + " a, " + type + " b) { return " + body + "; }\n";
}

constexpr const char* results[] = {"a", "b", "c", "d"};

}  // namespace

int64_t ReduceLevel::block() const { return pattern == ReducePattern::columns ? layout::column_block : layout::row_block; }

ReduceProgram::ReduceProgram(const ReduceLevel& level, const ReduceTasks& tasks, const ReduceShape& shape, int64_t max_bytes, int64_t alignment)
    : level_(level), shape_(shape), bindings_(max_bytes, alignment) {
  const int64_t units = (tasks.kept.count + 3) / 4;
  const int64_t inner = columns() ? units : tasks.blocks.count;
  uniforms_.add((columns() ? units : tasks.kept.count) * tasks.blocks.count);
  uniforms_.add(level.pattern == ReducePattern::serial ? shape.first_task : shape.chunk);
  uniforms_.add(inner);
  uniforms_.add(columns() ? tasks.kept.first / 4 : tasks.kept.first);
  uniforms_.add(tasks.blocks.first);
  uniforms_.add(level.count);
  uniforms_.add(shape.lanes);
  uniforms_.add(std::bit_width(static_cast<uint64_t>(shape.lanes)) - 1);
  uniforms_.add(level.kept);
  uniforms_.add(level.blocks());
  bind(tasks);
}

void ReduceProgram::bind(const ReduceTasks& tasks) {
  const int64_t first = tasks.blocks.first * level_.block();
  const Numbers reduced{first, std::min(level_.count, (tasks.blocks.first + tasks.blocks.count) * level_.block()) - first};
  const auto words_of = [&](int64_t row, int64_t rows, int64_t column, int64_t across, int64_t pitch, int64_t words) {
    return layout::Reach{(row * pitch + column) * words, ((row + rows - 1) * pitch + column + across) * words - 1};
  };
  const auto box = [&](const Numbers& e, int64_t pitch, int64_t words) {
    return columns() ? words_of(e.first, e.count, tasks.kept.first, tasks.kept.count, level_.kept, words)
                     : words_of(tasks.kept.first, tasks.kept.count, e.first, e.count, pitch, words);
  };
  const std::vector<Numbers> parts{tasks.kept, reduced};
  const std::vector<Numbers> kept{tasks.kept};
  if (level_.from_pairs) {
    input_binding_ = bindings_.add_read(level_.from_pairs.get(), DType::u32, false, box(reduced, level_.count, 2));
  } else {
    const int rank = level_.producer.domain.rank();
    AddressSpec spec{"eg_load", level_.producer.domain, {{0, level_.kept_rank}, {level_.kept_rank, rank - level_.kept_rank}}, 4, columns() ? 0 : 1};
    loader_.emplace(spec, level_.producer, true);
    loader_->bind(bindings_, parts);
  }
  if (level_.to_partials) {
    const DType stored = level_.pairs() ? DType::u32 : level_.dtype;
    partial_binding_ = bindings_.add_write(level_.to_partials.get(), stored, false, box(tasks.blocks, level_.blocks(), level_.pairs() ? 2 : 1));
  } else {
    const AddressSpec spec{"eg_consume", level_.consumer.domain, {{0, level_.consumer.domain.rank()}}, columns() ? 4 : 1, 0};
    consumer_.emplace(spec, level_.consumer, true);
    consumer_->bind(bindings_, kept);
    AddressSpec out = spec;
    out.name = "eg_sink";
    sink_.emplace(out, level_.out, true);
    sink_->bind(bindings_, kept);
  }
  if (loader_) loader_->place(bindings_, parts, uniforms_);
  if (consumer_) consumer_->place(bindings_, kept, uniforms_);
  if (sink_) sink_->place(bindings_, kept, uniforms_);
  if (input_binding_ >= 0) input_slot_ = uniforms_.add(bindings_.first_element(input_binding_));
  if (partial_binding_ >= 0) partial_slot_ = uniforms_.add(bindings_.first_element(partial_binding_));
}

std::string ReduceProgram::key() const {
  std::string key = std::string("reduce") + static_cast<char>(level_.pattern) + std::string(name_of(level_.reduction)) + letter_of(level_.dtype);
  key += std::to_string(shape_.size) + (level_.pattern == ReducePattern::slices ? "/" + std::to_string(shape_.slice) + "/" + std::to_string(shape_.lanes) : "");
  key += level_.from_pairs ? "p" : "";
  key += level_.to_partials ? "t" : "";
  if (loader_) key += "|" + loader_->key();
  if (consumer_) key += "|" + consumer_->key() + "|" + sink_->key();
  return key + "|" + bindings_.key();
}

std::string ReduceProgram::defines() const {
  std::string text;
  const auto define = [&](const char* name, const std::string& value) { text += std::string("#define ") + name + " " + value + "\n"; };
  define("EG_SIZE", literal(static_cast<uint64_t>(shape_.size)));
  define("EG_BLOCK", literal(static_cast<uint64_t>(level_.block())));
  define("EG_ACCUMULATORS", literal(static_cast<uint64_t>(layout::column_accumulators)));
  define("EG_TASKS", uniform_at(tasks_slot));
  define(level_.pattern == ReducePattern::serial ? "EG_FIRST_TASK" : "EG_CHUNK", uniform_at(chunk_slot));
  define(columns() ? "EG_UNITS" : "EG_BLOCKS", uniform_at(inner_slot));
  define(columns() ? "EG_FIRST_UNIT" : "EG_FIRST_ROW", uniform_at(kept_slot));
  define("EG_FIRST_BLOCK", uniform_at(block_slot));
  define("EG_COUNT", uniform_at(count_slot));
  if (level_.pattern == ReducePattern::serial) {
    define("EG_LANES", uniform_at(lanes_slot));
    define("EG_LANE_BITS", uniform_at(bits_slot));
  } else if (level_.pattern == ReducePattern::slices) {
    define("EG_SLICE", literal(static_cast<uint64_t>(shape_.slice)));
    define("EG_PLAY", literal(static_cast<uint64_t>(shape_.lanes / shape_.slice)));
    define("EG_FOLDS", shape_.slice > 1 ? "1" : "0");
  }
  return text;
}

/// EgAcc and what is done with it. eg_take makes one of element e's value.
std::string ReduceProgram::accumulator() const {
  const std::string type(value_type(level_.dtype, 1)), none = identity_text(level_.reduction, level_.dtype);
  if (!level_.pairs()) {
    const std::string precise = level_.dtype == DType::f32 ? "EG_PRECISE " : "";
    return "#define EgAcc " + type + "\n" + type + " eg_identity() { return " + none + "; }\n" + type + " eg_merge(" + type + " a, " + type + " b) {\n  " +
           precise + type + " merged = " + std::string(info_of(level_.reduction).glsl) + ";\n  return merged;\n}\n" + type + " eg_take(" + type +
           " value, uint e) { return value; }\n";
  }
  return "struct EgAcc { " + type + " value; uint place; };\nEgAcc eg_identity() { return EgAcc(" + none + ", 0xffffffffu); }\n" + beats_text(level_.reduction, level_.dtype) +
         "EgAcc eg_merge(EgAcc a, EgAcc b) {\n  if (eg_beats(b.value, a.value)) return b;\n  if (eg_beats(a.value, b.value)) return a;\n"
         "  return b.place < a.place ? b : a;\n}\nEgAcc eg_take(" +
         type + " value, uint e) { return EgAcc(value, e); }\n";
}

/// The word at which element (k, e) of a buffer of pairs starts, before its window.
std::string ReduceProgram::pair_place(const std::string& k, const std::string& e) const {
  return columns() ? "2u * ((" + e + ") * " + uniform_at(total_slot) + " + " + k + ")" : "2u * (" + k + " * EG_COUNT + " + e + ")";
}

/// eg_load_seek and eg_fetch(number, ...): four elements e of the row (the number counts units), or element e of four columns.
std::string ReduceProgram::fetch() const {
  std::string text = level_.from_pairs ? "uint eg_kept;\nvoid eg_load_seek(uint number) { eg_kept = number; }\n" : loader_->text(bindings_);
  text += "void eg_fetch(uint number, out EgAcc a, out EgAcc b, out EgAcc c, out EgAcc d) {\n";
  if (!level_.from_pairs) text += "  " + std::string(value_type(level_.dtype, 4)) + " v = eg_load(number);\n";
  for (int j = 0; j < 4; ++j) {
    const std::string component = std::string("v.") + "xyzw"[j], lane = std::to_string(j) + "u";
    const std::string e = columns() ? "number" : "4u * number + " + lane, k = columns() ? "(4u * eg_kept + " + lane + ")" : "eg_kept";
    const std::string exists = columns() ? (level_.from_pairs ? k + " < " + uniform_at(total_slot) : "true") : e + " < EG_COUNT";
    if (!level_.from_pairs) {
      text += std::string("  ") + results[j] + " = " + (columns() ? "" : exists + " ? ") + "eg_take(" + component + ", " + e + ")" + (columns() ? "" : " : eg_identity()") + ";\n";
      continue;
    }
    const std::string block = block_name(input_binding_);
    text += std::string("  ") + results[j] + " = eg_identity();\n  if (" + exists + ") {\n    uint at = " + pair_place(k, e) + " - " + uniform_at(input_slot_) + ";\n    " + results[j] +
            " = EgAcc(" + from_bits(level_.dtype, block + "[at]") + ", " + block + "[at + 1u]);\n  }\n";
  }
  return text + "}\n";
}

std::string ReduceProgram::put() const {
  const int width = columns() ? 4 : 1;
  std::string text = sink_ ? consumer_->text(bindings_) + sink_->text(bindings_) : "";
  text += columns() ? "void eg_put(uint unit, uint block, EgAcc a, EgAcc b, EgAcc c, EgAcc d) {\n" : "void eg_put(uint row, uint block, EgAcc a) {\n";
  const auto core = [&](const char* name) { return level_.pairs() ? std::string("int(") + name + ".place)" : std::string(name); };
  if (sink_) {
    const DType dtype = level_.pairs() ? DType::i32 : level_.dtype;
    const std::string value = width == 1 ? core("a") : std::string(value_type(dtype, 4)) + "(" + core("a") + ", " + core("b") + ", " + core("c") + ", " + core("d") + ")";
    const std::string number = columns() ? "unit" : "row";
    return text + "  eg_sink(" + number + ", eg_consume(" + number + ", " + value + "));\n}\n";
  }
  const std::string block = block_name(partial_binding_);
  for (int j = 0; j < width; ++j) {
    const std::string k = columns() ? "(4u * unit + " + std::to_string(j) + "u)" : "row";
    const std::string place = columns() ? "block * " + uniform_at(total_slot) + " + " + k : "row * " + uniform_at(blocks_slot) + " + block";
    if (columns()) text += "  if (" + k + " < " + uniform_at(total_slot) + ") ";
    text += "  {\n    uint at = " + std::string(level_.pairs() ? "2u * " : "") + "(" + place + ") - " + uniform_at(partial_slot_) + ";\n";
    if (level_.pairs())
      text += "    " + block + "[at] = " + to_bits(level_.dtype, std::string(results[j]) + ".value") + ";\n    " + block + "[at + 1u] = " + results[j] + ".place;\n  }\n";
    else
      text += "    " + block + "[at] = " + to_stored(level_.dtype, bindings_.at(partial_binding_).dtype, 1, results[j]) + ";\n  }\n";
  }
  return text + "}\n";
}

std::string ReduceProgram::source(std::string_view header) const {
  SourceParts parts;
  parts.template_name = columns() ? "reduce_column.comp" : level_.pattern == ReducePattern::serial ? "reduce_row_serial.comp" : "reduce_row.comp";
  parts.defines = defines();
  parts.holes = accumulator() + fetch() + put();
  parts.uniforms = uniforms_.size();
  return assemble(header, parts, bindings_);
}

}  // namespace eglantine::codegen
