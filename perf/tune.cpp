#include "perf/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <regex>
#include <stdexcept>
#include <thread>

#include "backend/gl/context/make_target.hpp"
#include "eglantine/error.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "perf/open_like.hpp"
#include "perf/tuning/trial.hpp"
#include "system/whole_file.hpp"

namespace eglantine::perf {

namespace {

using lower::Tuning;

/// Below this a difference may be the measurement's.
constexpr double worth_keeping = 1.03;

bool agree(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](float x, float y) { return std::abs(static_cast<double>(x) - y) <= tolerance; });
}

/// Whether a choice is still better when both are measured again, in turn: a neighbour's work on the machine may have
/// slowed one of them.
bool is_confirmed(const Trial& trial, const TuningPtr& choice) {
  double table = 1e30, chosen = 1e30;
  for (int i = 0; i < 3; ++i) {
    table = std::min(table, trial.seconds_with(nullptr));
    chosen = std::min(chosen, trial.seconds_with(choice));
  }
  return chosen * worth_keeping < table;
}

/// Those with the results of the library's own choice. All are compiled then.
std::vector<Choice> right_choices(const Trial& trial) {
  const std::vector<float> wanted = trial.results_with(nullptr);
  std::vector<Choice> right;
  for (const Choice& choice : trial.choices()) {
    if (agree(trial.results_with(choice.tuning), wanted, trial.tolerance()))
      right.push_back(choice);
    else
      std::printf("  %s: WRONG, left out\n", choice.text.c_str());
  }
  return right;
}

/// Measures the choices of one trial, and keeps the winner in `tuning` where there is one.
void tune_with(const Trial& trial, Tuning& tuning) {
  std::printf("%s\n", trial.name().c_str());
  const std::vector<Choice> choices = right_choices(trial);
  trial.warm_up();
  const double table = trial.seconds_with(nullptr);
  std::printf("  %-40s %10.1f us\n", "the table's", table * 1e6);
  double best = table / worth_keeping;
  TuningPtr winner;
  for (const Choice& choice : choices) {
    const double seconds = trial.seconds_with(choice.tuning, best);
    const bool better = seconds < best;
    std::printf("  %-40s %10.1f us%s\n", choice.text.c_str(), seconds * 1e6, better ? "  better" : "");
    std::fflush(stdout);
    if (!better) continue;
    best = seconds;
    winner = choice.tuning;
  }
  if (winner == nullptr || !is_confirmed(trial, winner)) return;
  tuning.tiles.merge(std::map(winner->tiles));
  tuning.few_columns.merge(std::map(winner->few_columns));
}

/// Where the choices go, named or by default. What cannot be written is found out before the work.
std::filesystem::path place_for(const std::string& named, const lower::TuningKey& key) {
  const std::filesystem::path file = named.empty() ? lower::cached_tuning_file(key) : std::filesystem::path(named);
  if (file.empty() || file == "off")
    throw std::runtime_error("no place for the tuning file: set EGLANTINE_TUNING to its name, or HOME");
  if (exists(file) && !is_regular_file(file)) throw std::runtime_error(file.string() + " is no regular file");
  if (!file.parent_path().empty()) create_directories(file.parent_path());
  return file;
}

void tune_on_this_thread(const DeviceInfo& info, const std::string& named, const std::regex& wanted) {
  const auto device = open_like(info);
  const bool software = device->target().software;
  const lower::TuningKey key = gl::tuning_key(device->context(), software);
  const std::filesystem::path file = place_for(named, key);
  Tuning tuning;
  const size_t products = product_trials(software), all = products + few_columns_trials(software);
  for (size_t i = 0; i < all; ++i) {
    const std::unique_ptr<Trial> trial =
        i < products ? product_trial(*device, i) : few_columns_trial(*device, i - products);
    if (!std::regex_search(trial->name(), wanted)) continue;
    std::printf("[%zu of %zu] ", i + 1, all);
    tune_with(*trial, tuning);
    device->trim();
  }
  io::write_whole_file(file, lower::text_of(tuning, key));
  std::printf("choices better than the table's: %zu; written to %s\n", tuning.tiles.size() + tuning.few_columns.size(),
              file.c_str());
}

}  // namespace

std::string set_tuning_aside() {
  const char* text = std::getenv("EGLANTINE_TUNING");
  std::string named = text == nullptr ? "" : text;
  setenv("EGLANTINE_TUNING", "off", 1);
  return named;
}

void tune(const DeviceInfo& info, const std::string& file, const std::string& filter) {
  if (info.kind == "cpu") throw DeviceError("[eglantine_bench] the CPU backend has nothing to tune; name a GL device");
  std::exception_ptr error;
  // A thread of its own: its context must not stay current on ours.
  std::thread([&] {
    try {
      tune_on_this_thread(info, file, std::regex(filter));
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

}  // namespace eglantine::perf
