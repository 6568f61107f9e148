#include "backend/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "eglantine/error.hpp"

namespace eglantine {

bool row_chains_setting() {
  const char* text = std::getenv("EGLANTINE_ROW_CHAINS");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "on") return true;
  if (std::string_view(text) == "off") return false;
  throw DeviceError(std::string("[Device::open] EGLANTINE_ROW_CHAINS is \"") + text +
                    "\"; it must be on or off, or not set");
}

void Backend::upload_read(Storage& to, int64_t bytes, const ReadBytes& read) {
  constexpr int64_t part_bytes = int64_t{1} << 20;
  std::vector<std::byte> part(static_cast<size_t>(std::min(bytes, part_bytes)));
  for (int64_t done = 0; done < bytes; done += part_bytes) {
    const std::span<std::byte> next(part.data(), static_cast<size_t>(std::min(bytes - done, part_bytes)));
    read(next);
    upload(to, done, next);
  }
}

}  // namespace eglantine
