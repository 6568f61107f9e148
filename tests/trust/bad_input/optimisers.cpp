#include <cmath>

#include "trust/bad_input/row.hpp"

/// Optimisers, schedules, clipping.
namespace eglantine::test::bad_input {

namespace {

/// What a share of old moments, or a number that is not negative, cannot be.
template <class Optimiser>
void add_option(Rows& rows, const std::string& name, const std::string& option, double Optimiser::*member) {
  const bool share = option == "beta1" || option == "beta2" || option == "alpha";
  for (const double value : {-0.5, share ? 1.0 : 1e39, std::nan("")})
    rows.push_back(row<Error>(
        name + "::next", option + " of " + Scalar(value).text(),
        [=] {
          Optimiser optimiser;
          optimiser.*member = value;
          optimiser.next({{"w", of({2})}}, {{"w", of({2})}});
        },
        "[" + name + "] " + option + (share ? " lies in [0, 1), got " : " is finite as f32 and not negative, got ") +
            Scalar(value).text()));
}

template <class Optimiser>
void add_options(Rows& rows, const std::string& name) {
  add_option(rows, name, "decay", &Optimiser::decay);
  if constexpr (requires { &Optimiser::momentum; }) add_option(rows, name, "momentum", &Optimiser::momentum);
  if constexpr (requires { &Optimiser::eps; }) add_option(rows, name, "eps", &Optimiser::eps);
  if constexpr (requires { &Optimiser::alpha; }) add_option(rows, name, "alpha", &Optimiser::alpha);
  if constexpr (requires { &Optimiser::beta1; }) {
    add_option(rows, name, "beta1", &Optimiser::beta1);
    add_option(rows, name, "beta2", &Optimiser::beta2);
  }
}

template <class Optimiser>
void add_optimiser(Rows& rows, const std::string& name) {
  const std::string next = name + "::next", load = name + "::load", prefix = "[" + name + "] ";
  rows.push_back(row<Error>(
      next, "a gradient of no parameter",
      [] {
        return Optimiser().next({{"w", of({2})}}, {{"v", of({2})}});
      },
      prefix + "the model has no \"v\", which there is a gradient of"));
  rows.push_back(row<ShapeError>(
      next, "another shape",
      [] {
        return Optimiser().next({{"w", of({2})}}, {{"w", of({3})}});
      },
      prefix + "the gradient of \"w\" is (3,), the parameter (2,)"));
  const auto with_moment = [](const Tensor& moment) {
    return [moment] {
      Optimiser optimiser;
      optimiser.moments = {{"first.w", moment}};
      optimiser.next({{"w", of({2})}}, {{"w", of({2})}});
    };
  };
  rows.push_back(row<ShapeError>(next, "a moment of another shape", with_moment(of({1})),
                                 prefix + "the moment \"first.w\" is (1,), the parameter (2,)"));
  rows.push_back(row<DTypeError>(next, "a moment of another dtype", with_moment(of({2}, DType::f16)),
                                 prefix + "the moment \"first.w\" is f16, and must be f32"));
  const auto at_rate = [](double rate) {
    return [rate] {
      Optimiser optimiser;
      optimiser.rate = optim::then(optim::constant(1), 3, optim::constant(rate));
      optimiser.steps = 4;
      optimiser.next({{"w", of({2})}}, {{"w", of({2})}});
    };
  };
  rows.push_back(row<Error>(next, "no number as rate", at_rate(std::nan("")),
                            prefix + "the rate of step 4 is nan, and must be finite in f32"));
  rows.push_back(row<Error>(next, "an infinite rate", at_rate(-INFINITY),
                            prefix + "the rate of step 4 is -inf, and must be finite in f32"));
  rows.push_back(row<Error>(next, "a rate beyond f32", at_rate(1e39),
                            prefix + "the rate of step 4 is 1e+39, and must be finite in f32"));
  add_options<Optimiser>(rows, name);
  const auto loaded = [](const Parameters& state) { return [state] { Optimiser().load(state); }; };
  rows.push_back(row<Error>(load, "no steps", loaded({}), prefix + "there is no \"steps\""));
  rows.push_back(row<ShapeError>(load, "steps of one axis", loaded({{"steps", of({1}, DType::i32)}}),
                                 prefix + "\"steps\" is an i32 of rank 0"));
  rows.push_back(row<Error>(load, "another moment", loaded({{"steps", of({}, DType::i32)}, {"third.w", of({1})}}),
                            prefix + "\"third.w\" is no moment of this optimiser"));
}

}  // namespace

void add_optimisers(Rows& rows) {
  add_optimiser<optim::Sgd>(rows, "optim::Sgd");
  add_optimiser<optim::Adam>(rows, "optim::Adam");
  add_optimiser<optim::AdamW>(rows, "optim::AdamW");
  add_optimiser<optim::RmsProp>(rows, "optim::RmsProp");
  add_optimiser<optim::Adagrad>(rows, "optim::Adagrad");
  add_optimiser<optim::Lion>(rows, "optim::Lion");
  add_two_devices(rows, "optim::clip_norm", [](const Tensor& x, const Tensor& y) {
    return optim::clip_norm({{"v", x}, {"w", y}}, 1).second;
  });
  const std::string none = " is at least 1, got 0";
  rows.insert(
      rows.end(),
      {row<Error>(
           "optim::clip_norm", "no norm", [] { return optim::clip_norm({}, 0); },
           "[optim::clip_norm] most is above 0, got 0"),
       row<Error>(
           "optim::stepped", "no steps", [] { return optim::stepped(1, 0, 1); }, "[optim::stepped] every" + none),
       row<Error>(
           "optim::cosine", "no steps", [] { return optim::cosine(1, 0, 0); }, "[optim::cosine] steps" + none),
       row<Error>(
           "optim::linear_warmup", "no steps", [] { return optim::linear_warmup(1, 0); },
           "[optim::linear_warmup] steps" + none),
       row<Error>(
           "optim::then", "no schedule", [] { return optim::then({}, 1, optim::constant(1)); },
           "[optim::then] there is no schedule to call: the std::function is empty")});
}

}  // namespace eglantine::test::bad_input
