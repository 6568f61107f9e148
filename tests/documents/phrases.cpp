#include "phrases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace eglantine::documents {

namespace {

/// Words and numbers; brackets are words of their own.
std::vector<std::string> tokens(const std::string& text) {
  std::vector<std::string> all;
  bool in_word = false;
  for (const char c : text) {
    const bool alone = c == '[' || c == ']' || c == '(' || c == ')' || c == ',', space = c == ' ' || c == '\n';
    if (alone || (!space && !in_word)) all.emplace_back();
    if (!space) all.back() += c;
    in_word = !space && !alone;
  }
  return all;
}

bool is_fraction(const std::string& word, double& value) {
  char* end = nullptr;
  value = std::strtod(word.c_str(), &end);
  return end == word.c_str() + word.size() && !word.empty() && word.find_first_of(".e") != std::string::npos;
}

bool same_token(const std::string& a, const std::string& b) {
  double x = 0, y = 0;
  if (a == b) return true;
  if (!is_fraction(a, x) || !is_fraction(b, y)) return false;
  return std::abs(x - y) <= std::max(1e-7, 1e-5 * std::max(std::abs(x), std::abs(y)));
}

std::string type_of(const std::exception& error) {
  if (dynamic_cast<const ShapeError*>(&error) != nullptr) return "ShapeError";
  if (dynamic_cast<const DTypeError*>(&error) != nullptr) return "DTypeError";
  if (dynamic_cast<const IndexError*>(&error) != nullptr) return "IndexError";
  if (dynamic_cast<const FileError*>(&error) != nullptr) return "FileError";
  if (dynamic_cast<const DeviceError*>(&error) != nullptr) return "DeviceError";
  if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) return "OutOfMemoryError";
  if (dynamic_cast<const ShaderError*>(&error) != nullptr) return "ShaderError";
  return dynamic_cast<const Error*>(&error) != nullptr ? "Error" : "std::exception";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

constexpr size_t widest = 118;

/// The lines of code for a value's text: behind the code where it fits, else below it.
std::vector<std::string> written(const std::string& line, Place::Kind kind, const std::string& text) {
  const size_t at = line.find("// ->");
  const std::vector<std::string> parts = lines_of(text);
  std::vector<std::string> out;
  if (kind == Place::behind && parts.size() == 1 && at + 6 + text.size() <= widest)
    return {line.substr(0, at) + "// -> " + text};
  const std::string indent = line.substr(0, line.find_first_not_of(' '));
  if (kind == Place::behind) out.push_back(line.substr(0, line.find_last_not_of(' ', at - 1) + 1));
  for (size_t i = 0; i < parts.size(); ++i) out.push_back(indent + (i == 0 ? "// -> " : "//    ") + parts[i]);
  return out;
}

/// The row with another text in its last cell.
std::string row_with(const std::string& row, const std::string& text) {
  const size_t end = row.find_last_of('|'), start = row.find_last_of('|', end - 1);
  std::string flat;
  for (const std::string& word : lines_of(text))
    flat += (flat.empty() ? "" : " ") + word.substr(word.find_first_not_of(' '));
  return row.substr(0, start) + "| `" + flat + "` |";
}

}  // namespace

std::string text_of(const Layout& layout) {
  return "strides (" + text_of(layout.strides) + "), offset " + std::to_string(layout.offset);
}

bool Phrases::same_text(const std::string& a, const std::string& b) {
  const auto left = tokens(a), right = tokens(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_token);
}

void Phrases::begin(const std::string& name) {
  Device::set_current(device_);
  if (names_.empty() || names_.back() != name) names_.push_back(name);
}

void Phrases::threw(Place place, const std::string& wanted, const std::exception& error) {
  const std::string got = type_of(error) + ": " + error.what();
  compare(place, wanted, got, place.kind != Place::none && same_text(wanted, got));
}

void Phrases::compare(Place place, const std::string& wanted, const std::string& got, bool matches) {
  ++checked_;
  if (matches) return;
  ++failed_;
  std::cerr << file_ << ":" << place.line << ": \n" << got << "\nand not\n" << wanted << "\n";
  differ_.emplace_back(place, got);
}

void Phrases::write() const {
  std::ifstream in(file_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (auto edit = differ_.rbegin(); edit != differ_.rend(); ++edit) {
    const auto& [place, text] = *edit;
    if (place.kind == Place::none) continue;
    const auto first = lines.begin() + place.line - 1;
    const auto now = place.kind == Place::cell ? std::vector<std::string>{row_with(*first, text)}
                                               : written(*first, place.kind, text);
    lines.insert(lines.erase(first, first + place.lines), now.begin(), now.end());
  }
  std::ofstream out(file_);
  for (const std::string& line : lines) out << line << "\n";
}

}  // namespace eglantine::documents
