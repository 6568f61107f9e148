#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "verbs/composite.hpp"

namespace eglantine::optim {

/// The arguments of a formula: tensors of one shape, then its numbers as constants of that shape.
using Given = std::span<const Tensor>;

/// A formula as one node to the caller, whose time a small model's step is: its nodes are made when a step of the same
/// structure is planned for the first time. weight: about how many they are.
template <Tensor (*formula)(Given)>
Tensor as_one(const std::vector<Tensor>& tensors, std::initializer_list<double> numbers, int64_t weight) {
  nodes::Composite of{};
  of.parts = [](const nodes::Composite& composite) {
    const std::vector<Tensor> given(composite.args.begin(), composite.args.end());
    return formula(given).node();
  };
  of.args.reserve(tensors.size() + numbers.size());
  for (const Tensor& tensor : tensors) of.args.push_back(tensor.node());
  of.weight = weight;
  return verbs::composite_with(std::move(of), "optim", numbers);
}

}  // namespace eglantine::optim
