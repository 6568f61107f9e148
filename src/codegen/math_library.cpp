#include "codegen/math_library.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/glsl_type.hpp"
#include "codegen/templates.hpp"

namespace eglantine::codegen {
namespace {

constexpr std::string_view marker = "//@ ";
constexpr std::string_view own_prefix = "eg_";

/// Every name that starts with eg_ in the text.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t at = text.find(own_prefix); at != std::string_view::npos; at = text.find(own_prefix, at)) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (at == 0 || !in_name(text[at - 1])) names.push_back(text.substr(at, end - at));
    at = end;
  }
  return names;
}

struct Snippet {
  std::vector<std::string_view> needs;
  std::string_view text;
};

/// The files of glsl/math, cut at the lines "//@ name : needs" into snippets.
class MathLibrary {
 public:
  /// A snippet needs those above it, and those of the files before.
  explicit MathLibrary(std::initializer_list<std::string_view> files) {
    for (std::string_view file : files) add(template_text(file));
  }

  void mark(const std::vector<std::string_view>& names, std::vector<bool>& wanted) const {
    for (std::string_view name : names) {
      const auto found = number_of_.find(name);
      if (found == number_of_.end() || wanted[found->second]) continue;
      wanted[found->second] = true;
      mark(snippets_[found->second].needs, wanted);
    }
  }

  const std::vector<Snippet>& snippets() const { return snippets_; }

 private:
  void add(std::string_view text) {
    for (size_t at = text.find(marker, text.find('\n' + std::string(marker))); at != std::string_view::npos;) {
      const size_t line_end = text.find('\n', at), next = text.find('\n' + std::string(marker), at);
      const std::vector<std::string_view> names = names_in(text.substr(at, line_end - at));
      number_of_.emplace(names.front(), snippets_.size());
      snippets_.push_back({{names.begin() + 1, names.end()}, text.substr(line_end + 1, next - line_end)});
      at = next == std::string_view::npos ? next : next + 1;
    }
  }

  std::vector<Snippet> snippets_;
  std::unordered_map<std::string_view, size_t> number_of_;
};

/// Only functions begin in a line's first column, besides comments and closing braces.
bool opens_function(std::string_view line) { return std::isalpha(static_cast<unsigned char>(line.front())) != 0; }

/// A line of a function that returns float, with precise floats and a precise result.
std::string precise_line(std::string_view line) {
  constexpr std::string_view give = "return ", declare = "  float ";
  if (line.starts_with(declare)) return "  EG_PRECISE" + std::string(line.substr(1));
  const size_t value = line.find(give), last = line.rfind(';');
  if (value == std::string_view::npos || line.find("//") < value) return std::string(line);
  const std::string_view result = line.substr(value + give.size(), last - value - give.size());
  return std::string(line.substr(0, value)) + "EG_PRECISE float eg_y = " + std::string(result) + "; return eg_y;" +
         std::string(line.substr(last + 1));
}

/// The same functions with precise floats: no compiler contracts or reorders them in one kernel only, so a function has
/// the same bits wherever it is fused. (`precise` reaches all that leads to an argument, also from a loop before the
/// call: what is to be contracted there is an fma().)
std::string with_precise_floats(std::string_view text) {
  std::string result;
  bool in_float = false;
  for (size_t at = 0, end = 0; at < text.size(); at = end) {
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (opens_function(line)) in_float = line.starts_with("float ");
    result += in_float ? precise_line(line) : std::string(line);
  }
  return result;
}

}  // namespace

std::string math_for(std::string_view text) {
  static const auto* library =
      new MathLibrary({"values.glsl", "narrow.glsl", "unaligned.glsl", "arithmetic.glsl", "roots.glsl",
                       "exponentials.glsl", "logarithms.glsl", "circular.glsl", "error_functions.glsl", "gamma.glsl",
                       "activations.glsl", "sort_keys.glsl", "random.glsl"});
  std::vector<bool> wanted(library->snippets().size());
  library->mark(names_in(text), wanted);
  std::string result;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) result += library->snippets()[i].text;
  }
  return with_precise_floats(result);
}

}  // namespace eglantine::codegen
