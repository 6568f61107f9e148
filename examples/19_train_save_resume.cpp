// A model that is trained, saved, loaded and trained on: the run that was interrupted has the bits of the one that was
// not. The file is a safetensors file, which PyTorch and others read, by the names that PyTorch's layers have.

#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <filesystem>
#include <iostream>

using namespace eglantine;

namespace {

/// Tells by its coordinates which of two spirals a point is on.
struct Net {
  nn::Linear first{2, 32, 1}, second{32, 32, 2}, last{32, 2, 3};

  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("second", second);
    visit("last", last);
  }
  Tensor operator()(const Tensor& x) const { return last(tanh(second(tanh(first(x))))); }
};

struct Points {
  Tensor x, labels;
};

Points spirals() {
  const Tensor turn = arange(0, 256) * (6.0F / 256) + 1, labels = arange(0, 256, 1, DType::i32) % 2;
  const Tensor angle = turn * 2 + labels.astype(DType::f32) * 3.1415927F;
  return {stack({turn * cos(angle), turn * sin(angle)}, 1).eval() / 4, labels.eval()};
}

Tensor train(Net& net, optim::Adam& adam, const Points& points, int steps) {
  Tensor last;
  for (int i = 0; i < steps; ++i) {
    const auto [loss, slopes] =
        nn::value_and_grad(net, [&](const Net& model) { return cross_entropy(model(points.x), points.labels); });
    adam.step(net, slopes);
    last = loss;
  }
  return last;
}

}  // namespace

int main() {
  const Points points = spirals();
  Net whole, net;
  optim::Adam for_whole{.rate = 0.02}, adam = for_whole;
  train(whole, for_whole, points, 150);

  train(net, adam, points, 60);
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path of_net = folder / "eglantine-spirals.safetensors",
                              of_adam = folder / "eglantine-spirals-adam.safetensors";
  save_safetensors(of_net, nn::state(net));
  save_safetensors(of_adam, adam.state());

  Net resumed;
  optim::Adam from_file{.rate = 0.02};
  nn::load(resumed, load_safetensors(of_net));
  from_file.load(load_safetensors(of_adam));
  const Tensor loss = train(resumed, from_file, points, 90);
  std::filesystem::remove(of_net);
  std::filesystem::remove(of_adam);

  const bool same = array_equal(whole.last.weight, resumed.last.weight);
  const float right = mean(argmax(resumed(points.x), 1) == points.labels).item<float>();
  std::cout << nn::count(resumed) << " parameters, loss " << loss.item<float>() << ", " << right * 100
            << " % right\nthe same as without an interruption: " << (same ? "yes" : "NO") << "\n";
  return same && right > 0.9F ? EXIT_SUCCESS : EXIT_FAILURE;
}
