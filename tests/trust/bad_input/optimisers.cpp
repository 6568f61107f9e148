#include "trust/bad_input/row.hpp"

/// Optimisers, schedules, clipping.
namespace eglantine::test::bad_input {

namespace {

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
