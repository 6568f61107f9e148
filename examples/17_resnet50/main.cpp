// ResNet-50 inference: a deep network of convolutions whose normalisations are folded away.
//
//   17_resnet50 [--batch 1] [--size 64]

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "../options.hpp"
#include "resnet50.hpp"

using namespace eglantine;

namespace {

bool all_well = true;

void check(const std::string& what, bool holds) {
  std::cout << what << ": " << (holds ? "yes" : "NO") << "\n";
  all_well = all_well && holds;
}

/// A normalisation and what it is folded into give the same.
bool folding_changes_nothing() {
  resnet50::Weights weights(7, Device::current());
  const resnet50::Normalised layer = weights.convolution(8, 16, 3, 1);
  const Tensor x = weights.normals({2, 8, 9, 9}, 1);
  return allclose(resnet50::folded(layer)(x), layer(x), 1e-4, 1e-4);
}

/// The kernels that computing x takes: their names are the lines of explain() that name a family.
int kernels_of(const Tensor& x) {
  const std::string text = explain(x);
  int count = 0;
  for (const std::string family : {"contraction ", "reduce ", "matmul ", "few_columns ", "map "})
    for (size_t at = text.find("\n" + family); at != std::string::npos; at = text.find("\n" + family, at + 1)) ++count;
  return count;
}

}  // namespace

int main(int count, char** arguments) {
  int64_t batch = 1, size = 64;
  take_options(
      count, arguments, "Classes of random pictures by a ResNet-50 of random weights.",
      {{"--batch", &batch, "N", "pictures (1)", 1, 1024}, {"--size", &size, "N", "their sides (64)", 1, 4096}});
  const resnet50::Network network(1);
  const Tensor pictures = uniform({batch, 3, size, size}, 2).eval();

  const Tensor scores = network(pictures);
  std::cout << kernels_of(scores) << " kernels for 53 convolutions, a pool, a mean and a product\n";
  const Tensor probabilities = softmax(scores, 1);
  std::cout << "scores " << scores.shape() << ", the first picture's class: " << argmax(scores, 1)(0) << "\n";

  check("one probability for each class", scores.shape() == Shape{batch, resnet50::Network::classes});
  check("probabilities add up to 1", allclose(sum(probabilities, 1), ones({batch}), 1e-5));
  check("all are finite", all(isfinite(scores)).item<bool>());
  check("the same bits again", array_equal(network(pictures), scores));
  check("folding a normalisation changes nothing", folding_changes_nothing());

  const Device cpu = Device::open("cpu");
  const Tensor expected = resnet50::Network(1, cpu)(pictures.to(cpu));
  check("the CPU says the same", allclose(scores.to(cpu), expected, 1e-3, 1e-3));
  return all_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
