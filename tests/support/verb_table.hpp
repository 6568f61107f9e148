#pragma once

#include <string>
#include <vector>

#include "eglantine/tensor.hpp"

namespace eglantine::test {

/// A public element-wise verb, called by its name.
struct Verb {
  std::string name;
  size_t arity;
  Tensor (*call)(const std::vector<Tensor>& arguments);
};

/// Every element-wise verb of ops.hpp; `where` takes its condition first.
const std::vector<Verb>& verbs();

/// The verb with this name, or null.
const Verb* find_verb(const std::string& name);

}  // namespace eglantine::test
