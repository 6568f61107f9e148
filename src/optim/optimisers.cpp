#include <cmath>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "optim/formula.hpp"
#include "optim/update.hpp"

namespace eglantine::optim {

namespace {

using check::fail;
using check::require_finite;

double rate_at(std::string_view function, const Rate& rate, int64_t step) {
  const double now = rate(step);
  if (!std::isfinite(static_cast<float>(now)))
    fail<Error>(function, "the rate of step ", std::to_string(step), " is ", Scalar(now).text(),
                ", and must be finite in f32");
  return now;
}

/// Of what a moment keeps of itself.
void require_share(std::string_view function, std::string_view name, double value) {
  if (!(value >= 0 && value < 1)) fail<Error>(function, name, " lies in [0, 1), got ", Scalar(value).text());
}

/// The gradient, with the parameter's share added.
Tensor decayed(const Update& x, double decay) { return decay == 0 ? x.g : x.g + x.w * decay; }

Tensor mixed(Given x) { return x[0] * x[2] + x[1] * x[3]; }
Tensor mixed_with_square(Given x) { return x[0] * x[2] + square(x[1]) * x[3]; }

/// A moment of which `share` stays, and the rest is what it is moved towards, or that squared.
Tensor moved(const Tensor& moment, const Tensor& towards, double share) {
  return as_one<mixed>({moment, towards}, {share, 1 - share}, 3);
}
Tensor moved_to_square(const Tensor& moment, const Tensor& towards, double share) {
  return as_one<mixed_with_square>({moment, towards}, {share, 1 - share}, 4);
}

/// x: the parameter and its moments; what makes up for the moments' first steps, eps, the rate, what stays of the
/// parameter.
Tensor adam(Given x) { return x[0] * x[7] - x[1] * x[3] / (sqrt(x[2] * x[4]) + x[5]) * x[6]; }

struct AdamNumbers {
  double beta1, beta2, eps, rate, kept;
};

/// The parameter after a step along g, of which the moments are replaced.
Tensor adam_step(Update& x, const Tensor& g, const AdamNumbers& of, int64_t steps) {
  const auto t = static_cast<double>(steps + 1);
  const Tensor first = x.replace("first", moved(x.moment("first"), g, of.beta1));
  const Tensor second = x.replace("second", moved_to_square(x.moment("second"), g, of.beta2));
  const double of_first = 1 / (1 - std::pow(of.beta1, t)), of_second = 1 / (1 - std::pow(of.beta2, t));
  return as_one<adam>({x.w, first, second}, {of_first, of_second, of.eps, of.rate, of.kept}, 8);
}

Tensor shared_and_added(Given x) { return x[0] * x[2] + x[1]; }
Tensor less_share(Given x) { return x[0] - x[1] * x[2]; }

/// A moment of which `share` stays, and what is added to it.
Tensor gathered(const Tensor& moment, const Tensor& added, double share) {
  return as_one<shared_and_added>({moment, added}, {share}, 2);
}
/// The parameter after a step against a direction.
Tensor descended(const Tensor& w, const Tensor& along, double rate) {
  return as_one<less_share>({w, along}, {rate}, 2);
}

}  // namespace

Parameters Sgd::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::Sgd", rate, steps);
  require_finite("optim::Sgd", "momentum", momentum);
  require_finite("optim::Sgd", "decay", decay);
  return updated("optim::Sgd", moments, steps, values, gradients, [&](Update& x) {
    const Tensor g = decayed(x, decay);
    if (momentum == 0) return descended(x.w, g, now);
    const Tensor velocity = x.replace("velocity", gathered(x.moment("velocity"), g, momentum));
    return descended(x.w, nesterov ? gathered(velocity, g, momentum) : velocity, now);
  });
}
Parameters Sgd::state() const { return state_of(moments, steps); }
void Sgd::load(const Parameters& state) { load_state("optim::Sgd", moments, steps, state, {"velocity"}); }

Parameters Adam::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::Adam", rate, steps);
  require_share("optim::Adam", "beta1", beta1);
  require_share("optim::Adam", "beta2", beta2);
  require_finite("optim::Adam", "eps", eps);
  require_finite("optim::Adam", "decay", decay);
  const int64_t done = steps;
  return updated("optim::Adam", moments, steps, values, gradients, [&](Update& x) {
    return adam_step(x, decayed(x, decay), {beta1, beta2, eps, now, 1}, done);
  });
}
Parameters Adam::state() const { return state_of(moments, steps); }
void Adam::load(const Parameters& state) { load_state("optim::Adam", moments, steps, state, {"first", "second"}); }

Parameters AdamW::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::AdamW", rate, steps);
  require_share("optim::AdamW", "beta1", beta1);
  require_share("optim::AdamW", "beta2", beta2);
  require_finite("optim::AdamW", "eps", eps);
  require_finite("optim::AdamW", "decay", decay);
  const int64_t done = steps;
  const AdamNumbers numbers{beta1, beta2, eps, now, 1 - now * decay};
  return updated("optim::AdamW", moments, steps, values, gradients,
                 [&](Update& x) { return adam_step(x, x.g, numbers, done); });
}
Parameters AdamW::state() const { return state_of(moments, steps); }
void AdamW::load(const Parameters& state) { load_state("optim::AdamW", moments, steps, state, {"first", "second"}); }

Parameters RmsProp::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::RmsProp", rate, steps);
  require_share("optim::RmsProp", "alpha", alpha);
  require_finite("optim::RmsProp", "eps", eps);
  require_finite("optim::RmsProp", "decay", decay);
  return updated("optim::RmsProp", moments, steps, values, gradients, [&](Update& x) {
    const Tensor g = decayed(x, decay);
    const Tensor squares = x.replace("square", moved_to_square(x.moment("square"), g, alpha));
    return x.w - g * now / (sqrt(squares) + eps);
  });
}
Parameters RmsProp::state() const { return state_of(moments, steps); }
void RmsProp::load(const Parameters& state) { load_state("optim::RmsProp", moments, steps, state, {"square"}); }

Parameters Adagrad::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::Adagrad", rate, steps);
  require_finite("optim::Adagrad", "eps", eps);
  require_finite("optim::Adagrad", "decay", decay);
  return updated("optim::Adagrad", moments, steps, values, gradients, [&](Update& x) {
    const Tensor g = decayed(x, decay), total = x.replace("sum", x.moment("sum") + square(g));
    return x.w - g * now / (sqrt(total) + eps);
  });
}
Parameters Adagrad::state() const { return state_of(moments, steps); }
void Adagrad::load(const Parameters& state) { load_state("optim::Adagrad", moments, steps, state, {"sum"}); }

Parameters Lion::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::Lion", rate, steps);
  require_share("optim::Lion", "beta1", beta1);
  require_share("optim::Lion", "beta2", beta2);
  require_finite("optim::Lion", "decay", decay);
  return updated("optim::Lion", moments, steps, values, gradients, [&](Update& x) {
    const Tensor first = x.moment("first"), towards = sign(moved(first, x.g, beta1));
    x.replace("first", moved(first, x.g, beta2));
    return x.w * (1 - now * decay) - towards * now;
  });
}
Parameters Lion::state() const { return state_of(moments, steps); }
void Lion::load(const Parameters& state) { load_state("optim::Lion", moments, steps, state, {"first"}); }

}  // namespace eglantine::optim
