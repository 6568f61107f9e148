#include "trust/bad_input/row.hpp"

/// Models, layers and initial values.
namespace eglantine::test::bad_input {

namespace {

template <class E, class Call>
void add_of_model(Rows& rows, const std::string& function, const std::string& wrong, Call call,
                  const std::string& message) {
  rows.push_back(row<E>(function, wrong, call, message));
}

void add_parameters(Rows& rows) {
  const auto fit = [](const Parameters& given) {
    nn::detail::require_fit("nn::detail::require_fit", {{"w", of({2})}}, given, true);
  };
  const std::string name = "nn::detail::require_fit", prefix = "[" + name + "] ";
  add_of_model<Error>(
      rows, name, "another name",
      [=] {
        fit({{"v", of({2})}});
      },
      prefix + "the model has no \"v\"");
  add_of_model<Error>(
      rows, name, "none given", [=] { fit({}); }, prefix + "\"w\" is not given");
  add_of_model<ShapeError>(
      rows, name, "another shape",
      [=] {
        fit({{"w", of({3})}});
      },
      prefix + "\"w\" is (3,), the model's is (2,)");
  add_of_model<DTypeError>(
      rows, name, "another dtype",
      [=] {
        fit({{"w", of({2}, DType::i32)}});
      },
      prefix + "\"w\" is i32, the model's is f32; convert with astype");
  add_of_model<Error>(
      rows, "nn::detail::add", "one path twice",
      [] {
        Parameters parameters{{"w", of({2})}};
        nn::detail::add(parameters, "w", of({2}));
      },
      "[nn::parameters] two parts of the model are named \"w\"");
}

void add_model_values(Rows& rows) {
  add_of_model<Error>(
      rows, "nn::uniform_", "low above high", [] { return nn::uniform_({2}, 1, 3, 2); },
      "[nn::uniform_] low is at most high, got 3 and 2");
  add_of_model<Error>(
      rows, "nn::normal_", "a negative deviation", [] { return nn::normal_({2}, 1, 0, -1); },
      "[nn::normal_] deviation is at least 0, got -1");
  const std::string rest = "] weights are (out, in, kernel...), got (3,)";
  add_of_model<ShapeError>(
      rows, "nn::xavier_uniform", "one axis", [] { return nn::xavier_uniform({3}, 1); }, "[nn::xavier_uniform" + rest);
  add_of_model<ShapeError>(
      rows, "nn::xavier_normal", "one axis", [] { return nn::xavier_normal({3}, 1); }, "[nn::xavier_normal" + rest);
  add_of_model<ShapeError>(
      rows, "nn::kaiming_uniform", "one axis", [] { return nn::kaiming_uniform({3}, 1); },
      "[nn::kaiming_uniform" + rest);
  add_of_model<ShapeError>(
      rows, "nn::orthogonal", "one axis", [] { return nn::orthogonal({3}, 1); },
      "[nn::orthogonal] a matrix is (rows, ...), got (3,)");
  add_of_model<ShapeError>(
      rows, "nn::orthogonal", "a negative length",
      [] {
        return nn::orthogonal({3, -1}, 1);
      },
      "[nn::orthogonal] shape (3, -1) has a negative length");
  add_of_model<Error>(
      rows, "nn::orthogonal", "an infinite gain",
      [] {
        return nn::orthogonal({3, 3}, 1, 1e300);
      },
      "[nn::orthogonal] gain is finite as f32, got 1e+300");
  add_of_model<ShapeError>(
      rows, "nn::kaiming_normal", "one axis", [] { return nn::kaiming_normal({3}, 1); }, "[nn::kaiming_normal" + rest);
}

void add_model_weights(Rows& rows) {
  add_of_model<ShapeError>(
      rows, "nn::Linear::Linear", "no inputs", [] { return nn::Linear(0, 2, 1); },
      "[nn::Linear] in is at least 1, got 0");
  add_of_model<ShapeError>(
      rows, "nn::Linear::operator()", "other features", [] { return nn::Linear(3, 2, 1)(of({4})); },
      "[nn::Linear] x is (4,), its last axis has 3 features");
  add_of_model<ShapeError>(
      rows, "nn::Embedding::Embedding", "no features", [] { return nn::Embedding(3, 0, 1); },
      "[nn::Embedding] features is at least 1, got 0");
  add_of_model<DTypeError>(
      rows, "nn::Embedding::operator()", "floats", [] { return nn::Embedding(3, 2, 1)(of({4})); },
      "[nn::Embedding] indices are i32, got f32; convert with astype");
  add_of_model<ShapeError>(
      rows, "nn::Conv::Conv", "one number", [] { return nn::Conv(3, 2, 3, {}, 1); },
      "[nn::Conv] kernel has a number for each spatial axis, in braces: {3, 3}");
  add_of_model<Error>(
      rows, "nn::Conv::Conv", "a bias", [] { return nn::Conv(3, 2, {3}, {.bias = of({2})}, 1); },
      "[nn::Conv] the layer has a bias of its own; leave that of the options");
  add_of_model<ShapeError>(
      rows, "nn::Conv::Conv", "groups that do not divide", [] { return nn::Conv(3, 2, {3}, {.groups = 2}, 1); },
      "[nn::Conv] 2 groups do not divide 3 channels");
  add_of_model<ShapeError>(
      rows, "nn::Conv::Conv", "groups that do not divide the results",
      [] { return nn::Conv(4, 3, {3}, {.groups = 2}, 1); }, "[nn::Conv] 2 groups do not divide 3 channels");
  add_of_model<ShapeError>(
      rows, "nn::Conv::operator()", "other channels",
      [] {
        return nn::Conv(3, 2, {3}, {}, 1)(of({1, 2, 5}));
      },
      "[nn::Conv] x is (n, 3, spatial...), or without n, of 1 spatial axes, got (1, 2, 5)");
  add_of_model<ShapeError>(
      rows, "nn::MultiHeadAttention::MultiHeadAttention", "heads that do not divide",
      [] { return nn::MultiHeadAttention(5, 2, 1); }, "[nn::MultiHeadAttention] 2 heads do not divide 5 features");
  add_of_model<ShapeError>(
      rows, "nn::MultiHeadAttention::operator()", "one axis", [] { return nn::MultiHeadAttention(4, 2, 1)(of({4})); },
      "[nn::MultiHeadAttention] x is (batch, length, 4), got (4,)");
}

void add_norms(Rows& rows) {
  add_of_model<ShapeError>(
      rows, "nn::LayerNorm::LayerNorm", "no sizes", [] { return nn::LayerNorm(PerAxis()); },
      "[nn::LayerNorm] there are no sizes");
  add_of_model<ShapeError>(
      rows, "nn::LayerNorm::operator()", "another length",
      [] {
        return nn::LayerNorm(3)(of({2, 4}));
      },
      "[nn::LayerNorm] x is (2, 4), its last axes are (3,)");
  add_of_model<ShapeError>(
      rows, "nn::RMSNorm::RMSNorm", "an empty axis",
      [] {
        return nn::RMSNorm({2, 0});
      },
      "[nn::RMSNorm] a size is at least 1, got 0");
  add_of_model<ShapeError>(
      rows, "nn::RMSNorm::operator()", "too few axes",
      [] {
        return nn::RMSNorm({2, 3})(of({3}));
      },
      "[nn::RMSNorm] x is (3,), its last axes are (2, 3)");
  add_of_model<ShapeError>(
      rows, "nn::GroupNorm::GroupNorm", "groups that do not divide", [] { return nn::GroupNorm(2, 3); },
      "[nn::GroupNorm] 2 groups do not divide 3 channels");
  add_of_model<ShapeError>(
      rows, "nn::GroupNorm::operator()", "other channels",
      [] {
        return nn::GroupNorm(2, 4)(of({1, 3, 2}));
      },
      "[nn::GroupNorm] x is (n, 4, ...), got (1, 3, 2)");
  add_of_model<ShapeError>(
      rows, "nn::BatchNorm::BatchNorm", "no features", [] { return nn::BatchNorm(0); },
      "[nn::BatchNorm] features is at least 1, got 0");
  add_of_model<ShapeError>(
      rows, "nn::BatchNorm::operator()", "one axis",
      [] {
        nn::BatchNorm norm(3);
        return norm(of({3}), true);
      },
      "[nn::BatchNorm] x is (n, 3, ...), got (3,)");
  add_of_model<ShapeError>(
      rows, "nn::BatchNorm::operator()", "one value of each feature",
      [] {
        nn::BatchNorm norm(3);
        return norm(of({1, 3}), true);
      },
      "[nn::BatchNorm] training wants more than one value of each feature, x is (1, 3)");
  add_of_model<Error>(
      rows, "nn::Dropout::Dropout", "a probability above 1", [] { return nn::Dropout(1.5); },
      "[nn::Dropout] p lies in [0, 1], got 1.5");
  add_of_model<DTypeError>(
      rows, "nn::Dropout::operator()", "integers", [] { return nn::Dropout(0.5)(of({3}, DType::i32), true, 1); },
      "[nn::Dropout] x is of floats, got i32");
}

}  // namespace

void add_models(Rows& rows) {
  add_parameters(rows);
  add_model_values(rows);
  add_model_weights(rows);
  add_norms(rows);
}

}  // namespace eglantine::test::bad_input
