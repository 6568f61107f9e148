#include <algorithm>
#include <cmath>
#include <optional>

#include "perf/drawn/families.hpp"
#include "perf/drawn/lengths.hpp"

namespace eglantine::perf::drawn {

namespace {

int64_t windows_of(int64_t length, int64_t window, int64_t stride, int64_t padding) {
  return (length + 2 * padding - window) / stride + 1;
}

double count_of(const Shape& shape) { return static_cast<double>(shape.elements()); }

/// (n, channels, lengths...) of about so many elements, as networks have them: spatial axes of 8 to 512 (one of them up
/// to 8192) but for tiny works, up to 1024 channels, and what is left in n.
Shape pictures(Sketch& s, int64_t elements, int spatial, int64_t least) {
  int64_t rest = std::max<int64_t>(1, elements);
  const int64_t longest = spatial == 1 ? 8192 : 512;
  Shape shape{1, 1};
  for (int i = 0; i < spatial; ++i) {
    const int64_t most = std::clamp<int64_t>(rest, 1, longest);
    const int64_t length = styled(s.dice, s.dice.log_between(std::min<int64_t>(8, most), most));
    shape.push_back(std::max(least, length));
    rest = std::max<int64_t>(1, rest / shape[2 + i]);
  }
  const int64_t channels = s.dice.one_in(4) ? s.dice.between(1, 4) : s.dice.log_between(4, 1024);
  shape[1] = styled(s.dice, std::min(channels, rest));
  shape[0] = std::max<int64_t>(1, rest / shape[1]);
  return shape;
}

enum class Pool { max, average, all, nearest, linear };

Tensor pooled(const Tensor& x, Pool pool, int64_t window, int64_t stride) {
  const Shape shape = x.shape();
  const PoolOptions options{.stride = stride};
  if (pool == Pool::max) return max_pool(x, window, options);
  if (pool == Pool::average) return avg_pool(x, window, options);
  if (pool == Pool::all) return mean(x, {2, 3});
  const auto mode = pool == Pool::nearest ? Interpolation::nearest : Interpolation::linear;
  return copied(interpolate(x, {2 * shape[2], 2 * shape[3]}, {.mode = mode}));
}

struct Loss {
  const char* name;
  Tensor (*of)(const Tensors&);
  enum Operands { labels, two } operands = two;
  Fill second = Fill::normal;
};

/// As one who has no cross_entropy writes it.
Tensor nll_by_gather(const Tensors& t) { return -mean(take_along_axis(log_softmax(t[0], -1), t[1].unsqueeze(1), 1)); }

constexpr Loss loss_verbs[] = {
    {"cross_entropy", [](const Tensors& t) { return cross_entropy(t[0], t[1]); }, Loss::labels},
    {"nll_by_gather", nll_by_gather, Loss::labels},
    {"mse", [](const Tensors& t) { return mse_loss(t[0], t[1]); }},
    {"l1", [](const Tensors& t) { return l1_loss(t[0], t[1]); }},
    {"huber", [](const Tensors& t) { return huber_loss(t[0], t[1]); }},
    {"bce_with_logits", [](const Tensors& t) { return binary_cross_entropy_with_logits(t[0], t[1]); }, Loss::two,
     Fill::uniform},
    {"kl_div", [](const Tensors& t) { return kl_div(t[0], t[1]); }, Loss::two, Fill::positive},
    {"cosine", [](const Tensors& t) { return mean(1.0F - cosine_similarity(t[0], t[1])); }},
    {"hinge_by_hand", [](const Tensors& t) { return mean(maximum(1.0F - t[0] * sign(t[1]), 0.0F)); }},
};

}  // namespace

void draw_convolution(Sketch& s) {
  Dice& dice = s.dice;
  const int spatial = dice.one_in(5) ? 1 : 2;
  const int64_t kernel = dice.of({1, 3, 3, 3, 5, 7}), stride = dice.of({1, 1, 2}), padding = kernel / 2;
  const Shape x = pictures(s, s.room(8), spatial, kernel);
  const bool depthwise = dice.one_in(4);
  const int64_t out = depthwise ? x[1] : styled(dice, dice.log_between(1, 4 * x[1])), groups = depthwise ? x[1] : 1;
  Shape w{out, x[1] / groups}, y{x[0], out};
  for (int i = 0; i < spatial; ++i) w.push_back(kernel), y.push_back(windows_of(x[2 + i], kernel, stride, padding));
  s.operand(x, Fill::signed_uniform);
  s.stored(w, Fill::signed_uniform);
  s.result(y);
  s.parameter("stride", {stride});
  s.parameter("padding", {padding});
  s.parameter("groups", {groups});
  const double products = static_cast<double>(x[1] / groups) * std::pow(static_cast<double>(kernel), spatial);
  s.drawn.operations = 2 * count_of(y) * products;
  s.verb(spatial == 1 ? "conv1d" : "conv2d", [=](const Tensors& t) {
    return Tensors{conv(t[0], t[1], {.stride = stride, .padding = padding, .groups = groups})};
  });
  s.within(1e-5, 1e-5 * (std::sqrt(products) + 1));
}

void draw_pooling(Sketch& s) {
  constexpr const char* names[] = {"max_pool", "avg_pool", "global_average", "nearest_x2", "bilinear_x2"};
  const int64_t verb = s.dice.below(5), window = s.dice.between(2, 3), stride = s.dice.between(2, 3);
  const Shape x = pictures(s, s.room(verb > 2 ? 20 : 5), 2, window);
  s.operand(x);
  if (verb < 2) s.result({x[0], x[1], windows_of(x[2], window, stride, 0), windows_of(x[3], window, stride, 0)});
  if (verb == 2) s.result({x[0], x[1]});
  if (verb > 2) s.result({x[0], x[1], 2 * x[2], 2 * x[3]});
  s.parameter("window", {window});
  s.parameter("stride", {stride});
  s.verb(names[verb], [=](const Tensors& t) { return Tensors{pooled(t[0], static_cast<Pool>(verb), window, stride)}; });
  s.within(1e-5, 1e-5);
}

void draw_attention(Sketch& s) {
  Dice& dice = s.dice;
  const DType dtype = s.float_type();
  const int64_t features = dice.of({16, 32, 64, 64, 80, 128}), least = 16;
  const int64_t most = s.room(4 * static_cast<double>(features) * static_cast<double>(size_of(dtype)));
  const int64_t length = styled(dice, dice.log_between(least, std::clamp<int64_t>(most, least, 4096)));
  const bool few = dice.one_in(4), causal = !few && dice.one_in(2);
  const int64_t rows = few ? dice.between(1, 8) : length, fitting = std::max<int64_t>(1, most / length);
  const int64_t heads = std::min(fitting, dice.of<int64_t>({1, 2, 4, 8, 12}));
  const int64_t each = (2 * rows + 2 * length) * features * heads;
  const int64_t batch = std::max<int64_t>(1, s.room(static_cast<double>(size_of(dtype))) / each);
  s.operand({batch, heads, rows, features}, Fill::normal, dtype);
  s.operand({batch, heads, length, features}, Fill::normal, dtype);
  s.operand({batch, heads, length, features}, Fill::normal, dtype);
  s.result({batch, heads, rows, features}, dtype);
  s.parameter("causal", {causal});
  s.drawn.operations = (causal ? 2 : 4) * static_cast<double>(batch * heads * rows * length * features);
  s.verb("attention",
         [=](const Tensors& t) { return Tensors{scaled_dot_product_attention(t[0], t[1], t[2], {.causal = causal})}; });
  // Where a layout repeats one number along all features, scores reach 180, of which an ULP is 1.5e-5 of a weight.
  s.within(1e-4, 3e-5, dtype);
}

void draw_losses(Sketch& s) {
  const Loss& loss = s.dice.of(loss_verbs);
  const bool labels = loss.operands == Loss::labels;
  Shape shape = s.shape(s.room(labels ? 4 : 8), 2, labels ? 2 : 3);
  if (labels) shape[1] = std::max<int64_t>(2, shape[1]);
  s.operand(shape);
  if (labels)
    s.places({shape[0]}, shape[1]);
  else
    s.operand(shape, loss.second);
  s.result({});
  s.verb(loss.name, [of = loss.of](const Tensors& t) { return Tensors{of(t)}; });
  s.within(1e-4, 1e-4);
}

}  // namespace eglantine::perf::drawn
