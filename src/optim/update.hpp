#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eglantine/optim.hpp"

namespace eglantine::optim {

/// The update of some parameters, one, or small ones packed into a vector: their value and gradient as f32, and how
/// moments are read and replaced.
class Update {
 public:
  Update(const Parameters& moments, std::vector<std::string> paths, std::vector<Shape> shapes, Tensor value,
         Tensor gradient)
      : w(std::move(value)),
        g(std::move(gradient)),
        moments_(moments),
        paths_(std::move(paths)),
        shapes_(std::move(shapes)) {}

  /// The moment of this kind, as it was before this step; zeros at first.
  Tensor moment(std::string_view kind) const;
  const Tensor& replace(std::string_view kind, const Tensor& by) { return next_[std::string(kind)] = by; }

  /// Adds what is to be computed: the replaced moments, and then the new values.
  void add_to(std::vector<Tensor>& results) const;
  /// Once that is computed: each parameter's moments and value.
  void give(Parameters& moments, Parameters& values) const;

  Tensor w, g, result;

 private:
  const Parameters& moments_;
  std::vector<std::string> paths_;
  std::vector<Shape> shapes_;
  Parameters next_;  ///< by kind
};

/// The new values of all parameters that have gradients, by `of`; starts computing them, the moments and the other
/// values.
Parameters updated(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& values,
                   const Parameters& gradients, const std::function<Tensor(Update&)>& of);

Parameters state_of(const Parameters& moments, int64_t steps);
/// kinds: the moments' names begin with one of them.
void load_state(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& state,
                std::initializer_list<std::string_view> kinds);

}  // namespace eglantine::optim
