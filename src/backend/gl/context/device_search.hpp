#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "backend/gl/context/candidate.hpp"
#include "backend/gl/context/options.hpp"

namespace eglantine::gl {

/// "gl:0", "gles:1": the kind of context, and the number within the kind.
struct DeviceName {
  bool gles = false;
  size_t number = 0;

  std::string kind() const { return gles ? "gles" : "gl"; }
  std::string spec() const { return kind() + ":" + std::to_string(number); }
};

/// Walks through the candidates, leaving out those that could only reach a device which was reached already: render
/// nodes once a hardware device opened, surfaceless and the default display once any did. So a physical device appears
/// once.
class DeviceSearch {
 public:
  explicit DeviceSearch(const Egl& egl) : candidates_(find_candidates(egl, problem_)) {}

  /// The next one to try and its number; null at the end.
  const Candidate* next();
  size_t number() const { return number_; }
  size_t count() const { return taken_; }  ///< of those returned so far
  /// Which candidate has the number does not depend on which ones open.
  bool is_numbered_by_egl(size_t number) const;
  /// The one returned last opened.
  void opened(bool software);
  /// A hardware EGL device has not been tried yet.
  bool hardware_is_left() const;
  const std::string& problem() const { return problem_; }  ///< of the enumeration; empty when there is none

 private:
  bool is_reached(const Candidate& candidate) const;

  std::string problem_;
  std::vector<Candidate> candidates_;
  size_t position_ = 0, number_ = 0, taken_ = 0;
  bool any_opened_ = false, hardware_opened_ = false;
};

/// Makes the backend of a candidate, on the calling thread. Throws DeviceError.
std::unique_ptr<Backend> open_candidate(const Candidate& candidate, const DeviceName& name, const Options& options);

}  // namespace eglantine::gl
