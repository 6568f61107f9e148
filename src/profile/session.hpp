#pragma once

#include <filesystem>
#include <memory>

#include "eglantine/profile.hpp"
#include "profile/recorder.hpp"

namespace eglantine::profile {

/// One recording, and the file that it is written to.
class Session {
 public:
  /// An empty path: no file. Throws FileError, whose text ends with `asked_by`, when the file cannot be written.
  explicit Session(std::filesystem::path file, const std::string& asked_by = "");
  ~Session() { remove_recorder(recorder_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  ProfileSummary finish();  ///< ends the recording and writes the file; throws FileError

 private:
  std::filesystem::path file_;
  std::shared_ptr<Recorder> recorder_;
};

ProfileSummary summary_of(const Recording& recording);

/// Starts the profile that $EGLANTINE_PROFILE names, if it is set and the profile has not started. Throws FileError.
void begin_from_environment();
/// Ends it: writes the file, and the summary to the standard error output. Call after the devices have stopped.
void end_from_environment();

}  // namespace eglantine::profile
