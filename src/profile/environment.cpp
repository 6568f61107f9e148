#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>

#include "profile/session.hpp"

namespace eglantine::profile {

namespace {

struct Environment {
  std::once_flag begun;
  std::optional<Session> session;
  std::string file;
};

/// Never destroyed: it is ended by hand, after the devices.
Environment& environment() {
  static auto& instance = *new Environment;
  return instance;
}

}  // namespace

void begin_from_environment() {
  Environment& profile = environment();
  std::call_once(profile.begun, [&] {  // again when it throws
    const char* file = std::getenv("EGLANTINE_PROFILE");
    if (file == nullptr || *file == '\0') return;
    profile.file = file;
    profile.session.emplace(file, "; EGLANTINE_PROFILE names the file to write a profile to");
  });
}

void end_from_environment() {
  Environment& profile = environment();
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
