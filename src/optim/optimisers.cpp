#include <cmath>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
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

/// What Adam adds to a parameter, but for the rate.
Tensor direction(Update& x, const Tensor& g, double beta1, double beta2, double eps, int64_t steps) {
  const auto t = static_cast<double>(steps + 1);
  const Tensor first = x.replace("first", x.moment("first") * beta1 + g * (1 - beta1));
  const Tensor second = x.replace("second", x.moment("second") * beta2 + square(g) * (1 - beta2));
  const double of_first = 1 / (1 - std::pow(beta1, t)), of_second = 1 / (1 - std::pow(beta2, t));
  return first * of_first / (sqrt(second * of_second) + eps);
}

}  // namespace

Parameters Sgd::next(const Parameters& values, const Parameters& gradients) {
  const double now = rate_at("optim::Sgd", rate, steps);
  require_finite("optim::Sgd", "momentum", momentum);
  require_finite("optim::Sgd", "decay", decay);
  return updated("optim::Sgd", moments, steps, values, gradients, [&](Update& x) {
    const Tensor g = decayed(x, decay);
    if (momentum == 0) return x.w - g * now;
    const Tensor velocity = x.replace("velocity", x.moment("velocity") * momentum + g);
    return x.w - (nesterov ? g + velocity * momentum : velocity) * now;
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
  return updated("optim::Adam", moments, steps, values, gradients,
                 [&](Update& x) { return x.w - direction(x, decayed(x, decay), beta1, beta2, eps, done) * now; });
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
  return updated("optim::AdamW", moments, steps, values, gradients,
                 [&](Update& x) { return x.w * (1 - now * decay) - direction(x, x.g, beta1, beta2, eps, done) * now; });
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
    const Tensor squares = x.replace("square", x.moment("square") * alpha + square(g) * (1 - alpha));
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
    const Tensor first = x.moment("first"), towards = sign(first * beta1 + x.g * (1 - beta1));
    x.replace("first", first * beta2 + x.g * (1 - beta2));
    return x.w * (1 - now * decay) - towards * now;
  });
}
Parameters Lion::state() const { return state_of(moments, steps); }
void Lion::load(const Parameters& state) { load_state("optim::Lion", moments, steps, state, {"first"}); }

}  // namespace eglantine::optim
