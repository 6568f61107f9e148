#include "codegen/addresses/access_pattern.hpp"
#include "codegen/glsl_type.hpp"
#include "lower/map/transpose/permute_text.hpp"

/// What an invocation reads of pairs, and how it stages them.
namespace eglantine::lower {

using codegen::literal;
using codegen::uniform_at;
using codegen::vector_width;

namespace {

constexpr const char* half = "uint eg_half(uint word, uint at) { return (word >> ((at & 1u) << 4)) & 0xffffu; }\n";

/// What lies any number of words apart, as vectors along runs do, lies in all banks in turn.
constexpr const char* bank = "uint eg_bank(uint word) { return word ^ ((word >> 5) & 31u); }\n";

std::string numbered(const char* name, size_t tile, int64_t k) {
  return name + std::to_string(tile) + "_" + std::to_string(k);
}

/// GLSL: a word of a vector of memory.
std::string component(const Pairs& pairs, int64_t word) {
  return pairs.elements < vector_width ? "" : std::string(".") + "xyzw"[word];
}

}  // namespace

std::string PermuteText::word_of(size_t tile, const std::string& word) const {
  return "eg_box" + std::to_string(tile) + "[" + (tile_.pairs->across > 0 ? "eg_bank(" + word + ")" : word) + "]";
}

/// GLSL, for each tile: the words of four elements from a slot on.
std::string PermuteText::pair_functions() const {
  std::string text = tile_.pairs->across > 0 ? bank : "";
  for (size_t t = 0; writes_fours_ && t < tiles_.size(); ++t)
    text += "uvec2 eg_pairs" + std::to_string(t) + "(uint slot) {\n  uint at = slot >> 1, low = " + word_of(t, "at") +
            ", high = " + word_of(t, "at + 1u") + ";\n  if ((slot & 1u) == 0u) return uvec2(low, high);\n" +
            "  return uvec2(eg_shift_in(low, high, 16u), eg_shift_in(high, " + word_of(t, "at + 2u") + ", 16u));\n}\n";
  return text;
}

/// GLSL: statements that read an invocation's k-th vectors of a tile.
std::string PermuteText::read_pairs(size_t t, int64_t k, const codegen::Bindings& bindings,
                                    std::string& globals) const {
  const Tile& tile = tiles_[t];
  const bool is_vector = tile_.pairs->elements >= vector_width;
  const std::string type = is_vector ? bindings.vector_type(tile.binding) : "uint",
                    shift = tile_.pairs->elements == vector_width ? ") >> 2" : ") >> 3";
  std::string text;
  const auto read = [&](const char* name, const std::string& at) {
    globals += type + " " + numbered(name, t, k) + ";\n";
    text += "  " + numbered(name, t, k) + " = " +
            (is_vector ? bindings.whole(tile.binding, "(" + at + shift) : bindings.word(tile.binding, at)) + ";\n";
  };
  for (const bool second : {false, true}) {
    const std::string at = address(tile, k, second ? "eg_next" : "eg_from");
    read(second ? "b" : "a", at);
    if (tile_.pairs->anywhere) read(second ? "d" : "c", "min(" + at + " + 3u, " + uniform_at(tile.last_slot) + ")");
  }
  return text;
}

/// GLSL: statements that store them. Of vectors along a run with an odd number across them each second element of
/// either, the first or the other.
std::string PermuteText::stage_pairs(size_t t, int64_t k) const {
  const Pairs& pairs = *tile_.pairs;
  const std::string a = numbered("a", t, k), b = numbered("b", t, k), n = std::to_string(k),
                    odd = "eg_odd" + std::to_string(t), from = odd + " + eg_from" + n, next = odd + " + eg_next" + n;
  if (pairs.elements == 1)
    return "  " + word_of(t, "eg_to" + n) + " = eg_half(" + a + ", " + from + ") + (eg_half(" + b + ", " + next +
           ") << 16);\n";
  std::string text;
  if (pairs.anywhere)
    text = "  " + a + " = eg_joined(" + a + ", " + numbered("c", t, k) + ", " + from + ");\n  " + b + " = eg_joined(" +
           b + ", " + numbered("d", t, k) + ", " + next + ");\n";
  const bool by_words = pairs.across % 2 == 1, is_backwards = front_stride() < 0;
  const int64_t count = by_words ? pairs.elements / 2 : pairs.elements;
  const std::string side = "eg_sides" + n + (is_backwards ? " ^ 3u" : "");
  for (int64_t j = 0; j < count; ++j) {
    const int64_t place = is_backwards ? count - 1 - j : j;
    const std::string word = component(pairs, by_words ? place : place / 2), x = a + word, y = b + word;
    text += "  " +
            word_of(t, "eg_to" + n + " + " + literal(static_cast<uint64_t>(j)) + " * " + uniform_at(pair_.plane)) +
            " = " +
            (by_words         ? "eg_half(" + x + ", " + side + ") + (eg_half(" + y + ", (" + side + ") >> 1) << 16)"
             : place % 2 == 0 ? "(" + x + " & 0xffffu) + (" + y + " << 16)"
                              : "(" + x + " >> 16) + (" + y + " & 0xffff0000u)") +
            ";\n";
  }
  return text;
}

/// A box's first address stays beside what is read: the next box's may be known before this one is staged.
std::string PermuteText::fetch_pairs(const codegen::Bindings& bindings) const {
  std::string globals = half, loads, stores;
  for (size_t t = 0; t < tiles_.size(); ++t) {
    globals += "uint eg_odd" + std::to_string(t) + ";\n";
    loads += "  eg_odd" + std::to_string(t) + " = eg_from + " + uniform_at(tiles_[t].base_slot) + ";\n";
  }
  for (int64_t k = 0; k < reads(); ++k) {
    const std::string there = exists(k, words_read(), read_count_);
    std::string stage;
    for (size_t t = 0; t < tiles_.size(); ++t) {
      loads += read_pairs(t, k, bindings, globals);
      stage += stage_pairs(t, k);
    }
    stores += there.empty() ? stage : "  if (" + there + ") {\n" + stage + "  }\n";
  }
  return globals + "void eg_fetch() {\n" + loads + "}\nvoid eg_stage() {\n" + stores + "}\n";
}

}  // namespace eglantine::lower
