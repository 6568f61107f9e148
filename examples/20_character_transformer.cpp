// A small transformer that reads a text character by character until it writes like it: the GNU General Public License,
// which every Debian has. After the default 3000 steps (minutes) it writes the text's words and phrases; after the 200
// of --quick it knows which letters follow which.
//
//   20_character_transformer [--quick] [--steps 5000] [--text a-file.txt]

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

#include "options.hpp"

using namespace eglantine;

namespace {

constexpr int64_t context = 48, batch = 16, features = 64;

/// Logits of each next character, (batch, length, characters), from characters (batch, length): i32.
struct Writer {
  nn::Embedding characters, places{context, features, 2};
  std::vector<nn::TransformerBlock> blocks;
  nn::LayerNorm norm{features};
  nn::Linear head;

  explicit Writer(int64_t count) : characters(count, features, 1), head(features, count, 3) {
    places.weight =
        (places.weight * 0.1F).eval();  // characters, of deviation 1, matter more than their places at first
    for (uint64_t seed : {4, 5})
      blocks.emplace_back(features, 4, 4 * features, seed,
                          nn::TransformerOptions{.norm_first = true, .activation = gelu});
  }
  template <class Visit>
  void parts(Visit&& visit) {
    visit("characters", characters);
    visit("places", places);
    visit("blocks", blocks);
    visit("norm", norm);
    visit("head", head);
  }
  Tensor operator()(const Tensor& text) const {
    Tensor x = characters(text) + places.weight.slice(0, 0, text.shape()[1]);
    for (const nn::TransformerBlock& block : blocks) x = block(x, {.causal = true});
    return head(norm(x));
  }
};

/// A text as numbers of its characters.
struct Text {
  std::string characters;
  std::vector<int32_t> numbers;

  explicit Text(const std::string& text) {
    for (char c : text) {
      size_t number = characters.find(c);
      if (number == std::string::npos) characters += c;
      numbers.push_back(static_cast<int32_t>(number == std::string::npos ? characters.size() - 1 : number));
    }
  }
};

/// Goes on from the middle of the text. The window stays `context` long, so each character takes the same kernels.
std::string write(const Writer& writer, const Text& text, int length) {
  const auto middle = text.numbers.begin() + static_cast<int64_t>(text.numbers.size()) / 2;
  std::vector<int32_t> seen(middle, middle + context);
  std::string written;
  for (int i = 0; i < length; ++i) {
    const Tensor window = Tensor::from(std::vector<int32_t>(seen.end() - context, seen.end()), {1, context});
    const Tensor logits = writer(window)(0, context - 1);
    seen.push_back(categorical(logits / 0.5F, split_seed(7, static_cast<uint64_t>(i))).item<int32_t>());
    written += text.characters[static_cast<size_t>(seen.back())];
  }
  return written;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// How many of the written words are in the text, from 0 to 1.
double share_of_words(const std::string& written, const std::string& text) {
  const std::vector<std::string> all = words_of(text), words = words_of(written);
  const std::set<std::string> known(all.begin(), all.end());
  const auto count = std::count_if(words.begin(), words.end(), [&](const auto& word) { return known.contains(word); });
  return static_cast<double>(count) / static_cast<double>(std::max<size_t>(words.size(), 1));
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the mean loss of the last 20 steps.
float train(Writer& writer, const Text& text, int64_t steps) {
  const auto size = static_cast<int64_t>(text.numbers.size());
  const Tensor all = Tensor::from(text.numbers, {size}), window = arange(0, context + 1, 1, DType::i32);
  optim::AdamW adam{.rate = optim::cosine(5e-3, 2e-4, steps)};
  float recent = 0;
  const double start = seconds();
  for (int64_t step = 0; step < steps; ++step) {
    const Tensor first = randint(0, size - context, {batch, 1}, split_seed(1, static_cast<uint64_t>(step)));
    const Tensor pieces = take(all, first + window, 0).eval();  // (batch, context + 1)
    const auto [loss, slopes] = nn::value_and_grad(
        writer, [&](const Writer& model) { return cross_entropy(model(pieces.slice(1, 0, -1)), pieces.slice(1, 1)); });
    adam.step(writer, optim::clip_norm(slopes, 1).first);
    if (step >= steps - 20) recent += loss.item<float>() / 20;
    if (step % (steps / 8) == 0)
      std::cout << "step " << step << ": loss " << loss.item<float>() << ", " << seconds() - start << " s" << std::endl;
  }
  return recent;
}

}  // namespace

int main(int count, char** arguments) {
  int64_t steps = 0;
  bool quick = false;
  std::string path = "/usr/share/common-licenses/GPL-3";
  take_options(count, arguments, "A small transformer learns to write like a text.",
               {{"--steps", &steps, "N", "of training (3000)", 20},
                {"--quick", &quick, "", "200 steps, unless --steps says otherwise"},
                {"--text", &path, "FILE", "what it reads (" + path + ")"}});
  if (steps == 0) steps = quick ? 200 : 3000;
  std::ifstream file(path);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  if (content.size() <= 2 * context) {
    std::cerr << path << " cannot be read, or is too short; name a text with --text\n";
    return EXIT_FAILURE;
  }
  const Text text(content);
  Writer writer(static_cast<int64_t>(text.characters.size()));
  std::cout << text.numbers.size() << " characters, " << text.characters.size() << " different; " << nn::count(writer)
            << " parameters\n";
  const float loss = train(writer, text, steps);
  const std::string written = write(writer, text, 300);
  std::cout << "loss of the last steps: " << loss << "\n\n" << written << "\n";
  const double share = share_of_words(written, content);
  std::cout << "\n" << 100 * share << " % of the words are the text's\n";
  // Without learning the loss is log(75) = 4.3; letters by their frequency alone make 3.1.
  return loss < 2.5F ? EXIT_SUCCESS : EXIT_FAILURE;
}
