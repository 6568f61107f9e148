#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/tensor.hpp"

/// Models: copyable structs with a call, and `parts`, which names their tensors and layers.
///
///     struct Net {
///       nn::Linear first{784, 128, 1}, second{128, 10, 2};
///       template <class Visit>
///       void parts(Visit&& visit) { visit("first", first); visit("second", second); }
///       Tensor operator()(const Tensor& x) const { return second(relu(first(x))); }
///     };
///
/// A part is a tensor, a model, or a vector, array or optional of them; `visit.buffer(name, tensor)` names state that
/// is not trained. A tensor's path joins the names from the model down: "first.weight", "layers.0.bias". A tensor that
/// is not defined (no bias) is no parameter.
namespace eglantine {

using Parameters = std::map<std::string, Tensor>;  ///< by path

}  // namespace eglantine

namespace eglantine::nn::detail {

/// For the library's own use: adds to parameters. Throws Error when the path is there already.
EGLANTINE_API void add(Parameters& to, const std::string& path, const Tensor& x);
/// For the library's own use: throws as load().
EGLANTINE_API void require_fit(std::string_view function, const Parameters& of_model, const Parameters& given,
                               bool strict);

/// For the library's own use.
inline bool is_of_floats(const Tensor& x) {
  return x.dtype() == DType::f32 || x.dtype() == DType::f16 || x.dtype() == DType::bf16;
}

/// For the library's own use: what `parts` is called with, which calls f(path, tensor, whether it is a buffer) for each
/// tensor.
template <class F>
class Walk {
 public:
  Walk(std::string prefix, F& f) : prefix_(std::move(prefix)), f_(f) {}

  template <class T>
  void operator()(std::string_view name, T& part) {
    visit(prefix_ + std::string(name), part);
  }
  void buffer(std::string_view name, Tensor& x) { f_(prefix_ + std::string(name), x, true); }

 private:
  void visit(const std::string& path, Tensor& x) {
    if (x.defined()) f_(path, x, false);
  }
  template <class T>
  void visit(const std::string& path, T& part) {
    if constexpr (requires { part.parts(*this); }) {
      part.parts(Walk(path + ".", f_));
    } else if constexpr (requires { part.has_value(); }) {
      if (part.has_value()) visit(path, *part);
    } else {
      size_t number = 0;
      for (auto& each : part) visit(path + "." + std::to_string(number++), each);
    }
  }

  std::string prefix_;
  F& f_;
};

template <class Model, class F>
void walk(Model& model, F f) {
  model.parts(Walk<F>("", f));
}

template <class Model>
Parameters collected(Model model, bool buffers, bool others) {
  Parameters found;
  walk(model, [&](const std::string& path, Tensor& x, bool buffer) {
    if (buffer ? buffers : others) add(found, path, x);
  });
  return found;
}

}  // namespace eglantine::nn::detail

namespace eglantine::nn {

/// What is trained of a model. Throws Error when two tensors have one path.
template <class Model>
Parameters parameters(const Model& model) {
  return detail::collected(model, false, true);
}

/// Buffers too: all that a file of the model holds.
template <class Model>
Parameters state(const Model& model) {
  return detail::collected(model, true, true);
}

/// Sets the model's tensors, buffers too, to those of the same paths. Throws Error when a tensor of the model is not
/// given, or one is given that it has not (either may be where not strict), ShapeError and DTypeError where one has
/// another shape or dtype. A model is left as it was where it throws.
template <class Model>
void load(Model& model, const Parameters& given, bool strict = true) {
  detail::require_fit("nn::load", state(model), given, strict);
  detail::walk(model, [&](const std::string& path, Tensor& x, bool) {
    if (const auto found = given.find(path); found != given.end()) x = found->second;
  });
}

}  // namespace eglantine::nn

