#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/// An option of an example's command line. Of a flag `value` becomes true; other options take a text, or a whole number
/// from `least` to `most`.
struct Option {
  std::string name;  ///< with its dashes
  std::variant<bool*, int64_t*, std::string*> value;
  std::string stands_for_value, what;  ///< in the help
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();
};

inline int64_t whole_number(const Option& option, const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < option.least || number > option.most)
    throw std::invalid_argument(option.name + " wants a whole number from " + std::to_string(option.least) + " to " +
                                std::to_string(option.most) + ", got \"" + text + "\"");
  return number;
}

inline std::string usage(const std::string& about, std::vector<Option> options) {
  constexpr size_t column = 18;
  std::string text = about + "\n\n";
  options.push_back({"--help", static_cast<bool*>(nullptr), "", "this text"});
  for (const Option& option : options) {
    std::string left = "  " + option.name + (option.stands_for_value.empty() ? "" : " " + option.stands_for_value);
    left.resize(column, ' ');
    text += left + option.what + "\n";
  }
  return text;
}

/// Sets the values of the options that are there, and returns whether --help or -h is. Throws std::invalid_argument,
/// saying what is wrong, for an option that is unknown, lacks its value, or is out of range.
inline bool parse_options(int count, char** arguments, const std::vector<Option>& options) {
  bool help = false;
  std::vector<Option> known = options;
  for (const char* name : {"--help", "-h"}) known.push_back({name, &help, "", ""});
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    auto option = known.begin();
    while (option != known.end() && option->name != name) ++option;
    if (option == known.end()) throw std::invalid_argument("unknown option \"" + name + "\"; --help lists them");
    if (bool** flag = std::get_if<bool*>(&option->value)) {
      **flag = true;
      continue;
    }
    if (++i == count) throw std::invalid_argument(name + " wants a value");
    if (int64_t** number = std::get_if<int64_t*>(&option->value)) **number = whole_number(*option, arguments[i]);
    if (std::string** text = std::get_if<std::string*>(&option->value)) **text = arguments[i];
  }
  return help;
}

/// Sets the values of the options that are there. Ends the program where it has nothing else to do: with 0 after
/// --help, with 2 after saying what is wrong.
inline void take_options(int count, char** arguments, const std::string& about, const std::vector<Option>& options) {
  constexpr int wrong_usage = 2;
  try {
    if (!parse_options(count, arguments, options)) return;
  } catch (const std::invalid_argument& error) {
    std::cerr << "error: " << error.what() << "\n";
    std::exit(wrong_usage);
  }
  std::cout << usage(about, options);
  std::exit(EXIT_SUCCESS);
}
