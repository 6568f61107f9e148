#include "eglantine/verbs/convolution.hpp"

#include "trust/bad_input/row.hpp"

/// Convolutions.
namespace eglantine::test::bad_input {
namespace {

struct WrongConvolution {
  std::string what;
  Shape x, w;
  ConvOptions options;
  std::string message;
};

const std::string three = "a window of 3 elements spans 3 places; axis 3 of (1, 2, 4, 1) has 1, and padding of (0, 0)";

std::vector<WrongConvolution> shapes() {
  return {
      {"weights without a kernel",
       {1, 2, 4},
       {3, 2},
       {},
       "weights are (out, channels / groups, kernel...) of 1 to 3 spatial axes, got (3, 2)"},
      {"weights of four spatial axes",
       {1, 2, 4, 4, 4, 4},
       {3, 2, 1, 1, 1, 1},
       {},
       "weights are (out, channels / groups, kernel...) of 1 to 3 spatial axes, got (3, 2, 1, 1, 1, 1)"},
      {"an axis more than the weights",
       {1, 2, 4, 4},
       {3, 2, 3},
       {},
       "takes (n, channels, spatial...), or without n, with as many spatial axes as the weights, got (1, 2, 4, 4) and "
       "(3, 2, 3)"},
      {"two axes fewer",
       {4, 4},
       {3, 2, 3, 3},
       {},
       "takes (n, channels, spatial...), or without n, with as many spatial axes as the weights, got (4, 4) and "
       "(3, 2, 3, 3)"},
      {"other channels",
       {1, 5, 4},
       {3, 2, 3},
       {},
       "axis 1 of (1, 5, 4) has 5 channels; the weights (3, 2, 3) take 2 in each of 1 group"},
      {"other channels without n",
       {5, 4},
       {3, 2, 3},
       {},
       "axis 0 of (5, 4) has 5 channels; the weights (3, 2, 3) take 2 in each of 1 group"},
      {"channels of other groups",
       {1, 4, 4},
       {6, 4, 3},
       {.groups = 2},
       "axis 1 of (1, 4, 4) has 4 channels; the weights (6, 4, 3) take 4 in each of 2 groups"},
      {"results that groups do not share",
       {1, 4, 4},
       {3, 2, 3},
       {.groups = 2},
       "axis 0 of (3, 2, 3) has 3 results, which do not fall into 2 groups"},
      {"no groups", {1, 2, 4}, {3, 2, 3}, {.groups = 0}, "groups are at least 1, got 0"},
      {"a bias of another length",
       {1, 2, 4},
       {3, 2, 3},
       {.bias = of({2})},
       "axis 0 of the bias is 2; axis 0 of the weights (3, 2, 3) gives 3 results"},
      {"a scalar bias",
       {1, 2, 4},
       {3, 2, 3},
       {.bias = of({})},
       "the bias has one axis, got (); axis 0 of the weights (3, 2, 3) gives 3 results"},
      {"a stride of 0", {1, 2, 4, 4}, {3, 2, 3, 3}, {.stride = {1, 0}}, "stride of axis 3 is 0; it is at least 1"},
      {"a dilation of -1", {1, 2, 4}, {3, 2, 3}, {.dilation = -1}, "dilation of axis 2 is -1; it is at least 1"},
      {"a stride too many",
       {1, 2, 4},
       {3, 2, 3},
       {.stride = {1, 1}},
       "stride is (1, 1), which is not one number for each of the 1 spatial axes of (1, 2, 4)"},
      {"negative padding",
       {1, 2, 4},
       {3, 2, 3},
       {.padding = {{-1, 0}}},
       "padding of axis 2 is (-1, 0); counts are not negative"},
      {"a pair too many",
       {1, 2, 4},
       {3, 2, 3},
       {.padding = {{0, 0}, {0, 0}}},
       "padding has 2 pairs, for the 1 spatial axes of (1, 2, 4)"},
      {"a kernel that does not fit", {1, 2, 4, 1}, {3, 2, 3, 3}, {}, three},
      {"an empty kernel", {1, 2, 4}, {3, 2, 0}, {}, "the kernel of axis 2 has 0 places; weights are (3, 2, 0)"},
  };
}

}  // namespace

void add_convolution(Rows& rows) {
  for (const WrongConvolution& wrong : shapes())
    rows.push_back(row<ShapeError>(
        "conv", wrong.what, [=] { return conv(of(wrong.x), of(wrong.w), wrong.options); }, "[conv] " + wrong.message));
  rows.push_back(row<Error>(
      "conv", "no Padding",
      [] {
        return conv(of({1, 2, 4}), of({3, 2, 3}), {.padding = static_cast<Padding>(7)});
      },
      "[conv] 7 is no Padding; there are valid and same"));
  rows.push_back(row<DTypeError>(
      "conv", "booleans",
      [] {
        return conv(of({1, 2, 4}).astype(DType::boolean), of({3, 2, 3}).astype(DType::boolean));
      },
      "[conv] takes any dtype but boolean, got boolean; convert with astype"));
  rows.push_back(row<DTypeError>(
      "conv", "dtypes that do not meet",
      [] {
        return conv(of({1, 2, 4}).astype(DType::i32), of({3, 2, 3}).astype(DType::u32));
      },
      "[conv] no dtype holds both i32 and u32; convert one with astype"));
  add_moved_from(rows, "conv", [](const Tensor& x) { return conv(x, of({3, 2, 3})); });
}

}  // namespace eglantine::test::bad_input
