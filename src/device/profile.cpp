#include "eglantine/profile.hpp"

#include <cstdio>
#include <exception>
#include <optional>

#include "device/open_devices.hpp"
#include "eglantine/error.hpp"
#include "profile/session.hpp"
#include "system/forked.hpp"

namespace eglantine {

namespace {

/// Waits until everything submitted so far has started.
void drain_queues() {
  for (const auto& device : open_devices()) device->queue().call([](Backend&) {});
}

/// Waits until everything submitted so far has been reported to the recorders.
void settle_devices() {
  for (const auto& device : open_devices())
    device->queue().call([](Backend& backend) {
      if (!backend.lost()) backend.settle_profile();
    });
}

}  // namespace

struct Profile::State {
  explicit State(const std::filesystem::path& file) : session(file) {}
  profile::Session session;
  std::optional<ProfileSummary> summary;
};

Profile::Profile() : Profile(std::filesystem::path()) {}
Profile::Profile(const std::filesystem::path& file) {
  require_own_process("Profile");
  const InUse in_use;
  drain_queues();
  state_ = std::make_unique<State>(file);
}
Profile::Profile(Profile&&) noexcept = default;

Profile::~Profile() {
  // In a forked child the recording is the parent's, and a thread may have held its locks.
  if (was_forked()) static_cast<void>(state_.release());
  try {
    if (state_ != nullptr) stop();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "eglantine: %s\n", error.what());
  }
}

Profile& Profile::operator=(Profile&& other) noexcept {
  const Profile ended(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

const ProfileSummary& Profile::stop() {
  if (state_ == nullptr) throw Error("[Profile::stop] this profile was moved from; stop the one that it was moved to");
  require_own_process("Profile::stop");
  if (!state_->summary) {
    settle_devices();
    state_->summary.emplace();  // set first: a failing write is not repeated
    state_->summary = state_->session.finish();
  }
  return *state_->summary;
}

}  // namespace eglantine
