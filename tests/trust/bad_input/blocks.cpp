#include "trust/bad_input/row.hpp"

/// Transposed convolutions, recurrent layers and blocks of transformers.
namespace eglantine::test::bad_input {

namespace {

template <class E, class Call>
void add(Rows& rows, const std::string& function, const std::string& wrong, Call call, const std::string& message) {
  rows.push_back(row<E>(function, wrong, call, message));
}

void add_conv_transpose_layer(Rows& rows) {
  const std::string constructor = "nn::ConvTranspose::ConvTranspose", prefix = "[nn::ConvTranspose] ";
  const auto made = [](int64_t in, int64_t out, const PerAxis& kernel, const ConvTransposeOptions& options = {}) {
    return nn::ConvTranspose(in, out, kernel, options, 1);
  };
  add<ShapeError>(
      rows, constructor, "no inputs", [=] { return made(0, 2, {3}); }, prefix + "in is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "no groups", [=] { return made(2, 2, {3}, {.groups = 0}); },
      prefix + "groups is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "one number", [=] { return made(3, 2, 3); },
      prefix + "kernel has a number for each spatial axis, in braces: {3, 3}");
  add<ShapeError>(
      rows, constructor, "an empty kernel",
      [=] {
        return made(3, 2, {3, 0});
      },
      prefix + "a kernel's length is at least 1, got 0");
  add<Error>(
      rows, constructor, "a bias", [=] { return made(3, 2, {3}, {.bias = of({2})}); },
      prefix + "the layer has a bias of its own; leave that of the options");
  add<ShapeError>(
      rows, constructor, "groups that do not divide the results", [=] { return made(4, 3, {3}, {.groups = 2}); },
      prefix + "2 groups do not divide 3 channels");
  add<ShapeError>(
      rows, "nn::ConvTranspose::operator()", "other channels",
      [=] {
        return made(3, 2, {3})(of({1, 2, 5}));
      },
      prefix + "x is (n, 3, spatial...), or without n, of 1 spatial axes, got (1, 2, 5)");
}

/// What the three recurrent layers share.
template <class Layer>
void add_recurrent(Rows& rows, const std::string& name) {
  const std::string type = "nn::" + name, constructor = type + "::" + name, call = type + "::operator()",
                    prefix = "[" + type + "] ";
  const Layer layer(3, 4, 1);
  add<ShapeError>(
      rows, constructor, "no inputs", [] { return Layer(0, 2, 1); }, prefix + "in is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "a negative number", [] { return Layer(2, -1, 1); }, prefix + "hidden is at least 1, got -1");
  add<ShapeError>(
      rows, call, "two axes",
      [=] {
        return layer(of({5, 3}));
      },
      prefix + "x is (length, batch, 3), got (5, 3)");
  add<ShapeError>(
      rows, call, "other features",
      [=] {
        return layer(of({5, 2, 4}));
      },
      prefix + "x is (length, batch, 3), got (5, 2, 4)");
  add<DTypeError>(
      rows, call, "integers",
      [=] {
        return layer(of({5, 2, 3}, DType::i32));
      },
      prefix + "x is of floats, got i32");
  add<ShapeError>(
      rows, call, "a state without its first axis",
      [=] {
        return layer(of({5, 2, 3}), of({2, 4}));
      },
      prefix + "hidden is (2, 4); for x (5, 2, 3) it is (1, 2, 4)");
  add<DTypeError>(
      rows, call, "a state of integers",
      [=] {
        return layer(of({5, 2, 3}), of({1, 2, 4}, DType::i32));
      },
      prefix + "hidden is of floats, got i32");
}

void add_cell(Rows& rows) {
  const nn::LSTM layer(3, 4, 1);
  add<ShapeError>(
      rows, "nn::LSTM::operator()", "a cell state of another batch",
      [=] {
        return layer(of({5, 2, 3}), of({1, 2, 4}), of({1, 3, 4}));
      },
      "[nn::LSTM] cell is (1, 3, 4); for x (5, 2, 3) it is (1, 2, 4)");
}

void add_transformer(Rows& rows) {
  const std::string constructor = "nn::TransformerBlock::TransformerBlock", prefix = "[nn::TransformerBlock] ";
  const auto made = [](int64_t features, int64_t heads, int64_t hidden, const nn::TransformerOptions& options = {}) {
    return nn::TransformerBlock(features, heads, hidden, 1, options);
  };
  add<ShapeError>(
      rows, constructor, "no features", [=] { return made(0, 1, 2); }, prefix + "features is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "no heads", [=] { return made(4, 0, 2); }, prefix + "heads is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "nothing hidden", [=] { return made(4, 2, 0); }, prefix + "hidden is at least 1, got 0");
  add<ShapeError>(
      rows, constructor, "heads that do not divide", [=] { return made(5, 2, 4); },
      prefix + "2 heads do not divide 5 features");
  add<Error>(
      rows, constructor, "no activation", [=] { return made(4, 2, 4, {.activation = {}}); },
      prefix + "activation is empty; the default is relu");
  add<Error>(
      rows, constructor, "no epsilon", [=] { return made(4, 2, 4, {.eps = 0}); },
      prefix + "eps is finite as f32 and positive, got 0");
  add<ShapeError>(
      rows, "nn::TransformerBlock::operator()", "two axes",
      [=] {
        return made(4, 2, 4)(of({5, 4}));
      },
      prefix + "x is (batch, length, 4), got (5, 4)");
  add<ShapeError>(
      rows, "nn::TransformerBlock::operator()", "other features",
      [=] {
        return made(4, 2, 4)(of({1, 5, 6}));
      },
      prefix + "x is (batch, length, 4), got (1, 5, 6)");
}

}  // namespace

void add_blocks(Rows& rows) {
  add_conv_transpose_layer(rows);
  add_recurrent<nn::RNN>(rows, "RNN");
  add_recurrent<nn::GRU>(rows, "GRU");
  add_recurrent<nn::LSTM>(rows, "LSTM");
  add_cell(rows);
  add_transformer(rows);
}

}  // namespace eglantine::test::bad_input
