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

std::string spec_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace eglantine::test
