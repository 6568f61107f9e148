#include "backend/gl/execution/programs/custom_error.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "codegen/custom_text.hpp"

namespace eglantine::gl {
namespace {

/// One line of a driver's log.
struct Diagnostic {
  int line = 0;        ///< of the program
  std::string column;  ///< as the driver writes it; may be empty
  std::string text;
};

/// Reads a line of a log from its start. The line may be as long as the user's own text, which drivers repeat.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool skip(std::string_view wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  std::string_view number() { return take("0123456789"); }
  void skip_spaces() { take(" \t\r"); }
  std::string_view rest() const { return text_; }

 private:
  std::string_view take(std::string_view characters) {
    const std::string_view taken = text_.substr(0, std::min(text_.find_first_not_of(characters), text_.size()));
    text_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view text_;
};

// Mesa says "0:12(5): error: ...", NVIDIA "0(12) : error C1008: ...", others "ERROR: 0:12: ...".
std::optional<Diagnostic> diagnostic_of(std::string_view text) {
  Scanner scanner(text);
  std::string prefix;
  for (const char* word : {"ERROR: ", "WARNING: "})
    if (prefix.empty() && scanner.skip(word)) prefix = word;
  if (scanner.number().empty()) return std::nullopt;
  std::string_view line, column;
  const bool by_colon = scanner.skip(":");
  if (by_colon) line = scanner.number();
  if (scanner.skip("(")) {
    (by_colon ? column : line) = scanner.number();
    if (!scanner.skip(")")) return std::nullopt;
  }
  scanner.skip_spaces();
  constexpr size_t most_digits = 8;
  if (line.empty() || line.size() > most_digits || !scanner.skip(":")) return std::nullopt;
  scanner.skip_spaces();
  return Diagnostic{std::stoi(std::string(line)), std::string(column), prefix + abbreviated(scanner.rest())};
}

std::vector<Diagnostic> diagnostics_in(const std::string& log) {
  std::vector<Diagnostic> found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (std::optional<Diagnostic> diagnostic = diagnostic_of(line)) found.push_back(*diagnostic);
  return found;
}

/// The diagnostic by the user's own line. One about the adjacent generated lines counts for the first or last line.
std::string as_of(const codegen::CustomLines& custom, const Diagnostic& diagnostic) {
  const int line = diagnostic.line - custom.first + 1;
  if (line < 0 || line > custom.count + 1) return "";
  const bool inside = line >= 1 && line <= custom.count;
  const std::string column = inside && !diagnostic.column.empty() ? ", column " + diagnostic.column : "";
  return "line " + std::to_string(std::clamp(line, 1, custom.count)) + column + ": " + diagnostic.text + "\n";
}

/// All diagnostics of the user's lines, or the first ones.
std::string diagnostics_of(const codegen::CustomLines& custom, const std::vector<Diagnostic>& diagnostics) {
  constexpr size_t most = 20;
  std::string text;
  size_t count = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::string words = as_of(custom, diagnostic);
    if (!words.empty() && ++count <= most) text += words;
  }
  return count > most ? text + "and " + std::to_string(count - most) + " more complaints\n" : text;
}

}  // namespace

std::string custom_error(const Kernel& kernel, const CompileError& error) {
  const std::vector<CustomText> texts = custom_texts_of(kernel);
  const std::vector<Diagnostic> diagnostics = diagnostics_in(error.log);
  std::string message;
  for (const codegen::CustomLines& custom : codegen::custom_lines(error.source)) {
    const std::string text = diagnostics_of(custom, diagnostics);
    const auto op = std::find_if(texts.begin(), texts.end(),
                                 [&](const CustomText& each) { return each.glsl == custom.expression; });
    if (text.empty() || op == texts.end()) continue;
    const std::string section =
        "[" + op->name + "] the operation's GLSL does not compile:\n" + numbered(custom.expression) + text;
    if (message.find(section) == std::string::npos) message += section;
  }
  return message.empty() ? "" : message + "explain() shows the whole program";
}

}  // namespace eglantine::gl