namespace eglantine::nn::detail {

/// For the library's own use: the paths of a model's float parameters, and their values.
template <class Model>
std::pair<std::vector<std::string>, Tensors> float_parameters(const Model& model) {
  std::pair<std::vector<std::string>, Tensors> found;
  for (const auto& [path, x] : parameters(model)) {
    if (!is_of_floats(x)) continue;
    found.first.push_back(path);
    found.second.push_back(x);
  }
  return found;
}

/// For the library's own use: a copy of the model with the first of `values` at these paths, which are in order.
template <class Model>
Model with_values(const Model& model, const std::vector<std::string>& paths, const Tensors& values) {
  Model copy = model;
  walk(copy, [&](const std::string& path, Tensor& x, bool) {
    const auto found = std::lower_bound(paths.begin(), paths.end(), path);
    if (found != paths.end() && *found == path) x = values[static_cast<size_t>(found - paths.begin())];
  });
  return copy;
}

}  // namespace eglantine::nn::detail

namespace eglantine::nn {

/// Elements of all parameters.
template <class Model>
int64_t count(const Model& model) {
  int64_t elements = 0;
  for (const auto& [path, x] : parameters(model)) elements += x.size();
  return elements;
}

/// loss(model), a float of rank 0, and its derivative by each float parameter of the model. `loss` is given a copy of
/// the model; what it wrote to that one's buffers comes back to `model`. Throws as eglantine::value_and_grad.
template <class Model, class F>
std::pair<Tensor, Parameters> value_and_grad(Model& model, F loss) {
  const auto [paths, values] = detail::float_parameters(model);
  Parameters buffers;
  const auto of_values = [&, &paths = paths](const Tensors& traced) {
    Model copy = detail::with_values(model, paths, traced);
    Tensor value = loss(copy);
    buffers = detail::collected(copy, true, false);
    return value;
  };
  const auto [value, slopes] = eglantine::value_and_grad(of_values, values);
  for (auto& [path, x] : buffers) x = stop_gradient(x);
  if (!buffers.empty()) load(model, buffers, false);
  Parameters gradients;
  for (size_t i = 0; i < paths.size(); ++i) gradients.emplace(paths[i], slopes[i]);
  return {value, gradients};
}

/// f(model, x), a Tensors, of a part of a model that is being trained, such as one of its blocks: intermediate values
/// are computed again for the derivative instead of being kept, as by eglantine::checkpoint, and derivatives go to the
/// model's float parameters and to x. `f` is called twice, with copies of the model that are alike, so that the same
/// seeds draw the same numbers; what it wrote to the first one's buffers comes back to a model that is not const. Error
/// where f captures a float besides, that a derivative is being taken by.
template <class Model, class F>
Tensors checkpoint(Model& model, F f, const Tensors& x) {
  const auto [paths, values] = detail::float_parameters(model);
  const auto of_values = [model, f, paths = paths](const Tensors& given) {
    auto copy = detail::with_values(model, paths, given);
    Model& part = copy;
    Tensors results = f(part, Tensors(given.begin() + static_cast<std::ptrdiff_t>(paths.size()), given.end()));
    for (const auto& [path, buffer] : detail::collected(copy, true, false)) results.push_back(stop_gradient(buffer));
    return results;
  };
  Tensors arguments = values;
  arguments.insert(arguments.end(), x.begin(), x.end());
  Tensors results = eglantine::checkpoint(of_values)(arguments);
  Parameters buffers = detail::collected(model, true, false);
  size_t last = results.size() - buffers.size();
  for (auto& [path, buffer] : buffers) buffer = stop_gradient(results[last++]);
  results.resize(results.size() - buffers.size());
  if constexpr (!std::is_const_v<Model>) load(model, buffers, false);
  return results;
}
/// model(x), likewise.
template <class Model>
Tensor checkpoint(Model& model, const Tensor& x) {
  const auto call = [](Model& part, const Tensors& at) { return Tensors{part(at.front())}; };
  return checkpoint(model, call, {x}).front();
}

}  // namespace eglantine::nn
