// A model that is trained, saved, loaded and trained on: the run that was interrupted has the bits of the one that was
// not. Its weights are a safetensors file by the names of PyTorch's layers, so that PyTorch trains it on, too, and
// this program what PyTorch has saved:
//
//   19_train_save_resume --folder F             writes F/net.safetensors and what the net makes of the points
//   python3 continue.py F                       trains on, in PyTorch, and writes F/torch-net.safetensors
//   19_train_save_resume --folder F --continued trains on from that

#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <filesystem>
#include <iostream>

#include "../options.hpp"

using namespace eglantine;
namespace fs = std::filesystem;

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

float share_of_right(const Net& net, const Points& points) {
  return mean(argmax(net(points.x), 1) == points.labels).item<float>();
}

/// Trains, saves, loads and trains on, and compares with a net that is trained without a pause.
bool resumes_with_the_same_bits(const fs::path& folder, const Points& points) {
  Net whole, net;
  optim::Adam for_whole{.rate = 0.02}, adam = for_whole;
  train(whole, for_whole, points, 150);

  train(net, adam, points, 60);
  save_safetensors(folder / "net.safetensors", nn::state(net));
  save_safetensors(folder / "adam.safetensors", adam.state());
  save_safetensors(folder / "points.safetensors",
                   {{"x", points.x}, {"labels", points.labels}, {"logits", net(points.x)}});

  Net resumed;
  optim::Adam from_file{.rate = 0.02};
  nn::load(resumed, load_safetensors(folder / "net.safetensors"));
  from_file.load(load_safetensors(folder / "adam.safetensors"));
  const float loss = train(resumed, from_file, points, 90).item<float>(), right = share_of_right(resumed, points);

  const bool same = array_equal(whole.last.weight, resumed.last.weight);
  std::cout << nn::count(resumed) << " parameters, loss " << loss << ", " << right * 100
            << " % right\nthe same as without an interruption: " << (same ? "yes" : "NO") << "\n";
  return same && right > 0.9F;
}

/// Loads what continue.py has saved, compares what both make of the points, and trains on.
bool goes_on_after_pytorch(const fs::path& folder, const Points& points) {
  Net net;
  nn::load(net, load_safetensors(folder / "torch-net.safetensors"));
  const Tensor theirs = load_safetensors(folder / "torch-points.safetensors").at("logits");
  const bool agrees = allclose(net(points.x), theirs, 1e-4, 1e-4);
  const float before = cross_entropy(net(points.x), points.labels).item<float>();
  optim::Adam adam{.rate = 0.02};
  const float after = train(net, adam, points, 90).item<float>(), right = share_of_right(net, points);
  std::cout << "the same logits as PyTorch's: " << (agrees ? "yes" : "NO") << "\nloss " << before << " after PyTorch, "
            << after << " now, " << right * 100 << " % right\n";
  return agrees && after < before && right > 0.9F;
}

}  // namespace

int main(int count, char** arguments) {
  std::string folder;
  bool continued = false;
  take_options(count, arguments, "Trains a net, saves it, loads it and trains on.",
               {{"--folder", &folder, "F", "where files stay; nowhere when left out"},
                {"--continued", &continued, "", "trains on from what continue.py has saved there"}});
  const Points points = spirals();
  if (continued) return goes_on_after_pytorch(folder, points) ? EXIT_SUCCESS : EXIT_FAILURE;
  const fs::path temporary = fs::temp_directory_path() / "eglantine-spirals";
  const fs::path place = folder.empty() ? temporary : fs::path(folder);
  fs::create_directories(place);
  const bool well = resumes_with_the_same_bits(place, points);
  if (folder.empty()) fs::remove_all(temporary);
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
