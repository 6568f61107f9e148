#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eglantine/detail/any_layer.hpp"
#include "eglantine/verbs/random.hpp"

/// Layers of any kinds, one after the other.
namespace eglantine::nn {

/// Calls its parts one after the other, each with what the one before it made; without parts it gives x. Parts are
/// layers, models, other Sequentials, and functions or lambdas of one tensor. Their paths begin with their numbers, as
/// PyTorch's ("0.weight", "2.weight": functions count). A copy has its own parts.
///
///     nn::Sequential net{nn::Linear(784, 128, 1), relu, nn::Dropout(0.1), nn::Linear(128, 10, 2)};
///
/// Parts that are called with (x, bool training), or with (x, bool training, uint64_t seed), get both from the call,
/// the i-th part split_seed(seed, i) as seed. Of what a recurrent layer gives, the next part gets the output. Where
/// <cmath> has a function of the same name, write eglantine::tanh. Throws what its parts throw.
class Sequential {
 public:
  Sequential() = default;
  template <class... Layers>
  requires(sizeof...(Layers) > 0) explicit Sequential(Layers... layers) {
    layers_.reserve(sizeof...(Layers));
    (push_back(std::move(layers)), ...);
  }

  /// Adds a part behind the others.
  template <class Layer>
  void push_back(Layer layer) {
    layers_.emplace_back(std::move(layer));
  }
  size_t size() const { return layers_.size(); }  ///< parts, functions among them

  /// As after training: nothing is dropped, and running statistics stay as they are.
  Tensor operator()(const Tensor& x) const {
    Sequential copy = *this;  // parts may only be callable where they are not const, as BatchNorm is
    return copy(x, false);
  }
  Tensor operator()(Tensor x, bool training, uint64_t seed = 0) {
    for (size_t i = 0; i < layers_.size(); ++i) x = layers_[i].call(x, training, split_seed(seed, i));
    return x;
  }

  template <class Visit>
  void parts(Visit&& visit) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      const std::string prefix = std::to_string(i) + ".";
      layers_[i].visit([&](const std::string& path, Tensor& x, bool buffer) {
        buffer ? visit.buffer(prefix + path, x) : visit(prefix + path, x);
      });
    }
  }

 private:
  std::vector<detail::AnyLayer> layers_;
};

}  // namespace eglantine::nn
