#include "perf/options.hpp"

#include <functional>
#include <map>
#include <stdexcept>

namespace eglantine::perf {

const char* const usage =
    "Measures Eglantine on one device: checks each work's results, then times it over inputs that no cache holds.\n"
    "\n"
    "  --device SPEC   gl, gl:1, gl:llvmpipe, gles or cpu; the best device when left out\n"
    "  --set NAMES     gpu, software, classic, sweep, order, narrow, network, training, smoke, separated by commas; "
    "gpu or "
    "software by\n"
    "                  the device\n"
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

Options parse_options(int count, char** arguments) {
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> takes = {
      {"--device", [&](const std::string& text) { options.device = text; }},
      {"--set", [&](const std::string& text) { options.sets = text; }},
      {"--filter", [&](const std::string& text) { options.filter = text; }},
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
