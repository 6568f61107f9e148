// Trains a classifier of pictures of clothes (Fashion-MNIST) on any device, and writes a report.
//
// The network is in network.cpp and a step of its training in training.cpp; everything else here reads data, draws and
// writes.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <optional>

#include "confusion_text.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "text.hpp"

using namespace eglantine;

namespace {

enum ExitCode { success = 0, failed = 1, interrupted = 130 };

volatile std::sig_atomic_t asked_to_stop = 0;

extern "C" void ask_to_stop(int) { asked_to_stop = 1; }

/// The first Ctrl-C lets the step in progress end; a second one ends the program at once.
void handle_interrupts() {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

std::string losses_text(const std::vector<float>& losses) {
  std::string out;
  char line[32];
  for (const float loss : losses) {
    std::snprintf(line, sizeof line, "%.9g\n", static_cast<double>(loss));
    out += line;
  }
  return out;
}

void print_results(const Run& run) {
  if (run.log.interrupted)
    std::cout << "\ninterrupted after " << run.log.losses.size() << " steps; what follows is the network so far\n";
  std::cout << "\nrows: what a picture shows; columns: what was guessed\n\n" << confusion_text(run.log.last.confusion);
  std::cout << "\nreport: " << run.options.report << "\n";
  std::string name = run.device.name;
  std::replace(name.begin(), name.end(), '"', '\'');
  std::cout << "test_accuracy=" << fixed(run.log.last.accuracy, 4) << " seconds=" << fixed(run.seconds, 1)
            << " device=\"" << name << "\"" << std::endl;
}

int run_demo(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  handle_interrupts();
  // Opened before the work, so that a wrong path is not found out after it.
  OutputFile report(options.report);
  std::optional<OutputFile> losses;
  if (!options.losses.empty()) losses.emplace(options.losses);

  const Device device = Device::open(options.device);
  Device::set_current(device);  // where layers make their weights
  std::cout << "device: " << device.info().name << "\n";
  if (!device.info().driver.empty()) std::cout << "driver: " << device.info().driver << "\n";
  std::cout << std::flush;
  const Dataset training = load_dataset(options.data, "train"), test = load_dataset(options.data, "t10k");
  std::cout << "data:   " << training.count() << " training images, " << test.count() << " test images\n" << std::endl;

  Network network(static_cast<uint64_t>(options.seed));
  Run run{.options = options,
          .device = device.info(),
          .log = train(network, training, test, options, device, asked_to_stop),
          .filters = network.first.weight.to_vector<float>(),
          .parameters = nn::count(network)};
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.finish(report_html(run, training, test));
  if (losses) losses->finish(losses_text(run.log.losses));
  print_results(run);
  return run.log.interrupted ? interrupted : success;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = read_options(count, arguments);
  try {
    return run_demo(options);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return failed;
  }
}
