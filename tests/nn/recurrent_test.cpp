#include "eglantine/recurrent.hpp"

#include <cmath>
#include <functional>

#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "nn/waves.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"

/// Recurrent layers, against loops in double precision and against PyTorch's numbers.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Recurrent);

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// The numbers of one sample's gate at a step: W x + b and U h + c, apart.
struct Gate {
  double of_x, of_h;
  double sum() const { return of_x + of_h; }
};

/// One element's new hidden state from its gates, its old state and its cell's.
using Cell = std::function<double(const std::vector<Gate>& gates, double h, double& c)>;

double rnn_cell(const std::vector<Gate>& g, double, double&) { return std::tanh(g[0].sum()); }

double gru_cell(const std::vector<Gate>& g, double h, double&) {
  const double z = logistic(g[1].sum()), n = std::tanh(g[2].of_x + logistic(g[0].sum()) * g[2].of_h);
  return (1 - z) * n + z * h;
}

double lstm_cell(const std::vector<Gate>& g, double, double& c) {
  c = logistic(g[1].sum()) * c + logistic(g[0].sum()) * std::tanh(g[2].sum());
  return logistic(g[3].sum()) * std::tanh(c);
}

struct Run {
  Array output, hidden, cell;
};

struct Loops {
  Array x, w, u, b, c;

  double product(const Array& weights, int64_t row, const std::function<double(int64_t)>& of) const {
    double sum = 0;
    for (int64_t k = 0; k < weights.shape[1]; ++k) sum += weights.at({row, k}) * of(k);
    return sum;
  }
  double bias(const Array& of, int64_t row) const { return of.values.empty() ? 0 : of.at({row}); }

  Run run(const Cell& cell, Array h, Array state) const {
    const int64_t length = x.shape[0], batch = x.shape[1], hidden = u.shape[1], gates = u.shape[0] / hidden;
    Array output{DType::f32, {length, batch, hidden}, {}};
    for (int64_t t = 0; t < length; ++t) {
      const Array before = h;
      for_each_index({batch, hidden}, [&](const Dims& at) {
        std::vector<Gate> all;
        for (int64_t gate = 0; gate < gates; ++gate) {
          const int64_t row = gate * hidden + at[1];
          all.push_back({product(w, row,
                                 [&](int64_t k) {
                                   return x.at({t, at[0], k});
                                 }) +
                             bias(b, row),
                         product(u, row, [&](int64_t k) {
                           return before.at({0, at[0], k});
                         }) + bias(c, row)});
        }
        const auto place = static_cast<size_t>(at[0] * hidden + at[1]);
        h.values[place] = cell(all, before.values[place], state.values[place]);
        output.values.push_back(h.values[place]);
      });
    }
    return {output, h, state};
  }
};

Array host(const Tensor& x) { return x.defined() ? download(x) : Array{}; }

template <class Layer>
Loops loops_of(const Layer& layer, const Tensor& x) {
  return {download(x), host(layer.weight_ih_l0), host(layer.weight_hh_l0), host(layer.bias_ih_l0),
          host(layer.bias_hh_l0)};
}

template <class Layer>
void expect_as_loops(const Layer& layer, const Cell& cell, const Tensor& x, int64_t hidden) {
  const Shape shape{1, x.shape()[1], hidden};
  const Tensor zero = zeros(shape), h = normal(shape, 8).eval();
  const Loops loops = loops_of(layer, x);
  const auto expect = [&](const auto& found, const Run& run) {
    EXPECT_TRUE(matches(found.output, run.output, of_layers));
    EXPECT_TRUE(matches(found.hidden, run.hidden, of_layers));
    if constexpr (requires { found.cell; }) {
      EXPECT_TRUE(matches(found.cell, run.cell, of_layers));
    }
  };
  expect(layer(x), loops.run(cell, download(zero), download(zero)));
  expect(layer(x, h), loops.run(cell, download(h), download(zero)));
}

