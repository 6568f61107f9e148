#include "backend/gl/memory/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace eglantine::gl {

int64_t host_memory() {
  int64_t bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    // Without a limit the first file holds "max", no number; the second one beyond any machine's memory.
    int64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace eglantine::gl
