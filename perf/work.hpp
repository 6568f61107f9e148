#pragma once

#include <eglantine/eglantine.hpp>
#include <functional>
#include <string>
#include <vector>

namespace eglantine::perf {

using Tensors = std::vector<Tensor>;

/// A work made ready: its inputs lie on a device.
struct Prepared {
  std::vector<std::function<Tensors()>> calls;  ///< the same over other inputs each; they take turns
  std::function<std::string()> problem;         ///< makes one call; what is wrong with its results, "" for nothing
};

/// What a call takes, and what it gives.
struct Values {
  Tensors operands, results;
};

/// One thing to measure.
struct Work {
  std::string name;         ///< "mul/2^28": the operation, then the size; peers use the same
  std::string family = {};  ///< of a drawn work; else empty
  double bytes = 0;         ///< read and written by one call, at the least; 0 where that is not the point
  double operations = 0;    ///< arithmetic operations of one call, as the formula says; exp and its like count as one
  double steps = 1;         ///< a call is so many steps, and a figure is of one step
  double items = 0;         ///< what a call gets through, where a rate of its own is of interest: images
  bool on_host = false;     ///< its calls wait and return nothing: only wall time has a meaning
  std::function<Prepared(const Device&)> prepare;
  std::function<Values(const Device&)> values = {};  ///< for peers to give the same of the same; none where no verb is
                                                     ///< applied to operands

  std::string operation() const { return name.substr(0, name.find('/')); }
};

}  // namespace eglantine::perf
