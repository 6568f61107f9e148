#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>

#include "profile/session.hpp"

namespace eglantine::profile {

namespace {

struct Environment {
  std::mutex mutex;
  bool begun = false;
  std::optional<Session> session;
  std::string file;
};

/// Never destroyed: end_from_environment() ends it, after the devices.
Environment& environment() {
  static auto& instance = *new Environment;
  return instance;
}

}  // namespace

void begin_from_environment() {
  Environment& profile = environment();
  const std::scoped_lock lock(profile.mutex);
  // Not std::call_once: without unwinding (GCC bug 66146, thread sanitizer) the call after a throw never returns.
  if (profile.begun) return;
  const char* file = std::getenv("EGLANTINE_PROFILE");
  if (file != nullptr && *file != '\0') {
    profile.session.emplace(file, "; EGLANTINE_PROFILE names the file to write a profile to");
    profile.file = file;
  }
  profile.begun = true;  // only on success: the next device that is opened reports the error again
}

void end_from_environment() {
  Environment& profile = environment();
  const std::scoped_lock lock(profile.mutex);
  if (!profile.session) return;
  try {
    const ProfileSummary summary = profile.session->finish();
    std::cerr << summary << "eglantine: the trace is in " << profile.file << "; open it in https://ui.perfetto.dev\n";
  } catch (const std::exception& error) {
    std::cerr << "eglantine: " << error.what() << "\n";
  }
  profile.session.reset();
}

}  // namespace eglantine::profile
