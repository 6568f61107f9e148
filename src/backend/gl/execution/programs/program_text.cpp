#include "backend/gl/execution/programs/program_text.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace eglantine::gl {
namespace {

bool is_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

size_t end_of_word(std::string_view text, size_t start) {
  while (start < text.size() && is_of_a_word(text[start])) ++start;
  return start;
}

/// Replaces words of a text: `replace(word, rest)` returns how much of the text it replaces (0: nothing), and by what.
template <class Replace>
std::string with_words(std::string_view text, Replace replace) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_word(text, at);
    if (end == at) {
      result += text[at++];
      continue;
    }
    const auto [length, words] = replace(text.substr(at, end - at), text.substr(end));
    result += length > 0 ? std::string_view(words) : text.substr(at, end - at);
    at = length > 0 ? at + length : end;
  }
  return result;
}

using Replacement = std::pair<size_t, std::string>;

std::string window_words(int first) {
  const auto word = [&](int i) { return std::string(window_uniform) + "[" + std::to_string(first + i) + "]"; };
  return "uvec3(" + word(0) + ", " + word(1) + ", " + word(2) + ")";
}

}  // namespace

std::string with_grid_window(const std::string& source) {
  const std::array<std::pair<std::string_view, std::string>, 3> built_ins{
      {{"gl_WorkGroupID", "(gl_WorkGroupID + " + window_words(0) + ")"},
       {"gl_NumWorkGroups", "(gl_NumWorkGroups + " + window_words(3) + ")"},
       {"gl_GlobalInvocationID", "(gl_GlobalInvocationID + " + window_words(0) + " * gl_WorkGroupSize)"}}};
  std::string text = with_words(source, [&](std::string_view word, std::string_view) -> Replacement {
    for (const auto& [name, all] : built_ins)
      if (word == name) return {word.size(), all};
    return {};
  });
  // In the same line, so that line numbers stay; after #extension and precision.
  const size_t group = text.find("layout(local_size_x");
  if (group == std::string::npos) return source;
  return text.insert(group, "layout(location = 1000) uniform uint " + std::string(window_uniform) + "[6]; ");
}

std::string with_computed_uniforms(const std::string& source) {
  std::string_view before;
  return with_words(source, [&](std::string_view word, std::string_view rest) -> Replacement {
    const bool declared = std::exchange(before, word) == "uint";
    if (declared || (word != "eg_u" && word != window_uniform) || !rest.starts_with('[')) return {};
    const size_t close = rest.find(']');
    // gl_NumWorkGroups.y >> 31 is always 0, as no dispatch has 2^31 groups, but compilers cannot know it.
    const std::string index(rest.substr(1, close - 1));
    return {word.size() + close + 1, std::string(word) + "[int(gl_NumWorkGroups.y >> 31u) + int(" + index + ")]"};
  });
}

}  // namespace eglantine::gl
