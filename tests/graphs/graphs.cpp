#include <cstdio>
#include <cstdlib>

#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_graphs.hpp"

/// usage: eglantine_graphs <count> [first seed]: so many random graphs of verbs on each device under test, computed in
/// several orders; where cases are drawn, one in ten of them. Ends with 1 when one of them has other bits in another
/// order, or fails.
int main(int count, char** arguments) {
  using namespace eglantine;
  using namespace eglantine::test;
  const auto number = [&](int i, uint64_t otherwise) {
    return i < count ? std::strtoull(arguments[i], nullptr, 10) : otherwise;
  };
  const uint64_t programs = number(1, 1000), first = number(2, 1);
  int failed = 0;
  if (draws_cases()) std::printf("drawn: %s\n", draw_settings().c_str());
  for (const std::string& spec : device_specs()) {
    Device::set_current(open_device(spec));
    Draw draw(10, "graphs " + spec);
    for (uint64_t seed = first; seed < first + programs; ++seed) {
      if (!draw.next()) continue;
      const std::string found = check_random_graph(seed);
      if (found.empty()) continue;
      ++failed;
      std::printf("%s: %s\n", spec.c_str(), found.c_str());
      std::fflush(stdout);
    }
    std::printf("%s: %llu programs from %llu on, %d failed so far\n", spec.c_str(),
                static_cast<unsigned long long>(programs), static_cast<unsigned long long>(first), failed);
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}
