#include "backend/gl/own_error.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "codegen/own_text.hpp"

namespace eglantine::gl {
namespace {

/// One line of a driver's log.
struct Complaint {
  int line = 0;        ///< of the program
  std::string column;  ///< as the driver says it; may be empty
  std::string text;
};

// Mesa says "0:12(5): error: ...", NVIDIA "0(12) : error C1008: ...", others "ERROR: 0:12: ...".
std::optional<Complaint> complaint_of(const std::string& said) {
  static const auto* form =
      new std::regex(R"(^((?:ERROR|WARNING): )?\d+(?::(\d+)(?:\((\d+)\))?|\((\d+)\))\s*:\s*(.*)$)");
  std::smatch part;
  if (!std::regex_match(said, part, *form)) return std::nullopt;
  const std::string line = part[2].matched ? part[2] : part[4];
  if (line.size() > 8) return std::nullopt;
  return Complaint{std::stoi(line), part[3], part[1].str() + part[5].str()};
}

std::vector<Complaint> complaints_in(const std::string& log) {
  std::vector<Complaint> found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (std::optional<Complaint> complaint = complaint_of(line)) found.push_back(*complaint);
  return found;
}

/// The complaint by the user's own line. What is said of our lines right around them is about their first or last.
std::string as_of(const codegen::OwnLines& own, const Complaint& complaint) {
  const int line = complaint.line - own.first + 1;
  if (line < 0 || line > own.count + 1) return "";
  const bool inside = line >= 1 && line <= own.count;
  const std::string column = inside && !complaint.column.empty() ? ", column " + complaint.column : "";
  return "line " + std::to_string(std::clamp(line, 1, own.count)) + column + ": " + complaint.text + "\n";
}

}  // namespace

std::string own_error(const Kernel& kernel, const CompileError& error) {
  const std::vector<OwnText> texts = own_texts_of(kernel);
  const std::vector<Complaint> complaints = complaints_in(error.log);
  std::string message;
  for (const codegen::OwnLines& own : codegen::own_lines(error.source)) {
    std::string said;
    for (const Complaint& complaint : complaints) said += as_of(own, complaint);
    const auto op =
        std::find_if(texts.begin(), texts.end(), [&](const OwnText& each) { return each.glsl == own.expression; });
    if (said.empty() || op == texts.end()) continue;
    const std::string section =
        "[" + op->name + "] the operation's GLSL does not compile:\n" + numbered(own.expression) + said;
    if (message.find(section) == std::string::npos) message += section;
  }
  return message.empty() ? "" : message + "explain() shows the whole program";
}

}  // namespace eglantine::gl