EG_TEST(Recurrent, follows_its_formulas_over_lengths_and_sizes) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{5, 2, 3}, Shape{13, 1, 2}, Shape{3, 0, 2}, Shape{0, 2, 3}}) {
    const Tensor x = normal(shape, 4).eval();
    const int64_t in = shape[2], hidden = shape[0] == 1 ? 1 : 4;
    expect_as_loops(nn::RNN(in, hidden, 1), rnn_cell, x, hidden);
    expect_as_loops(nn::GRU(in, hidden, 2), gru_cell, x, hidden);
    expect_as_loops(nn::LSTM(in, hidden, 3), lstm_cell, x, hidden);
  }
}

EG_TEST(Recurrent, without_biases_has_none) {
  const Tensor x = normal({4, 2, 3}, 5).eval();
  expect_as_loops(nn::RNN(3, 2, 1, false), rnn_cell, x, 2);
  expect_as_loops(nn::GRU(3, 2, 1, false), gru_cell, x, 2);
  expect_as_loops(nn::LSTM(3, 2, 1, false), lstm_cell, x, 2);
  EXPECT_EQ(paths_of(nn::state(nn::LSTM(3, 2, 1, false))), (std::vector<std::string>{"weight_hh_l0", "weight_ih_l0"}));
}

EG_TEST(Recurrent, reads_views) {
  const nn::GRU gru(3, 4, 2);
  const Tensor wide = normal({2, 6, 5}, 6).eval();
  const Tensor x = wide.transpose(0, 1).slice(2, 1, 4).flip(0);  // (6, 2, 3)
  expect_as_loops(gru, gru_cell, x, 4);
  expect_as_loops(gru, gru_cell, normal({1, 1, 3}, 2).expand({4, 2, 3}), 4);
}

/// Numbers of PyTorch 1.13: the layer's weights as with_waves(), x wave({3, 2, 2}, 0.5).
EG_TEST(Recurrent, gives_pytorch_s_numbers) {
  const Tensor x = wave({3, 2, 2}, 0.5), h = wave({1, 2, 2}, 1), c = wave({1, 2, 2}, 2);
  const auto last = [](const Tensor& output) { return output.slice(0, 2); };
  const nn::RNN rnn = with_waves(nn::RNN(2, 2, 1));
  expect_elements(rnn(x).output, {0.7722172, 0.9856951, 0.6713867, 0.9900305, 0.3291961, 0.9757851, 0.0628954,
                                  0.8503409, 0.8595300, 0.9883850, 0.9514834, 0.9985783});
  expect_elements(last(rnn(x, h).output), {0.8633033, 0.9894493, 0.9535191, 0.9986842});
  const nn::GRU gru = with_waves(nn::GRU(2, 2, 1));
  expect_elements(gru(x).output, {0.1030679, 0.2075452, 0.0416440, 0.2123578, 0.1109484, 0.0996114, 0.0793078,
                                  0.1611279, 0.1866527, 0.0215381, 0.1475614, 0.5411767});
  expect_elements(last(gru(x, h).output), {0.6443585, 0.5992099, 0.5135806, 0.7808533});
  const nn::LSTM lstm = with_waves(nn::LSTM(2, 2, 1));
  expect_elements(lstm(x).output, {0.0784766, 0.0173152, 0.0594399, 0.0191810, 0.0659141, -0.0512652, 0.0318160,
                                   -0.0144436, 0.0925759, -0.0441329, 0.1464272, 0.0181626});
  expect_elements(lstm(x).cell, {0.8362994, -0.5280547, 0.6863853, 0.6816223});
  expect_elements(lstm(x, h, c).hidden, {0.1231713, -0.0011586, 0.0902343, 0.0183931});
  expect_elements(lstm(x, h, c).cell, {1.3229715, -0.0144495, 0.3915645, 0.6865715});
}

