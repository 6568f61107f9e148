#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "eglantine/eglantine.hpp"

/// eglantine_optimisers <device> <folder>: for each <name>.inputs in the folder writes <name>.results: the parameters
/// "<path>" behind each step as "<step>.<path>". Inputs have the parameters, the gradients of each step named so, and
/// what the optimiser is as texts (optimisers/compare). Both are safetensors files. Halfway the optimiser's state goes
/// through a file to another optimiser, which takes the other steps.
namespace {

using namespace eglantine;
using Folder = std::filesystem::path;
using Texts = std::map<std::string, std::string>;

struct Model {
  std::vector<Tensor> w;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("w", w);
  }
};

/// A name and its numbers: "cosine 0.1 0.01 20".
optim::Schedule schedule_of(std::istream& text) {
  std::string name;
  double a = 0, b = 0, c = 0;
  text >> name >> a;
  if (name == "constant") return optim::constant(a);
  text >> b;
  if (name == "exponential") return optim::exponential(a, b);
  if (name == "linear_warmup") return optim::linear_warmup(a, static_cast<int64_t>(b));
  text >> c;
  if (name == "stepped") return optim::stepped(a, static_cast<int64_t>(b), c);
  if (name == "cosine") return optim::cosine(a, b, static_cast<int64_t>(c));
  throw std::runtime_error("no such schedule");
}

/// "then <steps>" between two.
optim::Schedule schedule_of(const std::string& text) {
  const size_t cut = text.find(" then ");
  std::istringstream first(text.substr(0, cut));
  if (cut == std::string::npos) return schedule_of(first);
  std::istringstream rest(text.substr(cut + 6));
  int64_t steps = 0;
  rest >> steps;
  return optim::then(schedule_of(first), steps, schedule_of(rest));
}

void set(double& number, const Texts& texts, const std::string& name) {
  if (const auto found = texts.find(name); found != texts.end()) number = std::stod(found->second);
}

template <class Optimiser>
Optimiser made(const Texts& texts) {
  Optimiser optimiser{.rate = schedule_of(texts.at("rate"))};
  set(optimiser.decay, texts, "decay");
  if constexpr (requires { optimiser.eps; }) set(optimiser.eps, texts, "eps");
  if constexpr (requires { optimiser.alpha; }) set(optimiser.alpha, texts, "alpha");
  if constexpr (requires { optimiser.beta1; }) {
    set(optimiser.beta1, texts, "beta1");
    set(optimiser.beta2, texts, "beta2");
  }
  if constexpr (requires { optimiser.momentum; }) {
    set(optimiser.momentum, texts, "momentum");
    optimiser.nesterov = texts.contains("nesterov");
  }
  return optimiser;
}

/// Those of one step, clipped where the texts say so.
Parameters gradients_of(const Parameters& inputs, const Model& model, int64_t step, const Texts& texts) {
  Parameters gradients;
  for (const auto& [path, x] : nn::parameters(model))
    gradients.emplace(path, inputs.at(std::to_string(step) + "." + path));
  const auto most = texts.find("clip");
  return most == texts.end() ? gradients : optim::clip_norm(gradients, std::stod(most->second)).first;
}

template <class Optimiser>
Optimiser resumed(const Optimiser& from, const Texts& texts, const Folder& file) {
  save_safetensors(file, from.state());
  auto other = made<Optimiser>(texts);
  other.load(load_safetensors(file));
  return other;
}

template <class Optimiser>
void run(const Parameters& inputs, const Texts& texts, const Folder& file) {
  Model model;
  for (size_t i = 0; inputs.contains("w." + std::to_string(i)); ++i)
    model.w.push_back(inputs.at("w." + std::to_string(i)));
  auto optimiser = made<Optimiser>(texts);
  Parameters results;
  const int64_t steps = std::stoll(texts.at("steps"));
  for (int64_t step = 0; step < steps; ++step) {
    if (step == steps / 2) optimiser = resumed(optimiser, texts, Folder(file).replace_extension(".state"));
    optimiser.step(model, gradients_of(inputs, model, step, texts));
    for (const auto& [path, x] : nn::parameters(model)) results.emplace(std::to_string(step) + "." + path, x);
  }
  save_safetensors(file, results);
}

void run(const Folder& inputs) {
  const Parameters tensors = load_safetensors(inputs);
  const Texts texts = safetensors_metadata(inputs);
  const Folder file = Folder(inputs).replace_extension(".results");
  static const std::map<std::string, void (*)(const Parameters&, const Texts&, const Folder&)> kinds = {
      {"sgd", run<optim::Sgd>},          {"adam", run<optim::Adam>},       {"adamw", run<optim::AdamW>},
      {"rms_prop", run<optim::RmsProp>}, {"adagrad", run<optim::Adagrad>}, {"lion", run<optim::Lion>}};
  kinds.at(texts.at("kind"))(tensors, texts, file);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "usage: eglantine_optimisers <device> <folder>\n";
    return 2;
  }
  Device::set_current(Device::open(arguments[1]));
  for (const auto& entry : std::filesystem::directory_iterator(arguments[2]))
    if (entry.path().extension() == ".inputs") run(entry.path());
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
