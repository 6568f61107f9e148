#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/permute_text.hpp"

/// What an invocation reads and writes of a box.
namespace eglantine::lower {
namespace {

using namespace codegen;

/// Writes whose places each invocation keeps.
constexpr int64_t most_kept = 8;

constexpr const char* nothing_ahead = "void eg_ahead() {}\n";

std::string numbered_place(const char* prefix, int64_t number) { return prefix + std::to_string(number); }

/// The order in which an invocation stages a word's elements: slots of neighbours an odd number apart lie in all banks
/// where every eighth invocation, of bytes, begins with the next element.
std::string word_functions(int64_t in_word) {
  const std::string each = std::to_string(in_word);
  return "uint eg_of_word(uint j) { return (j + gl_LocalInvocationID.x / " + std::to_string(32 / in_word) + "u) % " +
         each + "u; }\nuint eg_word_place(uint number) {\n  uint at, slot;\n  eg_read_place(number, at, slot);\n" +
         "  return at;\n}\n";
}

}  // namespace

bool PermuteText::keeps_writes() const {
  return !is_narrow_result() && ceil_divide(writes(), group_size_) <= most_kept;
}

/// GLSL: the number of an invocation's k-th place.
std::string PermuteText::number(int64_t k) const {
  return "gl_LocalInvocationID.x + " + literal(static_cast<uint64_t>(k * group_size_));
}

std::string PermuteText::prepare() const {
  std::string globals, text;
  const auto keep = [&](const char* function, const char* at, const char* slot, int64_t k) {
    const std::string first = numbered_place(at, k), second = numbered_place(slot, k);
    globals += "uint " + first + ", " + second + ";\n";
    text += "  " + std::string(function) + "(" + number(k) + ", " + first + ", " + second + ");\n";
  };
  const auto keep_word = [&](int64_t k) {
    const std::string n = std::to_string(k), word = "(" + number(k) + ") * " + std::to_string(in_word_read_) + "u";
    globals += "uint eg_from" + n + ";\n";
    for (int64_t j = 0; j < in_word_read_; ++j) {
      const std::string to = "eg_to" + n + "_" + std::to_string(j);
      globals += "uint " + to + ";\n";
      text += "  eg_read_place(" + word + " + eg_of_word(" + std::to_string(j) + "u), eg_from" + n + ", " + to + ");\n";
    }
    text += "  eg_from" + n + " = eg_word_place(" + word + ");\n";
  };
  for (int64_t k = 0; tile_.pairs && k < reads(); ++k) text += prepare_pair(k, globals);
  for (int64_t k = 0; !tile_.pairs && k < reads(); ++k)
    in_word_read_ > 1 ? keep_word(k) : keep("eg_read_place", "eg_from", "eg_to", k);
  for (int64_t k = 0; keeps_writes() && k * group_size_ < writes(); ++k) keep("eg_written_place", "eg_at", "eg_of", k);
  return (in_word_read_ > 1 ? word_functions(in_word_read_) : "") + globals + "void eg_prepare() {\n" + text + "}\n";
}

/// GLSL: a condition that an invocation's k-th place exists, of `count`; empty where it always does.
std::string PermuteText::exists(int64_t k, int64_t count, int count_slot) const {
  return (k + 1) * group_size_ <= count ? "" : number(k) + " < " + uniform_at(count_slot);
}

/// Corners of the box that no view reads may lie beyond its memory.
std::string PermuteText::address(const Tile& tile, int64_t k, const char* from) const {
  const std::string kept = numbered_place(from, k), there = exists(k, words_read(), read_count_);
  const std::string address = "eg_from + " + uniform_at(tile.base_slot) + " + " +
                              (there.empty() ? kept : "(" + there + " ? " + kept + " : 0u)");
  return tile_.has_halo() ? "min(" + address + ", " + uniform_at(tile.last_slot) + ")" : "(" + address + ")";
}

/// The same by words of the operand's memory.
std::string PermuteText::fetch_words(const codegen::Bindings& bindings) const {
  std::string globals, loads, stores;
  for (int64_t k = 0; k < reads(); ++k) {
    const std::string there = exists(k, words_read(), read_count_);
    std::string stage;
    for (size_t t = 0; t < tiles_.size(); ++t) {
      const DType stored = bindings.at(tiles_[t].binding).dtype(), dtype = tiles_[t].dtype();
      const std::string word = "w" + std::to_string(t) + "_" + std::to_string(k);
      globals += "uint " + word + ";\n";
      loads += "  " + word + " = " + bindings.word(tiles_[t].binding, address(tiles_[t], k)) + ";\n";
      for (int64_t j = 0; j < in_word_read_; ++j) {
        const std::string number = std::to_string(j),
                          x = bindings.of_word(tiles_[t].binding, word, "eg_of_word(" + number + "u)");
        stage += "  eg_box" + std::to_string(t) + "[eg_to" + std::to_string(k) + "_" + number +
                 "] = " + codegen::from_stored(stored, dtype, 1, x) + ";\n";
      }
    }
    stores += there.empty() ? stage : "  if (" + there + ") {\n" + stage + "  }\n";
  }
  return globals + "void eg_fetch() {\n" + loads + "}\nvoid eg_stage() {\n" + stores + "}\n";
}

/// All loads, and the stores to shared memory apart from them: others may stand between.
std::string PermuteText::fetch(const codegen::Bindings& bindings) const {
  if (tile_.pairs) return fetch_pairs(bindings);
  if (in_word_read_ > 1) return fetch_words(bindings);
  std::string globals, loads, stores;
  for (int64_t k = 0; k < reads(); ++k) {
    const std::string there = exists(k, words_read(), read_count_);
    for (size_t t = 0; t < tiles_.size(); ++t) {
      const DType stored = bindings.at(tiles_[t].binding).dtype(), dtype = tiles_[t].dtype();
      const std::string name = "x" + std::to_string(t) + "_" + std::to_string(k);
      globals += std::string(stored_type(dtype, 1)) + " " + name + ";\n";
      loads += "  " + name + " = " +
               codegen::from_stored(stored, dtype, 1, bindings.read(tiles_[t].binding, address(tiles_[t], k))) + ";\n";
      stores += "  " + (there.empty() ? "" : "if (" + there + ") ") + "eg_box" + std::to_string(t) + "[" +
                numbered_place("eg_to", k) + "] = " + name + ";\n";
    }
  }
  return globals + "void eg_fetch() {\n" + loads + "}\nvoid eg_stage() {\n" + stores + "}\n";
}

/// GLSL: the slot of element k of a run that begins at `slot`.
std::string PermuteText::run_slot() const {
  if (has_slots_side_by_side()) return "uint eg_run_slot(uint slot, uint k) { return slot + k; }\n";
  const std::vector<int> axes(tile_.written.begin(), tile_.written.begin() + tile_.run_axes);
  return "uint eg_run_slot(uint start, uint k) {\n  uint rest = k, at, slot;\n" + place(axes, 0, false) +
         "  return start + slot;\n}\n";
}

/// Word `number` of the box, of which a run's first and last may belong to others as well.
std::string PermuteText::write_word(const codegen::Bindings& bindings) const {
  const DType dtype = kernel_.value.dtype(), stored = bindings.at(out_binding_).dtype();
  const int64_t each = in_word();
  const std::string type(codegen::value_type(dtype, 1)), out = uniform_at(out_slot_), word = std::to_string(each);
  std::string elements, singly, all;
  for (int64_t j = 0; j < each; ++j) {
    const std::string x = numbered_place("x", j), k = "first + " + std::to_string(j);
    elements += "  " + type + " " + x + " = eg_element(start, slot, uint(clamp(" + k + ", 0, count - 1)));\n";
    singly += "  if (" + k + " >= 0 && " + k + " < count) {\n  " +
              bindings.write_one(out_binding_, "element + " + literal(static_cast<uint64_t>(j)),
                                 codegen::to_stored(dtype, stored, 1, x)) +
              "  }\n";
  }
  for (int64_t j = 0; j < 4; ++j) all += (j > 0 ? ", " : "") + numbered_place("x", j % each);
  const std::string four = std::string(codegen::value_type(dtype, 4)) + "(" + all + ")",
                    words = bindings.narrowed(out_binding_, codegen::to_stored(dtype, stored, 4, four));
  return run_slot() + type + " eg_element(uint start, uint slot, uint k) {\n  eg_slot = eg_run_slot(slot, k);\n" +
         "  return eg_load(start + k);\n}\nvoid eg_put(uint number) {\n  uint run = " +
         divided_by("number", words_slot_) + ", at, slot;\n  eg_written_place(run, at, slot);\n" +
         "  uint start = eg_first + at;\n  int count = int(" + uniform_at(run_slot_) +
         "), first = int((number - run * " + uniform_at(words_slot_) + ") * " + word + "u) - int((" + out +
         " + start) & " + literal(static_cast<uint64_t>(each - 1)) + ");\n  if (first >= count) return;\n" + elements +
         "  uint element = " + out + " + start + uint(first);\n  if (first >= 0 && first + " + word +
         " <= count) {\n    " + codegen::block_name(out_binding_) + "[element / " + word + "u] = " + words +
         (each == 2 ? ".x" : "") + ";\n    return;\n  }\n" + singly + "}\n";
}

/// GLSL: eg_write() of one element after the other, each at a place that the invocation keeps; and what is loaded
/// ahead.
std::string PermuteText::write_kept(bool ahead) const {
  std::string globals, loads, puts;
  for (int64_t k = 0; k * group_size_ < writes(); ++k) {
    const std::string there = exists(k, writes(), writes_slot_), at = numbered_place("eg_at", k),
                      loaded = numbered_place("eg_ahead", k);
    globals += "EgAhead " + loaded + ";\n";
    // No branch, so that all are in flight together.
    loads += "  " + loaded + " = eg_load_ahead(eg_first + " +
             (there.empty() ? at : "(" + there + " ? " + at + " : 0u)") + ");\n";
    puts += "  " + (there.empty() ? "" : "if (" + there + ") ") + "eg_put(" + at + ", " + numbered_place("eg_of", k) +
            (ahead ? ", " + loaded : "") + ");\n";
  }
  return (ahead ? globals + "void eg_ahead() {\n" + loads + "}\n" : nothing_ahead) + "void eg_write() {\n" + puts +
         "}\n";
}

std::string PermuteText::write(const codegen::Bindings& bindings, bool ahead) const {
  const DType dtype = kernel_.value.dtype(), stored = bindings.at(out_binding_).dtype();
  const std::string loop = "  for (uint i = gl_LocalInvocationID.x; i < " + uniform_at(writes_slot_) +
                           "; i += " + literal(static_cast<uint64_t>(group_size_)) + ") ";
  if (writes_fours_) return nothing_ahead + write_four(bindings) + write_fours();
  if (is_narrow_result())
    return nothing_ahead + write_word(bindings) + "void eg_write() {\n" + loop + "eg_put(i);\n}\n";
  const std::string put =
      "void eg_put(uint at, uint slot" + std::string(ahead ? ", EgAhead ahead" : "") + ") {\n  eg_slot = slot;\n  " +
      codegen::block_name(out_binding_) + "[" + uniform_at(out_slot_) + " + eg_first + at] = " +
      codegen::to_stored(dtype, stored, 1, ahead ? "eg_load(eg_first + at, ahead)" : "eg_load(eg_first + at)") +
      ";\n}\n";
  if (keeps_writes()) return put + write_kept(ahead);
  return put + nothing_ahead + "void eg_write() {\n  uint at, slot;\n" + loop +
         "{\n    eg_written_place(i, at, slot);\n    eg_put(at, slot);\n  }\n}\n";
}

}  // namespace eglantine::lower
