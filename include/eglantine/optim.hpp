#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>

#include "eglantine/nn.hpp"

/// Optimisers: aggregates that are copied, saved and resumed. `step(model, gradients)` replaces each parameter of the
/// model that has a gradient, by path, and starts computing the new ones, with the value that the gradients are of, if
/// the program still has it; others stay. Moments are f32, begin as zeros and are visible, as `steps` is. state() holds
/// both, for a file, and load() takes them: a resumed run has the bits of one that was not interrupted.
///
/// In the formulas w is a parameter, g its gradient, rate the schedule's at this step; `decay`, where it is not said
/// otherwise, adds decay w to g first. step() throws Error for a gradient of a path that the model has not, a rate that
/// is not finite, beta1, beta2 or alpha outside [0, 1), and momentum, eps or decay that are negative or not finite as
/// f32; ShapeError where the shape of a gradient or of a moment is not the parameter's, DTypeError for a moment that is
/// not f32. load() throws Error and ShapeError where the state is of another optimiser's kind.
namespace eglantine::optim {

using Schedule = std::function<double(int64_t)>;  ///< of steps from 0 on

/// A number, or what is called with the number of the step, 0 at the first.
class EGLANTINE_API Rate {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T>) Rate(T number)
      : of_([rate = static_cast<double>(number)](int64_t) { return rate; }) {}
  template <class F>
  requires(std::invocable<F&, int64_t> && !std::same_as<std::remove_cvref_t<F>, Rate>) Rate(F schedule)
      : of_(std::move(schedule)) {}

  double operator()(int64_t step) const { return of_(step); }

 private:
  Schedule of_;
};

/// w -= rate v, v = momentum v + g; with nesterov w -= rate (g + momentum v). Of no momentum v is g, and not kept.
struct EGLANTINE_API Sgd {
  Rate rate = 1e-3;
  double momentum = 0;
  bool nesterov = false;
  double decay = 0;
  Parameters moments = {};  ///< "velocity.<path>"
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  /// The new values of what has gradients; starts computing them and the other values.
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, w -= rate m' / (sqrt(v') + eps), m' = m / (1 - beta1^t),
/// v' = v / (1 - beta2^t), t the steps with this one. Kingma and Ba, "Adam: a method for stochastic optimization"
/// (2015).
struct EGLANTINE_API Adam {
  Rate rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double decay = 0;
  Parameters moments = {};  ///< "first.<path>", "second.<path>"
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// Adam, before which w -= rate decay w. Loshchilov and Hutter, "Decoupled weight decay regularization" (2019).
struct EGLANTINE_API AdamW {
  Rate rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double decay = 1e-2;
  Parameters moments = {};  ///< as Adam's
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// v = alpha v + (1 - alpha) g^2, w -= rate g / (sqrt(v) + eps). Tieleman and Hinton (2012).
struct EGLANTINE_API RmsProp {
  Rate rate = 1e-2;
  double alpha = 0.99, eps = 1e-8;
  double decay = 0;
  Parameters moments = {};  ///< "square.<path>"
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// s = s + g^2, w -= rate g / (sqrt(s) + eps). Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011).
struct EGLANTINE_API Adagrad {
  Rate rate = 1e-2;
  double eps = 1e-10;
  double decay = 0;
  Parameters moments = {};  ///< "sum.<path>"
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// w -= rate (sign(beta1 m + (1 - beta1) g) + decay w), m = beta2 m + (1 - beta2) g. Chen and others, "Symbolic
/// discovery of optimization algorithms" (2023).
struct EGLANTINE_API Lion {
  Rate rate = 1e-4;
  double beta1 = 0.9, beta2 = 0.99;
  double decay = 0;
  Parameters moments = {};  ///< "first.<path>"
  int64_t steps = 0;

  template <class Model>
  void step(Model& model, const Parameters& gradients) {
    nn::load(model, next(nn::state(model), gradients), false);
  }
  Parameters state() const;
  void load(const Parameters& state);
  Parameters next(const Parameters& values, const Parameters& gradients);
};

/// The gradients times min(1, most / norm), and norm, that of all of them as one vector. f32; most is above 0, else
/// Error. No gradients: a norm of 0, on the current device.
EGLANTINE_API std::pair<Parameters, Tensor> clip_norm(const Parameters& gradients, double most);

// Schedules. Counts of steps are at least 1, else Error.

/// The same at every step.
EGLANTINE_API Schedule constant(double rate);
/// rate factor^floor(step / every).
EGLANTINE_API Schedule stepped(double rate, int64_t every, double factor);
/// rate factor^step.
EGLANTINE_API Schedule exponential(double rate, double factor);
/// From `from` to `to` in so many steps, along half a wave of a cosine, and `to` from then on.
EGLANTINE_API Schedule cosine(double from, double to, int64_t steps);
/// rate (step + 1) / steps, and rate from then on.
EGLANTINE_API Schedule linear_warmup(double rate, int64_t steps);
/// `first` for so many steps, then second of the steps since.
EGLANTINE_API Schedule then(const Schedule& first, int64_t steps, const Schedule& second);

}  // namespace eglantine::optim
