#include <functional>
#include <string>
#include <vector>

#include "eglantine/layers.hpp"
#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/transformer.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Parts of models that compute again for the derivative what they made: the same gradients as parts that keep it.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Checkpoints);

/// A part before which and behind which something else is trained.
template <class Part>
struct Between {
  Tensor before, behind;
  Part part;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("before", before);
    visit("behind", behind);
    visit("part", part);
  }
};

template <class Part>
using Call = std::function<Tensor(Part&, const Tensor&)>;

template <class Part>
Parameters slopes_of(Between<Part>& model, const Tensor& x, const Call<Part>& call) {
  return nn::value_and_grad(model,
                            [&](Between<Part>& at) { return mean(square(call(at.part, x * at.before) * at.behind)); })
      .second;
}

template <class Part>
void expect_same_gradients(const std::string& what, const Part& part, const Shape& shape, const Call<Part>& call) {
  SCOPED_TRACE(what);
  const Tensor x = uniform(shape, 7);
  const auto model = [&] { return Between<Part>{Tensor(1.5F), Tensor(0.5F), part}; };
  Between<Part> kept = model(), again = model();
  const Call<Part> checkpointed = [&](Part& at, const Tensor& given) {
    const auto f = [&](Part& copy, const Tensors& inputs) { return Tensors{call(copy, inputs[0])}; };
    return nn::checkpoint(at, f, {given}).front();
  };
  const Parameters expected = slopes_of(kept, x, call), actual = slopes_of(again, x, checkpointed);
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [path, slope] : expected) {
    EXPECT_GT(max(abs(slope)).template item<float>(), 0) << path;
    EXPECT_TRUE(allclose(actual.at(path), slope, 1e-5, 1e-6)) << path;
  }
  const Parameters state = nn::state(again);
  for (const auto& [path, value] : nn::state(kept)) EXPECT_TRUE(allclose(state.at(path), value)) << path;
}

template <class Part>
void expect_same_gradients(const std::string& what, const Part& part, const Shape& shape) {
  expect_same_gradients<Part>(what, part, shape, [](Part& at, const Tensor& x) { return at(x); });
}

EG_TEST(Checkpoints, give_parts_the_gradients_of_those_that_keep_what_they_make) {
  expect_same_gradients("linear", nn::Linear{6, 6, 1}, {5, 6});
  expect_same_gradients("no bias", nn::Linear{6, 6, 1, false}, {5, 6});
  expect_same_gradients("norm", nn::LayerNorm{{6}}, {5, 6});
  expect_same_gradients("transformer", nn::TransformerBlock{8, 2, 16, 3}, {2, 5, 8});
  expect_same_gradients<nn::BatchNorm>("buffers", nn::BatchNorm{4}, {6, 4},
                                       [](nn::BatchNorm& at, const Tensor& x) { return at(x, true); });
  expect_same_gradients<nn::Linear>("seeds", nn::Linear{6, 6, 1}, {5, 6},
                                    [](nn::Linear& at, const Tensor& x) { return nn::Dropout{0.5}(at(x), true, 9); });
}

EG_TEST(Checkpoints, call_a_part) {
  const nn::Linear layer{6, 3, 1};
  const Tensor x = uniform({4, 6}, 2);
  EXPECT_TRUE(allclose(nn::checkpoint(layer, x), layer(x)));
}

/// By x, of the squares of the gradients of the model.
template <class Model>
Tensor slope_of_gradients(const Model& model, const Tensor& x, bool checkpointed) {
  const auto size = [&](const Tensors& at) {
    Model copy = model;
    const auto loss = [&](Model& part) {
      return sum(square(checkpointed ? nn::checkpoint(part, at[0]) : part(at[0])));
    };
    Tensor squares(0.0F);
    for (const auto& [path, slope] : nn::value_and_grad(copy, loss).second) squares = squares + sum(square(slope));
    return squares;
  };
  return grad(size, {x})[0];
}

EG_TEST(Checkpoints, have_derivatives_of_derivatives) {
  const auto expect_same = [](const auto& model, const Tensor& x) {
    const Tensor plain = slope_of_gradients(model, x, false), again = slope_of_gradients(model, x, true);
    EXPECT_GT(max(abs(plain)).template item<float>(), 1e-3F);
    EXPECT_TRUE(allclose(again, plain, 1e-4, 1e-5));
  };
  expect_same(nn::Linear{6, 6, 1}, uniform({5, 6}, 7));
  if (!on_gl()) expect_same(nn::TransformerBlock{8, 2, 16, 3}, uniform({2, 5, 8}, 7));  // a hundred programs
}

EG_TEST(Checkpoints, refuse_what_is_captured_besides) {
  Between<nn::Linear> model{Tensor(1.5F), Tensor(0.5F), nn::Linear{3, 3, 1}};
  const auto loss = [](Between<nn::Linear>& at) {
    const auto f = [&](nn::Linear& part, const Tensors& x) { return Tensors{part(x[0]) * at.before}; };
    return sum(nn::checkpoint(at.part, f, {ones({2, 3})}).front());
  };
  EXPECT_ERROR(nn::value_and_grad(model, loss), Error,
               "[checkpoint] the function captures a tensor that a derivative is being taken by, which would be lost; "
               "pass it as an argument, or take stop_gradient of it");
}

}  // namespace
}  // namespace eglantine::test
