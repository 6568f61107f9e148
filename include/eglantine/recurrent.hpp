#pragma once

#include "eglantine/nn.hpp"
#include "eglantine/tensor.hpp"

/// Recurrent layers: one layer, one direction, named, laid out and initialised as PyTorch's of batch_first = false.
/// x is (length, batch, in), floats; the output is (length, batch, hidden), the last state (1, batch, hidden). Initial
/// states are (1, batch, hidden), zeros where they are not given. A length of 0 gives an empty output and the initial
/// states. The products of all steps with x are one product in front of the loop over steps, which runs on the host:
/// each step is a product of (batch, hidden) and what is done to its elements.
///
/// In the formulas W is weight_ih_l0, U weight_hh_l0, b and c bias_ih_l0 and bias_hh_l0, h the hidden state; W, U, b
/// and c have the rows of each gate one after the other, and begin uniform within 1 / sqrt(hidden). Without biases b
/// and c are undefined. Constructors throw ShapeError for counts that are not positive, calls ShapeError for an x or a
/// state of another shape, DTypeError for one that is not of floats.
namespace eglantine::nn {

/// What a layer of one state gives: its hidden state at each step, and the last one.
struct RecurrentResult {
  Tensor output, hidden;
};
/// What an LSTM gives: the last cell state, too.
struct LSTMResult {
  Tensor output, hidden, cell;
};

/// What recurrent layers have: weights (gates * hidden, in) and (gates * hidden, hidden), biases (gates * hidden).
struct EGLANTINE_API RecurrentWeights {
  Tensor weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0;

  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight_ih_l0", weight_ih_l0);
    visit("weight_hh_l0", weight_hh_l0);
    visit("bias_ih_l0", bias_ih_l0);
    visit("bias_hh_l0", bias_hh_l0);
  }
};

/// h = tanh(W x + b + U h + c). Elman, "Finding structure in time" (1990).
struct EGLANTINE_API RNN : RecurrentWeights {
  RNN(int64_t in, int64_t hidden, uint64_t seed, bool has_bias = true);
  RecurrentResult operator()(const Tensor& x, const Tensor& hidden = {}) const;
};

/// Gates r, z, n, in this order: r and z = sigmoid(W x + b + U h + c), n = tanh(W x + b + r (U h + c)), each of its
/// rows; h = (1 - z) n + z h. Cho and others, "Learning phrase representations using RNN encoder-decoder for
/// statistical machine translation" (2014); r is applied behind the product, as in PyTorch and cuDNN.
struct EGLANTINE_API GRU : RecurrentWeights {
  GRU(int64_t in, int64_t hidden, uint64_t seed, bool has_bias = true);
  RecurrentResult operator()(const Tensor& x, const Tensor& hidden = {}) const;
};

/// Gates i, f, g, o, in this order: i, f and o = sigmoid(W x + b + U h + c), g = tanh of the same, each of its rows;
/// cell = f cell + i g, h = o tanh(cell). Hochreiter and Schmidhuber, "Long short-term memory" (1997), with the forget
/// gate of Gers, Schmidhuber and Cummins (2000).
struct EGLANTINE_API LSTM : RecurrentWeights {
  LSTM(int64_t in, int64_t hidden, uint64_t seed, bool has_bias = true);
  LSTMResult operator()(const Tensor& x, const Tensor& hidden = {}, const Tensor& cell = {}) const;
};

}  // namespace eglantine::nn
