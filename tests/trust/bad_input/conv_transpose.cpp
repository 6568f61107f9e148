#include "eglantine/verbs/convolution.hpp"
#include "trust/bad_input/row.hpp"

/// Transposed convolutions.
namespace eglantine::test::bad_input {
namespace {

struct WrongTransposed {
  std::string what;
  Shape x, w;
  ConvTransposeOptions options;
  std::string message;
};

const std::string sizes_of_weights = "weights are (channels, out / groups, kernel...) of 1 to 3 spatial axes, got ";
const std::string ranks =
    "takes (n, channels, spatial...), or without n, with as many spatial axes as the weights, got ";

std::vector<WrongTransposed> transposed_shapes() {
  return {
      {"weights without a kernel", {1, 2, 4}, {2, 3}, {}, sizes_of_weights + "(2, 3)"},
      {"weights of four spatial axes",
       {1, 2, 4, 4, 4, 4},
       {2, 3, 1, 1, 1, 1},
       {},
       sizes_of_weights + "(2, 3, 1, 1, 1, 1)"},
      {"an axis more than the weights", {1, 2, 4, 4}, {2, 3, 3}, {}, ranks + "(1, 2, 4, 4) and (2, 3, 3)"},
      {"two axes fewer", {4, 4}, {2, 3, 3, 3}, {}, ranks + "(4, 4) and (2, 3, 3, 3)"},
      {"other channels", {1, 5, 4}, {2, 3, 3}, {}, "axis 1 of (1, 5, 4) has 5 channels; the weights (2, 3, 3) take 2"},
      {"other channels without n",
       {5, 4},
       {2, 3, 3},
       {},
       "axis 0 of (5, 4) has 5 channels; the weights (2, 3, 3) take 2"},
      {"channels that groups do not share",
       {1, 3, 4},
       {3, 2, 3},
       {.groups = 2},
       "axis 0 of (3, 2, 3) has 3 channels, which do not fall into 2 groups"},
      {"no groups", {1, 2, 4}, {2, 3, 3}, {.groups = 0}, "groups are at least 1, got 0"},
      {"a bias of another length",
       {1, 2, 4},
       {2, 3, 3},
       {.groups = 2, .bias = of({3})},
       "axis 0 of the bias is 3; axis 1 of the weights (2, 3, 3) gives 6 results in 2 groups"},
      {"a stride of 0", {1, 2, 4, 4}, {2, 3, 3, 3}, {.stride = {1, 0}}, "stride of axis 3 is 0; it is at least 1"},
      {"a dilation of -1", {1, 2, 4}, {2, 3, 3}, {.dilation = -1}, "dilation of axis 2 is -1; it is at least 1"},
      {"a stride too many",
       {1, 2, 4},
       {2, 3, 3},
       {.stride = {1, 1}},
       "stride is (1, 1), which is not one number for each of the 1 spatial axes of (1, 2, 4)"},
      {"negative padding",
       {1, 2, 4},
       {2, 3, 3},
       {.padding = {{-1, 0}}},
       "padding of axis 2 is (-1, 0); counts are not negative"},
      {"a pair too many",
       {1, 2, 4},
       {2, 3, 3},
       {.padding = {{0, 0}, {0, 0}}},
       "padding has 2 pairs, for the 1 spatial axes of (1, 2, 4)"},
      {"an empty kernel", {1, 2, 4}, {2, 3, 0}, {}, "the kernel of axis 2 has 0 places; weights are (2, 3, 0)"},
      {"padding that leaves nothing",
       {1, 2, 5, 2},
       {2, 3, 3, 2},
       {.stride = 2, .padding = 2},
       "axis 3 of (1, 2, 5, 2) has 2 elements, which the kernel spreads over 4 places; padding of (2, 2) leaves none"},
      {"an axis without elements",
       {1, 2, 0},
       {2, 3, 3},
       {},
       "axis 2 of (1, 2, 0) has 0 elements, which the kernel spreads over 0 places; padding of (0, 0) leaves none"},
      {"a negative output_padding",
       {1, 2, 4},
       {2, 3, 3},
       {.stride = 2, .output_padding = -1},
       "output_padding of axis 2 is -1; it is at least 0"},
      {"an output_padding of stride and dilation",
       {1, 2, 4, 4},
       {2, 3, 3, 3},
       {.stride = {3, 2}, .dilation = {1, 2}, .output_padding = {2, 2}},
       "output_padding of axis 3 is 2; it is less than the stride, 2, or than the dilation, 2"},
      {"output_padding beside Padding::same",
       {1, 2, 4},
       {2, 3, 3},
       {.stride = 2, .padding = Padding::same, .output_padding = 1},
       "output_padding of axis 2 is 1; Padding::same gives length * stride elements and takes none"},
      {"a result too long",
       {1, 2, 4},
       {2, 3, 3},
       {.stride = INT64_MAX / 2},
       "the result along axis 2 of (1, 2, 4) is longer than 2^63 - 1"},
      {"a result too long of Padding::same",
       {1, 2, 4},
       {2, 3, 1},
       {.stride = INT64_MAX / 2, .padding = Padding::same},
       "the result along axis 2 of (1, 2, 4) is longer than 2^63 - 1"},
      {"padding beyond 2^63",
       {1, 2, 4},
       {2, 3, 3},
       {.padding = INT64_MAX},
       "axis 2 of (1, 2, 4) has 4 elements, which the kernel spreads over 6 places; padding of (9223372036854775807, "
       "9223372036854775807) leaves none"},
      {"more results than can be addressed",
       {1, 2, 4},
       {2, 3, 3},
       {.stride = int64_t{1} << 60},
       "shape (1, 3, 3458764513820540931)" + too_many},
  };
}

}  // namespace

void add_conv_transpose(Rows& rows) {
  for (const WrongTransposed& wrong : transposed_shapes())
    rows.push_back(row<ShapeError>(
        "conv_transpose", wrong.what, [=] { return conv_transpose(of(wrong.x), of(wrong.w), wrong.options); },
        "[conv_transpose] " + wrong.message));
  rows.push_back(row<Error>(
      "conv_transpose", "no Padding",
      [] {
        return conv_transpose(of({1, 2, 4}), of({2, 3, 3}), {.padding = static_cast<Padding>(7)});
      },
      "[conv_transpose] 7 is no Padding; there are valid and same"));
  rows.push_back(row<DTypeError>(
      "conv_transpose", "booleans",
      [] {
        return conv_transpose(of({1, 2, 4}).astype(DType::boolean), of({2, 3, 3}).astype(DType::boolean));
      },
      "[conv_transpose] takes any dtype but boolean, got boolean; convert with astype"));
  rows.push_back(row<DTypeError>(
      "conv_transpose", "dtypes that do not meet",
      [] {
        return conv_transpose(of({1, 2, 4}).astype(DType::i32), of({2, 3, 3}).astype(DType::u32));
      },
      "[conv_transpose] no dtype holds both i32 and u32; convert one with astype"));
  add_moved_from(rows, "conv_transpose", [](const Tensor& x) { return conv_transpose(x, of({2, 3, 3})); });
}

}  // namespace eglantine::test::bad_input
