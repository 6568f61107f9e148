#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "eglantine/optim.hpp"

namespace eglantine::optim {

/// One parameter's update: its value and gradient as f32, and how moments are read and replaced.
class Update {
 public:
  Update(const Parameters& moments, Parameters& next, std::string path, Tensor value, Tensor gradient)
      : w(std::move(value)), g(std::move(gradient)), moments_(moments), next_(next), path_(std::move(path)) {}

  /// The moment of this kind, as it was before this step; zeros at first.
  Tensor moment(std::string_view kind) const;
  const Tensor& replace(std::string_view kind, const Tensor& by);

  Tensor w, g;

 private:
  std::string key(std::string_view kind) const { return std::string(kind) + "." + path_; }
  const Parameters& moments_;
  Parameters& next_;
  std::string path_;
};

/// The new values of all parameters that have gradients, `of` each; starts computing them, the moments and the other
/// values.
Parameters updated(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& values,
                   const Parameters& gradients, const std::function<Tensor(Update&)>& of);

Parameters state_of(const Parameters& moments, int64_t steps);
/// kinds: the moments' names begin with one of them.
void load_state(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& state,
                std::initializer_list<std::string_view> kinds);

}  // namespace eglantine::optim
