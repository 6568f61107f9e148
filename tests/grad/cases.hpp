#pragma once

#include <functional>
#include <vector>

#include "eglantine/grad.hpp"
#include "support/views.hpp"

/// A function of each kind of node, to be differentiated and mapped.
namespace eglantine::test {

using Arrays = std::vector<Array>;

struct DerivativeCase {
  const char* name;
  std::vector<Dims> shapes;
  Tensor (*f)(const Tensors&);
  Array (*reference)(const Arrays&);  ///< f by naive loops in double
  const char* lengths = "";           ///< further shapes, as drawn_shapes.hpp writes them; "": none
};

/// Those of every family.
const std::vector<DerivativeCase>& derivative_cases();

std::vector<DerivativeCase> movement_cases();
std::vector<DerivativeCase> arrangement_cases();  ///< joined, split, and axes by other names
std::vector<DerivativeCase> reduction_cases();
std::vector<DerivativeCase> row_cases();  ///< softmax and its kin, normalisations
std::vector<DerivativeCase> scan_and_order_cases();
std::vector<DerivativeCase> product_cases();  ///< also attention
std::vector<DerivativeCase> convolution_cases();
std::vector<DerivativeCase> pooling_cases();  ///< also interpolation
std::vector<DerivativeCase> index_cases();
std::vector<DerivativeCase> option_cases();    ///< what verbs of other families do on request
std::vector<DerivativeCase> composed_cases();  ///< activations, losses, perceptrons

/// Numbers from -1 to 1 of the shapes; of those that each case has.
std::vector<Sample> samples_of(const std::vector<Dims>& shapes, const View& held, uint64_t seed);
std::vector<Sample> samples_of(const DerivativeCase& one, const View& held);
Tensors arguments_of(const DerivativeCase& one, const View& held);

Function function_of(const DerivativeCase& one);

}  // namespace eglantine::test
