#include "eglantine/sequential.hpp"

#include <filesystem>

#include "eglantine/io.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "eglantine/recurrent.hpp"
#include "eglantine/transformer.hpp"
#include "nn/waves.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Sequences of layers and functions.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Sequences);

nn::Sequential perceptron() { return nn::Sequential(nn::Linear(3, 4, 1), relu, nn::Linear(4, 2, 2)); }

EG_TEST(Sequences, calls_their_parts_in_order) {
  const nn::Linear first(3, 4, 1), second(4, 2, 2);
  const nn::Sequential net = perceptron();
  const Tensor x = normal({5, 3}, 3).eval();
  EXPECT_EQ(net.size(), 3U);
  EXPECT_TRUE(same_bits(net(x), second(relu(first(x)))));
  EXPECT_TRUE(same_bits(nn::Sequential()(x), x));
  const nn::Sequential lambdas([](const Tensor& at) { return at * 2; },
                               [more = 1.0F](const Tensor& at) { return at + more; }, eglantine::tanh);
  EXPECT_TRUE(same_bits(lambdas(x), tanh(x * 2 + 1.0F)));
}

EG_TEST(Sequences, number_their_parts) {
  nn::Sequential inner(nn::LayerNorm(4), gelu), net = perceptron();
  net.push_back(nn::BatchNorm(2));
  net.push_back(inner);
  const std::vector<std::string> paths{"0.bias", "0.weight", "2.bias",   "2.weight",
                                       "3.bias", "3.weight", "4.0.bias", "4.0.weight"};
  EXPECT_EQ(paths_of(nn::parameters(net)), paths);
  EXPECT_EQ(nn::state(net).size(), paths.size() + 3);
  EXPECT_EQ(nn::state(net).count("3.running_mean"), 1U);
  EXPECT_EQ(paths_of(nn::parameters(nn::Sequential(nn::Linear(2, 2, 1, false)))), std::vector<std::string>{"0.weight"});
}

/// As what it is inside of a model.
struct Model {
  nn::Sequential body = perceptron();
  nn::Linear head{2, 1, 3};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("body", body);
    visit("head", head);
  }
};

EG_TEST(Sequences, are_parts_of_models) {
  const std::vector<std::string> paths{"body.0.bias",   "body.0.weight", "body.2.bias",
                                       "body.2.weight", "head.bias",     "head.weight"};
  EXPECT_EQ(paths_of(nn::parameters(Model())), paths);
}

EG_TEST(Sequences, of_a_copy_have_their_own_parts) {
  nn::Sequential net = perceptron(), copy = net, assigned;
  assigned = net;
  nn::load(copy, {{"0.bias", full({4}, 3.0F)}}, false);
  EXPECT_EQ(nn::state(copy).at("0.bias").to_vector<float>()[0], 3);
  EXPECT_TRUE(same_bits(nn::state(net).at("0.bias"), nn::Linear(3, 4, 1).bias));
  EXPECT_TRUE(same_bits(nn::state(assigned).at("0.bias"), nn::Linear(3, 4, 1).bias));
  const nn::Sequential moved = std::move(copy);
  EXPECT_EQ(nn::state(moved).at("0.bias").to_vector<float>()[0], 3);
}

EG_TEST(Sequences, are_loaded_whole_or_not_at_all) {
  nn::Sequential net = perceptron();
  const Parameters before = nn::state(net);
  Parameters other = nn::state(nn::Sequential(nn::Linear(3, 4, 5), relu, nn::Linear(4, 2, 6)));
  other.at("2.weight") = ones({2, 5});
  EXPECT_ERROR(nn::load(net, other), ShapeError, "[nn::load] \"2.weight\" is (2, 5), the model's is (2, 4)");
  other.erase("2.weight");
  EXPECT_ERROR(nn::load(net, other), Error, "[nn::load] \"2.weight\" is not given");
  other.emplace("1.weight", ones({2, 4}));
  EXPECT_ERROR(nn::load(net, other), Error, "[nn::load] the model has no \"1.weight\"");
  EXPECT_TRUE(same_bits(nn::state(net).at("0.weight"), before.at("0.weight")));
}

EG_TEST(Sequences, are_saved_and_loaded_by_files) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("eglantine-sequence-" + name_of_spec(spec()) + ".safetensors");
  const nn::Sequential net = with_waves(perceptron());
  save_safetensors(file, nn::state(net));
  nn::Sequential read = perceptron();
  nn::load(read, load_safetensors(file));
  std::filesystem::remove(file);
  const Tensor x = normal({5, 3}, 3).eval();
  EXPECT_TRUE(same_bits(read(x), net(x)));
}

EG_TEST(Sequences, tell_parts_whether_they_train) {
  nn::Sequential net(nn::BatchNorm(3), nn::Dropout(0.5), nn::Dropout(0.5));
  const Tensor x = (normal({64, 3}, 1) + 2).eval();
  nn::BatchNorm norm(3);
  const Tensor y = nn::Dropout(0.5)(nn::Dropout(0.5)(norm(x, true), true, split_seed(7, 1)), true, split_seed(7, 2));
  EXPECT_TRUE(same_bits(net(x, true, 7), y));
  EXPECT_TRUE(same_bits(nn::state(net).at("0.running_mean"), norm.running_mean));
  const nn::Sequential& trained = net;
  EXPECT_TRUE(same_bits(trained(x), norm(x, false)));
  EXPECT_TRUE(same_bits(net(x, false), norm(x, false)));
  EXPECT_TRUE(same_bits(nn::state(net).at("0.running_mean"), norm.running_mean));
  EXPECT_FALSE(array_equal(net(x, true, 7), net(x, true, 8)));
}

EG_TEST(Sequences, take_the_output_of_recurrent_layers) {
  const nn::Sequential net(nn::LSTM(2, 3, 1), nn::GRU(3, 4, 2), nn::Linear(4, 1, 3));
  const Tensor x = normal({5, 2, 2}, 1).eval();
  EXPECT_TRUE(same_bits(net(x), nn::Linear(4, 1, 3)(nn::GRU(3, 4, 2)(nn::LSTM(2, 3, 1)(x).output).output)));
  const nn::Sequential blocks(nn::TransformerBlock(4, 2, 8, 1), nn::TransformerBlock(4, 2, 8, 2));
  EXPECT_EQ(blocks(ones({2, 3, 4})).shape(), (Shape{2, 3, 4}));
}

/// A function whose second argument is a number is not taken for one that is told whether it trains.
struct Scaled {
  Tensor operator()(const Tensor& x, int64_t by = 3) const { return x * by; }
};

EG_TEST(Sequences, pass_no_bool_as_a_number) {
  nn::Sequential net{Scaled()};
  EXPECT_EQ(net(ones({2}), true).to_vector<float>()[0], 3);
}

/// The exclusive or of two numbers.
EG_TEST(Sequences, train) {
  nn::Sequential net(nn::Linear(2, 8, 1), eglantine::tanh, nn::Linear(8, 1, 2));
  const Tensor x = Tensor::from({0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F}, {4, 2});
  const Tensor y = Tensor::from({0.0F, 1.0F, 1.0F, 0.0F}, {4, 1});
  optim::Adam adam{.rate = 0.05};
  const auto loss = [&](const nn::Sequential& model) { return mean(square(model(x) - y)); };
  for (int step = 0; step < 150; ++step) adam.step(net, nn::value_and_grad(net, loss).second);
  EXPECT_LT(loss(net).item<float>(), 0.01);
}

}  // namespace
}  // namespace eglantine::test
