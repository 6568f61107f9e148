#include "backend/gl/devices/device_search.hpp"

#include <algorithm>

namespace eglantine::gl {

bool DeviceSearch::is_reached(const Candidate& candidate) const {
  switch (candidate.platform) {
    case Platform::device:
      return false;
    case Platform::gbm:
      return hardware_opened_;
    case Platform::surfaceless:
    case Platform::default_display:
      break;
  }
  return any_opened_;
}

const Candidate* DeviceSearch::next() {
  while (position_ < candidates_.size() && is_reached(candidates_[position_])) ++position_;
  if (position_ == candidates_.size()) return nullptr;
  number_ = taken_++;
  return &candidates_[position_++];
}

bool DeviceSearch::is_numbered_by_egl(size_t number) const {
  if (number >= candidates_.size()) return false;
  return std::all_of(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(number) + 1,
                     [](const Candidate& candidate) { return candidate.platform == Platform::device; });
}

void DeviceSearch::opened(bool software) {
  any_opened_ = true;
  hardware_opened_ = hardware_opened_ || !software;
}

bool DeviceSearch::hardware_is_left() const {
  return std::any_of(candidates_.begin() + static_cast<std::ptrdiff_t>(position_), candidates_.end(),
                     [&](const Candidate& candidate) {
                       const bool may_be_hardware = candidate.platform == Platform::device && !candidate.software;
                       return (may_be_hardware || candidate.platform == Platform::gbm) && !is_reached(candidate);
                     });
}

}  // namespace eglantine::gl