EG_TEST(Recurrent, begins_as_pytorch_s) {
  const nn::LSTM lstm(5, 16, 1);
  const std::vector<std::string> paths{"bias_hh_l0", "bias_ih_l0", "weight_hh_l0", "weight_ih_l0"};
  EXPECT_EQ(paths_of(nn::parameters(lstm)), paths);
  EXPECT_EQ(lstm.weight_ih_l0.shape(), (Shape{64, 5}));
  EXPECT_EQ(lstm.weight_hh_l0.shape(), (Shape{64, 16}));
  EXPECT_EQ(nn::GRU(5, 16, 1).bias_hh_l0.shape(), (Shape{48}));
  EXPECT_EQ(nn::RNN(5, 16, 1).weight_ih_l0.shape(), (Shape{16, 5}));
  for (const auto& [path, x] : nn::parameters(lstm)) {
    EXPECT_LE(max(abs(x)).item<float>(), 0.25) << path;
    EXPECT_GT(max(abs(x)).item<float>(), 0.23) << path;
  }
  EXPECT_FALSE(array_equal(lstm.bias_hh_l0, lstm.bias_ih_l0));
  EXPECT_TRUE(same_bits(lstm.weight_ih_l0, nn::LSTM(5, 16, 1).weight_ih_l0));
}

/// A run in two halves, the second from where the first ended, is one run.
EG_TEST(Recurrent, goes_on_from_its_states) {
  const nn::LSTM lstm(2, 3, 1);
  const Tensor x = normal({6, 2, 2}, 2).eval();
  const nn::LSTMResult whole = lstm(x), first = lstm(x.slice(0, 0, 4)),
                       second = lstm(x.slice(0, 4), first.hidden, first.cell);
  EXPECT_TRUE(matches(concatenate({first.output, second.output}, 0), download(whole.output), of_layers));
  EXPECT_TRUE(matches(second.cell, download(whole.cell), of_layers));
}

template <class Layer>
void check_slopes(const Layer& layer, const Tensor& x, const Tensors& states) {
  Tensors at{x, layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0};
  at.insert(at.end(), states.begin(), states.end());
  const auto f = [&](const Tensors& of) {
    Layer with = layer;
    nn::load(with, {{"weight_ih_l0", of[1]}, {"weight_hh_l0", of[2]}, {"bias_ih_l0", of[3]}, {"bias_hh_l0", of[4]}});
    if constexpr (requires { with(of[0], of[5], of[6]); }) {
      const nn::LSTMResult y = with(of[0], of[5], of[6]);
      return Tensors{y.output, y.cell};
    } else {
      const nn::RecurrentResult y = with(of[0], of[5]);
      return Tensors{y.output, y.hidden};
    }
  };
  EXPECT_NO_THROW(check_gradients(f, at));
}

EG_TEST(Recurrent, has_the_gradients_of_differences) {
  const Tensor x = normal({3, 2, 2}, 3).eval(), h = normal({1, 2, 2}, 4).eval(), c = normal({1, 2, 2}, 5).eval();
  check_slopes(nn::RNN(2, 2, 1), x, {h});
  check_slopes(nn::GRU(2, 2, 1), x, {h});
  check_slopes(nn::LSTM(2, 2, 1), x, {h, c});
}

/// The products with x are one, whatever the length: a step more costs its product, its elements and its place in the
/// output.
EG_TEST(Recurrent, multiplies_all_steps_at_once) {
  const nn::LSTM lstm(3, 8, 1);
  const auto kernels = [&](int64_t length) { return kernels_of(lstm(ones({length, 4, 3}).eval()).hidden); };
  EXPECT_EQ(kernels(12) - kernels(4), 8 * 2);
}

struct Counter {
  nn::GRU gru{1, 8, 1};
  nn::Linear last{8, 1, 2};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("gru", gru);
    visit("last", last);
  }
};

/// To whether a one was among the numbers seen.
EG_TEST(Recurrent, learns_to_remember) {
  Counter counter;
  const Tensor x = (uniform({6, 32, 1}, 1) > 0.85F).astype(DType::f32).eval(), y = max(x, 0).eval();
  optim::Adam adam{.rate = 0.03};
  const auto loss = [&](Counter& net) { return mean(square(net.last(net.gru(x).hidden.squeeze(0)) - y)); };
  for (int step = 0; step < 80; ++step) adam.step(counter, nn::value_and_grad(counter, loss).second);
  EXPECT_LT(loss(counter).item<float>(), 0.02);
}

}  // namespace
}  // namespace eglantine::test
