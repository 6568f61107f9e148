#pragma once

#include <string>
#include <vector>

#include <eglantine/eglantine.hpp>

/// Programs as a new user writes them, each beside the same in NumPy (programs.py): computed from numbers that both
/// make alike, with results that both print.
namespace eglantine::programs {

/// Small for the tests, full for measuring.
enum class Size { small, full };

struct Program {
  std::string name;
  std::vector<Tensor> (*run)(Size size);
};

std::vector<Tensor> kmeans(Size size);
std::vector<Tensor> principal_components(Size size);
std::vector<Tensor> convolutional_network(Size size);
std::vector<Tensor> logistic_regression(Size size);
std::vector<Tensor> transformer_block(Size size);
std::vector<Tensor> heat(Size size);
std::vector<Tensor> life(Size size);
std::vector<Tensor> histograms(Size size);
std::vector<Tensor> mandelbrot(Size size);
std::vector<Tensor> conjugate_gradients(Size size);
std::vector<Tensor> n_body(Size size);

inline const std::vector<Program> all = {{"kmeans", kmeans},
                                         {"principal_components", principal_components},
                                         {"convolutional_network", convolutional_network},
                                         {"logistic_regression", logistic_regression},
                                         {"transformer_block", transformer_block},
                                         {"heat", heat},
                                         {"life", life},
                                         {"histograms", histograms},
                                         {"mandelbrot", mandelbrot},
                                         {"conjugate_gradients", conjugate_gradients},
                                         {"n_body", n_body}};

/// Numbers in [0, 1) that look random, the same here and in NumPy: a hash of the place, its upper 24 bits.
inline Tensor scrambled(Shape shape, uint32_t salt = 0) {
  const Tensor number = arange(0, static_cast<double>(shape.elements()), 1, DType::u32) + (salt * 1000003U + 1U);
  const Tensor word = (number ^ (number >> 15)) * 2654435761U;
  return ((((word ^ (word >> 13)) * 2246822519U) >> 8).astype(DType::f32) * 0x1p-24).reshape(shape);
}

}  // namespace eglantine::programs
