#pragma once

#include <eglantine/eglantine.hpp>
#include <string>

/// A convolutional network: logits (n, 10) of pictures (n, 784), 0 to 1. Both convolutions look at every other pixel,
/// which halves the sides of the picture. Its weights lie on the device that is current when it is made.
struct Network {
  static constexpr int64_t filters = 16, filter_side = 5;  ///< of the first convolution

  eglantine::nn::Conv first, second;
  eglantine::nn::Linear hidden, last;

  explicit Network(uint64_t seed);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("second", second);
    visit("hidden", hidden);
    visit("last", last);
  }
  eglantine::Tensor operator()(const eglantine::Tensor& x) const;
  /// In words, for the report.
  static std::string description();
};
