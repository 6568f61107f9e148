#include "support/arrays_of_bool.hpp"

#include <regex>
#include <sstream>

namespace eglantine::test {

std::vector<std::string> arrays_of_bool(const std::string& source) {
  static const std::regex macro("#define\\s+(\\w+)\\s+(bool|bvec[234])\\s*(//.*)?");
  std::string types = "bool|bvec[234]";
  std::smatch found;
  std::vector<std::string> lines;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, found, macro)) types += "|" + found[1].str();
    lines.push_back(line.substr(0, line.find("//")));
  }
  const std::regex array("\\b(" + types + ")(\\s+[\\w\\s,]*)?\\s*\\[");
  std::erase_if(lines, [&](const std::string& line) { return !std::regex_search(line, array); });
  return lines;
}

}  // namespace eglantine::test
