#pragma once

#include <sys/fsuid.h>

namespace eglantine::test {

/// The calling thread opens files as user nobody: root could open every file.
class AsNobody {
 public:
  AsNobody() : before_(setfsuid(65534)) {}
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { setfsuid(static_cast<uid_t>(before_)); }

 private:
  int before_;
};

}  // namespace eglantine::test
