#include "options.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>

const char* const usage =
    "Trains a classifier of 60,000 pictures of clothes (Fashion-MNIST) and writes a report.\n"
    "\n"
    "  --device SPEC   gl, gl:1, gl:llvmpipe, gles or cpu; the best device when left out\n"
    "  --epochs N      passes over the training images (5)\n"
    "  --batch N       images in a step (128)\n"
    "  --steps N       stop after N steps (0: all)\n"
    "  --seed N        of the weights and the shuffling (1)\n"
    "  --data FOLDER   where the data set is (/usr/share/datasets/fashion-mnist)\n"
    "  --report FILE   the report to write (report.html)\n"
    "  --losses FILE   write the loss of every step, one a line\n"
    "  --help          this text\n";

namespace {

int64_t number(const std::string& option, const std::string& text, int64_t low, int64_t high) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw std::invalid_argument(option + " wants a whole number from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", got \"" + text + "\"");
  return value;
}

}  // namespace

Options parse_options(int count, char** arguments) {
  Options options;
  using Take = std::function<void(const std::string&)>;
  const std::map<std::string, Take> takes = {
      {"--device", [&](const std::string& text) { options.device = text; }},
      {"--data", [&](const std::string& text) { options.data = text; }},
      {"--report", [&](const std::string& text) { options.report = text; }},
      {"--losses", [&](const std::string& text) { options.losses = text; }},
      {"--epochs", [&](const std::string& text) { options.epochs = number("--epochs", text, 1, 1000); }},
      {"--batch", [&](const std::string& text) { options.batch = number("--batch", text, 1, 60000); }},
      {"--steps", [&](const std::string& text) { options.steps = number("--steps", text, 0, 1 << 30); }},
      {"--seed",
       [&](const std::string& text) { options.seed = static_cast<uint64_t>(number("--seed", text, 0, INT64_MAX)); }},
  };
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--help") options.help = true;
    if (option == "--help") continue;
    const auto take = takes.find(option);
    if (take == takes.end()) throw std::invalid_argument("unknown option \"" + option + "\"; --help lists them");
    if (i + 1 == count) throw std::invalid_argument(option + " wants a value");
    take->second(arguments[++i]);
  }
  return options;
}
