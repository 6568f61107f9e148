#include <cmath>
#include <numbers>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"

namespace eglantine::optim {

namespace {

using check::fail;

void require_count(std::string_view function, std::string_view what, int64_t count) {
  if (count < 1) fail<Error>(function, what, " is at least 1, got ", std::to_string(count));
}

}  // namespace

Schedule constant(double rate) {
  return [rate](int64_t) { return rate; };
}

Schedule stepped(double rate, int64_t every, double factor) {
  require_count("optim::stepped", "every", every);
  return [=](int64_t step) {
    const int64_t times = step / every;
    return rate * std::pow(factor, static_cast<double>(times));
  };
}

Schedule exponential(double rate, double factor) {
  return [=](int64_t step) { return rate * std::pow(factor, static_cast<double>(step)); };
}

Schedule cosine(double from, double to, int64_t steps) {
  require_count("optim::cosine", "steps", steps);
  return [=](int64_t step) {
    if (step >= steps) return to;
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    return to + (from - to) * (1 + std::cos(std::numbers::pi * share)) / 2;
  };
}

Schedule linear_warmup(double rate, int64_t steps) {
  require_count("optim::linear_warmup", "steps", steps);
  return [=](int64_t step) {
    return step + 1 >= steps ? rate : rate * static_cast<double>(step + 1) / static_cast<double>(steps);
  };
}

Schedule then(const Schedule& first, int64_t steps, const Schedule& second) {
  if (!first || !second) fail<Error>("optim::then", "there is no schedule to call: the std::function is empty");
  require_count("optim::then", "steps", steps);
  return [=](int64_t step) { return step < steps ? first(step) : second(step - steps); };
}

}  // namespace eglantine::optim
