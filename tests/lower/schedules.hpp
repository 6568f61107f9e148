#pragma once

#include <string>
#include <vector>

#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"

/// What the tests of schedules share: the forms of a family that are meant for hardware, on whatever device there is.
namespace eglantine::test {

using Words = std::vector<uint32_t>;

/// Takes down the names of what runs.
class PlannedAs : public AsTarget {
 public:
  using AsTarget::AsTarget;
  void dispatch(const gl::Dispatch& dispatch) override {
    names += dispatch.name + "\n";
    AsTarget::dispatch(dispatch);
  }
  std::string names;
};

}  // namespace eglantine::test
