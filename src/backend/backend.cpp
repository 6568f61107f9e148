#include "backend/backend.hpp"

#include <cstdlib>
#include <string_view>

#include "eglantine/error.hpp"

namespace eglantine {

bool row_chains_setting() {
  const char* text = std::getenv("EGLANTINE_ROW_CHAINS");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "on") return true;
  if (std::string_view(text) == "off") return false;
  throw DeviceError(std::string("[Device::open] EGLANTINE_ROW_CHAINS is \"") + text +
                    "\"; it must be on or off, or not set");
}

}  // namespace eglantine
