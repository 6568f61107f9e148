#include "options.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>

namespace {

int64_t number(const std::string& option, const std::string& text, int64_t low, int64_t high) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw std::invalid_argument(option + " wants a whole number from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", got \"" + text + "\"");
  return value;
}

/// A line of the usage text: "  --device SPEC   what it is".
std::string line(std::string left, const std::string& what) {
  constexpr size_t column = 18;
  left.resize(column, ' ');
  return left + what + "\n";
}

}  // namespace

std::string usage() {
  std::string text;
#define ABOUT(what) text += what "\n\n";
#define TEXT(name, value, what) text += line("  --" #name " " value, what);
#define NUMBER(name, least, most, what) text += line("  --" #name " N", what);
#define FLAG(name, what) text += line("  --" #name, what);
#include "options.def"
#undef ABOUT
#undef TEXT
#undef NUMBER
#undef FLAG
  return text + line("  --help", "this text");
}

Options parse_options(int count, char** arguments) {
  Options options;
  using Take = std::function<void(const std::string&)>;
  const std::map<std::string, Take> takes = {
#define ABOUT(what)
#define FLAG(name, what)
#define TEXT(name, value, what) {"--" #name, [&](const std::string& text) { options.name = text; }},
#define NUMBER(name, least, most, what)                                                         \
  {"--" #name, [&](const std::string& text) {                                                   \
     options.name = static_cast<decltype(options.name)>(number("--" #name, text, least, most)); \
   }},
#include "options.def"
#undef TEXT
#undef NUMBER
#undef FLAG
  };
  const std::map<std::string, bool*> flags = {
      {"--help", &options.help},
      {"-h", &options.help},
#define TEXT(name, value, what)
#define NUMBER(name, least, most, what)
#define FLAG(name, what) {"--" #name, &options.name},
#include "options.def"
#undef ABOUT
#undef TEXT
#undef NUMBER
#undef FLAG
  };
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (const auto flag = flags.find(option); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    const auto take = takes.find(option);
    if (take == takes.end()) throw std::invalid_argument("unknown option \"" + option + "\"; --help lists them");
    if (i + 1 == count) throw std::invalid_argument(option + " wants a value");
    take->second(arguments[++i]);
  }
  return options;
}
