#include "perf/options.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace eglantine::perf {

const char* const usage =
    "Measures Eglantine on one device: checks each work's results, then times it over inputs that no cache holds.\n"
    "\n"
    "  --device SPEC   gl, gl:1, gl:llvmpipe, gles or cpu; the best device when left out\n"
    "  --set NAMES     gpu, software, classic, sweep, order, narrow, network, training, smoke, and drawn, "
    "drawn_small,\n"
    "                  drawn_software, drawn_smoke; separated by commas; gpu or software by the device\n"
    "  --seed N        what drawn sets draw, 1 when left out; several, separated by commas\n"
    "  --count N       works of a drawn set for each seed, 100 when left out\n"
    "  --works FILE    write what the works of the drawn set are, for perf/peers, and end; needs no device\n"
    "  --values FILE   write operands and results of the works, for perf/peers/agree, and end\n"
    "  --filter REGEX  only works in whose name this is found\n"
    "  --quick         less time on each work: figures to compare at a glance\n"
    "  --json FILE     write the results; perf/report makes a page of such files\n"
    "  --commit TEXT   to be written beside them\n"
    "  --date TEXT     the same; today when left out\n"
    "  --no-peaks      leave out the device's copy bandwidth and arithmetic peak\n"
    "  --list          the works' names, nothing else\n"
    "  --identify      \"hardware\" or \"software\", a tab, and the device's name, nothing else\n"
    "  --first-result SPEC\n"
    "                  open a device, compute one sum, print what took how long, and end\n"
    "  --tune          measure what kernels could choose between on this GL device, keep what is better in the user's\n"
    "                  cache folder (or the file that EGLANTINE_TUNING names), and end; --filter: of these kernels "
    "only\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0; 1 when a work failed or was wrong; 2 for a wrong option.\n";

namespace {

/// A whole number that is not negative, all of the text; hexadecimal after "0x".
uint64_t number_of(const std::string& option, const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const char *first = text.data() + (hexadecimal ? 2 : 0), *last = text.data() + text.size();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != last)
    throw std::invalid_argument(option + " wants a whole number of 64 bits, not \"" + text + "\"");
  return number;
}

std::vector<uint64_t> numbers_of(const std::string& option, const std::string& text) {
  std::vector<uint64_t> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) numbers.push_back(number_of(option, part));
  if (numbers.empty()) throw std::invalid_argument(option + " wants a number");
  return numbers;
}

int64_t count_of_works(const std::string& text) {
  const uint64_t count = number_of("--count", text);
  if (count < 1 || count > 1000000) throw std::invalid_argument("--count wants 1 to 1000000, not " + text);
  return static_cast<int64_t>(count);
}

}  // namespace

Options parse_options(int count, char** arguments) {
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> takes = {
      {"--device", [&](const std::string& text) { options.device = text; }},
      {"--set", [&](const std::string& text) { options.sets = text; }},
      {"--filter", [&](const std::string& text) { options.filter = text; }},
      {"--seed", [&](const std::string& text) { options.seeds = numbers_of("--seed", text); }},
      {"--count", [&](const std::string& text) { options.count = count_of_works(text); }},
      {"--works", [&](const std::string& text) { options.works = text; }},
      {"--values", [&](const std::string& text) { options.values = text; }},
      {"--json", [&](const std::string& text) { options.json = text; }},
      {"--commit", [&](const std::string& text) { options.commit = text; }},
      {"--date", [&](const std::string& text) { options.date = text; }},
      {"--first-result", [&](const std::string& text) { options.first_result = text; }},
  };
  const std::map<std::string, std::function<void()>> flags = {
      {"--quick",
       [&] {
         options.effort = Effort{0.2, 0.02, 7};
       }},
      {"--no-peaks", [&] { options.peaks = false; }},
      {"--list", [&] { options.list = true; }},
      {"--identify", [&] { options.identify = true; }},
      {"--tune", [&] { options.tune = true; }},
      {"--help", [&] { options.help = true; }},
  };
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (const auto flag = flags.find(option); flag != flags.end()) {
      flag->second();
      continue;
    }
    const auto take = takes.find(option);
    if (take == takes.end()) throw std::invalid_argument("unknown option \"" + option + "\"; --help lists them");
    if (i + 1 == count) throw std::invalid_argument(option + " wants a value");
    take->second(arguments[++i]);
  }
  return options;
}

}  // namespace eglantine::perf
