#include "support/devices.hpp"

#include <cctype>
#include <cstdlib>
#include <sstream>

#include "backend/device_state.hpp"
#include "backend/queue.hpp"

namespace eglantine::test {

std::vector<std::string> device_specs() {
  const char* chosen = std::getenv("EGLANTINE_TEST_DEVICES");
  std::istringstream words(chosen != nullptr && *chosen != '\0' ? chosen : "gl cpu");
  std::vector<std::string> specs;
  for (std::string word; words >> word;) specs.push_back(word);
  return specs;
}

Device open_device(const std::string& spec) { return Device::open(spec); }

Statistics statistics(const Device& device) {
  Statistics result;
  device.state()->queue().call([&](Backend& backend) { result = backend.statistics(); });
  return result;
}

std::string name_of_spec(std::string spec) {
  for (char& c : spec)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return spec;
}

bool add_test(const DeviceSuite& suite, const std::string& name, const char* file, int line, DeviceTest* (*make)()) {
  for (const std::string& spec : suite.specs) {
    const auto on_device = [make, spec] {
      DeviceTest* test = make();
      test->run_on(spec);
      return test;
    };
    ::testing::RegisterTest(suite.name.c_str(), (name + "/" + name_of_spec(spec)).c_str(), nullptr, spec.c_str(), file,
                            line, on_device);
  }
  return true;
}

}  // namespace eglantine::test
