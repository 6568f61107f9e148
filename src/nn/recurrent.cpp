#include "eglantine/recurrent.hpp"

#include <array>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "nn/weights.hpp"

namespace eglantine::nn {

namespace {

using check::fail;

RecurrentWeights initial(std::string_view layer, int64_t in, int64_t hidden, int64_t gates, uint64_t seed,
                         bool has_bias) {
  weights::require_positive(layer, "in", in);
  weights::require_positive(layer, "hidden", hidden);
  const auto drawn = [&](const Shape& shape, uint64_t n) {
    return weights::within(shape, split_seed(seed, n), hidden);
  };
  RecurrentWeights w{drawn({gates * hidden, in}, 0), drawn({gates * hidden, hidden}, 1), {}, {}};
  if (has_bias) {
    w.bias_ih_l0 = drawn({gates * hidden}, 2);
    w.bias_hh_l0 = drawn({gates * hidden}, 3);
  }
  return w;
}

int64_t hidden_of(const RecurrentWeights& w) { return w.weight_hh_l0.shape()[1]; }

void require_floats(std::string_view layer, std::string_view what, const Tensor& x) {
  if (!is_float(x.dtype())) fail<DTypeError>(layer, what, " is of floats, got ", name_of(x.dtype()));
}

void require_input(std::string_view layer, const Tensor& x, const RecurrentWeights& w) {
  const int64_t in = w.weight_ih_l0.shape()[1];
  if (x.rank() != 3 || x.shape()[2] != in)
    fail<ShapeError>(layer, "x is (length, batch, ", std::to_string(in), "), got ", to_string(x.shape()));
  require_floats(layer, "x", x);
}

/// A state (batch, hidden) from the one of (1, batch, hidden) that the call has, or zeros.
Tensor initial_state(std::string_view layer, std::string_view what, const Tensor& state, const Tensor& x,
                     const RecurrentWeights& w) {
  const Shape shape{1, x.shape()[1], hidden_of(w)};
  if (!state.defined()) return zeros({shape[1], shape[2]}, DType::f32, x.device());
  if (state.shape() != shape)
    fail<ShapeError>(layer, what, " is ", to_string(state.shape()), "; for x ", to_string(x.shape()), " it is ",
                     to_string(shape));
  require_floats(layer, what, state);
  return state.squeeze(0);
}

Tensor with(const Tensor& product, const Tensor& bias) { return bias.defined() ? product + bias : product; }

/// W x + b of all steps, one tensor (batch, gates * hidden) for each.
std::vector<Tensor> of_inputs(const Tensor& x, const RecurrentWeights& w, const Tensor& bias) {
  if (x.shape()[0] == 0) return {};
  return unstack(with(matmul(x, w.weight_ih_l0.transpose(0, 1)), bias), 0);
}

Tensor of_state(const Tensor& h, const RecurrentWeights& w) { return matmul(h, w.weight_hh_l0.transpose(0, 1)); }

/// b + c, for layers that add both in the same place.
Tensor bias_of(const RecurrentWeights& w) {
  return w.bias_ih_l0.defined() ? with(w.bias_ih_l0, w.bias_hh_l0) : w.bias_hh_l0;
}

/// Each gate's columns of (batch, gates * hidden).
template <size_t gates>
std::array<Tensor, gates> split_gates(const Tensor& all) {
  const int64_t hidden = all.shape()[1] / static_cast<int64_t>(gates);
  std::array<Tensor, gates> parts;
  int64_t start = 0;
  for (Tensor& part : parts) {
    part = all.slice(1, start, start + hidden);
    start += hidden;
  }
  return parts;
}

Tensor stacked(const std::vector<Tensor>& steps, const Tensor& state) {
  if (!steps.empty()) return stack(steps, 0);
  return zeros({0, state.shape()[0], state.shape()[1]}, DType::f32, state.device());
}

}  // namespace

RNN::RNN(int64_t in, int64_t hidden, uint64_t seed, bool has_bias)
    : RecurrentWeights(initial("nn::RNN", in, hidden, 1, seed, has_bias)) {}

RecurrentResult RNN::operator()(const Tensor& x, const Tensor& hidden) const {
  require_input("nn::RNN", x, *this);
  Tensor h = initial_state("nn::RNN", "hidden", hidden, x, *this);
  std::vector<Tensor> seen;
  for (const Tensor& input : of_inputs(x, *this, bias_of(*this))) {
    h = tanh(input + of_state(h, *this));
    seen.push_back(h);
  }
  return {stacked(seen, h), h.unsqueeze(0)};
}

GRU::GRU(int64_t in, int64_t hidden, uint64_t seed, bool has_bias)
    : RecurrentWeights(initial("nn::GRU", in, hidden, 3, seed, has_bias)) {}

RecurrentResult GRU::operator()(const Tensor& x, const Tensor& hidden) const {
  require_input("nn::GRU", x, *this);
  Tensor h = initial_state("nn::GRU", "hidden", hidden, x, *this);
  std::vector<Tensor> seen;
  for (const Tensor& input : of_inputs(x, *this, bias_ih_l0)) {
    const auto [xr, xz, xn] = split_gates<3>(input);
    const auto [hr, hz, hn] = split_gates<3>(with(of_state(h, *this), bias_hh_l0));
    const Tensor z = sigmoid(xz + hz), n = tanh(xn + sigmoid(xr + hr) * hn);
    h = (1 - z) * n + z * h;
    seen.push_back(h);
  }
  return {stacked(seen, h), h.unsqueeze(0)};
}

LSTM::LSTM(int64_t in, int64_t hidden, uint64_t seed, bool has_bias)
    : RecurrentWeights(initial("nn::LSTM", in, hidden, 4, seed, has_bias)) {}

LSTMResult LSTM::operator()(const Tensor& x, const Tensor& hidden, const Tensor& cell) const {
  require_input("nn::LSTM", x, *this);
  Tensor h = initial_state("nn::LSTM", "hidden", hidden, x, *this);
  Tensor c = initial_state("nn::LSTM", "cell", cell, x, *this);
  std::vector<Tensor> seen;
  for (const Tensor& input : of_inputs(x, *this, bias_of(*this))) {
    const auto [i, f, g, o] = split_gates<4>(input + of_state(h, *this));
    c = sigmoid(f) * c + sigmoid(i) * tanh(g);
    h = sigmoid(o) * tanh(c);
    seen.push_back(h);
  }
  return {stacked(seen, h), h.unsqueeze(0), c.unsqueeze(0)};
}

}  // namespace eglantine::nn
