// Prints every device Eglantine can see, what it can do, which one Device::open("") takes, and why the others cannot be
// opened. Or measures how accurate a device's arithmetic is.

#include <charconv>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

#include "accuracy/table.hpp"
#include "backend/gl/context/workarounds.hpp"
#include "eglantine/device.hpp"
#include "eglantine/error.hpp"

namespace {

constexpr const char* usage =
    "usage: eglantine-info [--help] [--workarounds] [--accuracy [--stride <n>]] [--device <spec>]\n"
    "\n"
    "Lists the devices that Eglantine can compute on, hardware first, with their drivers, limits and extensions,\n"
    "says which one Device::open(\"\") takes, and, for each that cannot be opened, which step failed and what to try.\n"
    "\n"
    "--workarounds    instead, prints what drivers do otherwise than we would like, and what we do about it, as a\n"
    "                 table in Markdown. The list of devices names the rows that are in force on each\n"
    "--accuracy       instead, compares every element-wise operation with correctly rounded results: on f32 over\n"
    "                 every 4093rd of all bit patterns (--stride: another distance), on f16 and bf16 over all.\n"
    "                 Prints tables in Markdown: the largest error and where, NaN, infinities, signs of zeros,\n"
    "                 denormals. Fails when one is worse than promised. On the default device, or the one named by\n"
    "                 --device\n"
    "\n"
    "EGLANTINE_DEVICE  names the device that Device::open(\"\") takes: gl, gles, cpu, gl:1, gl:llvmpipe\n"
    "EGLANTINE_LOG     if set, warnings of the GL drivers appear on the standard error output\n";

void line(std::string_view label, const std::string& value) {
  if (!value.empty()) std::cout << "  " << std::left << std::setw(13) << label << value << '\n';
}

std::string bytes(int64_t count) {
  constexpr int64_t kibi = 1024, mebi = kibi * kibi;
  if (count % mebi == 0 || count > 64 * mebi) return std::to_string(count / mebi) + " MiB";
  return count % kibi == 0 ? std::to_string(count / kibi) + " KiB" : std::to_string(count) + " bytes";
}

std::string joined(const std::vector<std::string>& words) {
  constexpr size_t width = 100;
  std::string text;
  size_t column = 0;
  for (const std::string& word : words) {
    if (column + word.size() > width) {
      text += "\n" + std::string(15, ' ');
      column = 0;
    } else if (column > 0) {
      text += ' ';
    }
    text += word;
    column += word.size() + 1;
  }
  return text;
}

std::vector<std::string> with_commas(std::vector<std::string> phrases) {
  for (size_t i = 0; i + 1 < phrases.size(); ++i) phrases[i] += ",";
  return phrases;
}

void print_limits(const eglantine::DeviceInfo& info) {
  line("kind", info.kind + (info.software ? ", runs on the CPU" : ", hardware"));
  line("driver", info.driver);
  line("reached by", info.platform);
  line("uuid", info.uuid);
  if (info.memory_bytes > 0) line("memory", bytes(info.memory_bytes));
  if (info.kind == "cpu") return;
  line("storage",
       "blocks of " + bytes(info.max_block_bytes) + ", " + std::to_string(info.max_bindings) + " in a kernel");
  line("work group", std::to_string(info.max_invocations) + " invocations, " + bytes(info.max_shared_bytes) +
                         " shared; " + std::to_string(info.max_groups) + " groups in one dimension");
  line("tuning", info.tuning.empty() ? "the built-in table; scripts/bench --tune measures this device" : info.tuning);
  line("extensions", joined(info.extensions));
  line("workarounds", joined(with_commas(info.workarounds)));
}

void print(const eglantine::DeviceInfo& info) {
  std::cout << (info.spec.empty() ? "-" : info.spec) << "  " << info.name << '\n';
  if (info.available) {
    print_limits(info);
  } else {
    line("reached by", info.platform);
    line("cannot open", info.problem);
  }
  std::cout << '\n';
}

std::string reason(const eglantine::DeviceInfo& chosen) {
  const char* variable = std::getenv("EGLANTINE_DEVICE");
  if (variable != nullptr && *variable != '\0') return "EGLANTINE_DEVICE is set to \"" + std::string(variable) + "\"";
  if (chosen.kind == "cpu") return "no GL device can be opened";
  return chosen.software ? "no hardware device can be opened, and this is the first software one"
                         : "it is the first hardware device that opens";
}

int print_choice() {
  try {
    const eglantine::DeviceInfo chosen = eglantine::Device::open("").info();
    std::cout << "Device::open(\"\") takes " << chosen.spec << " \"" << chosen.name << "\": " << reason(chosen)
              << ".\n";
    return EXIT_SUCCESS;
  } catch (const eglantine::Error& error) {
    std::cout << "Device::open(\"\") fails: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

struct Options {
  bool help = false, accuracy = false, workarounds = false;
  std::string device;
  uint32_t stride = eglantine::accuracy::default_stride;
  std::string problem;  ///< of the arguments; empty when they make sense
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc && options.problem.empty(); ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--workarounds") {
      options.workarounds = true;
    } else if (argument == "--accuracy") {
      options.accuracy = true;
    } else if (argument == "--device" && i + 1 < argc) {
      options.device = argv[++i];
    } else if (argument == "--stride") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.stride);
      if (error != std::errc{} || end != value.data() + value.size() || options.stride == 0)
        options.problem = "--stride wants a whole number of at least 1, got \"" + std::string(value) + "\"";
      ++i;
    } else {
      options.problem = "unknown argument \"" + std::string(argument) + "\"";
    }
  }
  if (!options.accuracy && !options.device.empty()) options.problem = "--device wants --accuracy beside it";
  return options;
}

int measure_accuracy(const Options& options) {
  try {
    const eglantine::Device device = eglantine::Device::open(options.device);
    const bool wide = eglantine::accuracy::print_table(device, options.stride, std::cout);
    const bool narrow = eglantine::accuracy::print_narrow_table(device, options.stride, std::cout);
    return wide && narrow ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const eglantine::Error& error) {
    std::cerr << "eglantine-info: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.problem.empty()) {
    std::cerr << "eglantine-info: " << options.problem << "\n\n" << usage;
    return 2;
  }
  if (options.help) {
    std::cout << usage;
    return EXIT_SUCCESS;
  }
  if (options.workarounds) {
    std::cout << eglantine::gl::workarounds_in_markdown();
    return EXIT_SUCCESS;
  }
  if (options.accuracy) return measure_accuracy(options);
  for (const eglantine::DeviceInfo& info : eglantine::Device::list()) print(info);
  return print_choice();
}
