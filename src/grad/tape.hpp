#pragma once

#include <string_view>

#include "check/check.hpp"
#include "eglantine/grad.hpp"
#include "grad/cotangents.hpp"

namespace eglantine::derivatives {

/// A function that has run on traced inputs: its results, and how cotangents go back from them.
class Tape {
 public:
  /// function: for errors, which outlives it. Runs f, and keeps what leads from x to its results.
  Tape(std::string_view function, const Function& f, const Tensors& x);

  const Tensors& results() const { return results_; }
  /// The cotangents of x, of one cotangent for each result (undefined: zeros). May be called again.
  Tensors back(const Tensors& cotangents) const;
  /// The same, once: what the function has made is let go on the way, as far as nothing else needs it.
  Tensors unwind(const Tensors& cotangents);

 private:
  void record(const TracePtr& trace);
  void give(const Tensors& cotangents, Cotangents& sums) const;
  Tensors taken(Cotangents& sums) const;

  const std::string_view function_;
  const Tensors x_;
  Tensors traced_, results_;
  Record record_;
  TracePtr trace_;
};

/// Throws Error where there is no function.
template <class F>
void require_function(std::string_view function, const F& f) {
  if (!f) check::fail<Error>(function, "there is no function to call: the std::function is empty");
}

/// Throws where cotangents (or tangents) do not fit the tensors that they are of.
void require_like(std::string_view function, std::string_view what, const Tensors& given, const Tensors& of);

}  // namespace eglantine::derivatives
