#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "backend/gl/context/candidate.hpp"
#include "backend/gl/context/options.hpp"

namespace eglantine::gl {

/// The kind of a context, and its number within the kind: "gl:0", "gles:1".
struct DeviceName {
  bool gles = false;
  size_t number = 0;

  std::string kind() const { return gles ? "gles" : "gl"; }
  std::string spec() const { return kind() + ":" + std::to_string(number); }
};

/// Iterates over the candidates so that each physical device appears once: skips render nodes once a hardware device
/// has opened, and surfaceless and the default display once any device has.
class DeviceSearch {
 public:
  explicit DeviceSearch(const Egl& egl) : candidates_(find_candidates(egl, problem_)) {}

  const Candidate* next();                                 ///< the next candidate to try; null at the end
  size_t number() const { return number_; }                ///< of next()'s candidate
  size_t count() const { return taken_; }                  ///< of candidates returned so far
  bool is_numbered_by_egl(size_t number) const;            ///< always the same candidate, whichever open
  void opened(bool software);                              ///< the candidate returned last has opened
  bool hardware_is_left() const;                           ///< whether a hardware EGL device is untried
  const std::string& problem() const { return problem_; }  ///< of the enumeration; empty if none

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
