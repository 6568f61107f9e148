#include "codegen/math_chunks.hpp"

#include <cctype>
#include <unordered_map>
#include <vector>

#include "codegen/templates.hpp"

namespace eglantine::codegen {
namespace {

constexpr std::string_view marker = "//@ ";
constexpr std::string_view prefix = "eg_";

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Every name that starts with eg_ in the text.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at)) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (at == 0 || !in_name(text[at - 1])) names.push_back(text.substr(at, end - at));
    at = end;
  }
  return names;
}

struct Chunk {
  std::vector<std::string_view> needs;
  std::string_view text;
};

/// math.glsl, cut at its marker lines "//@ name : needs".
class Library {
 public:
  explicit Library(std::string_view text) {
    for (size_t at = text.find(marker, text.find('\n' + std::string(marker))); at != std::string_view::npos;) {
      const size_t line_end = text.find('\n', at), next = text.find('\n' + std::string(marker), at);
      const std::vector<std::string_view> names = names_in(text.substr(at, line_end - at));
      number_of_.emplace(names.front(), chunks_.size());
      chunks_.push_back({{names.begin() + 1, names.end()}, text.substr(line_end + 1, next - line_end)});
      at = next == std::string_view::npos ? next : next + 1;
    }
  }

  void mark(const std::vector<std::string_view>& names, std::vector<bool>& wanted) const {
    for (std::string_view name : names) {
      const auto found = number_of_.find(name);
      if (found == number_of_.end() || wanted[found->second]) continue;
      wanted[found->second] = true;
      mark(chunks_[found->second].needs, wanted);
    }
  }

  const std::vector<Chunk>& chunks() const { return chunks_; }

 private:
  std::vector<Chunk> chunks_;
  std::unordered_map<std::string_view, size_t> number_of_;
};

}  // namespace

std::string math_for(std::string_view text) {
  static const auto* library = new Library(template_text("math.glsl"));
  std::vector<bool> wanted(library->chunks().size());
  library->mark(names_in(text), wanted);
  std::string result;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) result += library->chunks()[i].text;
  }
  return result;
}

}  // namespace eglantine::codegen
