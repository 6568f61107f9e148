#pragma once

#include "perf/inputs.hpp"
#include "perf/works/models/models.hpp"

/// The works, by verb family; sets.cpp says which sizes of them make a set. Sizes are elements; elements are f32 but
/// where a dtype says otherwise.
namespace eglantine::perf {

inline double real(int64_t count) { return static_cast<double>(count); }
inline double count_of(const Shape& shape) { return real(shape.elements()); }

using Works = std::vector<Work>;

// elementwise.cpp
Work copy_work(int64_t n, DType dtype = DType::f32);
Work exp_work(int64_t n, DType dtype = DType::f32);
Work mul_work(int64_t n, DType dtype = DType::f32);
Work where_work(int64_t n);           ///< where(mask, a, b)
Work greater_work(int64_t n);         ///< a > b
Work where_compare_work(int64_t n);   ///< where(a > b, a, b)
Work mul_transposed_work(int64_t n);  ///< n x n times a transposed and reshaped operand: the classic set's
Work add_row_work(int64_t n);         ///< n x n plus a row vector
Work add_column_work(int64_t n);
Work add_permuted_work(int64_t n);  ///< n x n plus a transposed n x n
Work momentum_work(int64_t n);      ///< a step of n weights: v = 0.9 v + g, w = w - 0.01 v; both are results
Work adam_work(int64_t n);          ///< likewise with two means, by Kingma and Ba (2015), without their first steps'
                                    ///< correction

// reduce.cpp
Work sum_work(int64_t n, DType dtype = DType::f32);
Work max_work(int64_t n);
Work sum_axis_work(Shape shape, int axis, DType dtype = DType::f32);
Work argmax_work(Shape shape);                             ///< over the last axis
Work tile_sum_work(int64_t side);                          ///< by 16 x 16 tiles of side x side
Work fused_sum_work(int64_t n);                            ///< exp(a * b + a).sum()
Work softmax_work(Shape shape, DType dtype = DType::f32);  ///< over the last axis
Work softmax_axis0_work(Shape shape);
Work log_softmax_work(Shape shape);  ///< over the last axis
Work logsumexp_work(Shape shape);    ///< over the last axis
Work var_work(Shape shape);          ///< over the last axis

// movement.cpp
Work transpose_work(int64_t n, DType dtype = DType::f32);  ///< copy of a transposed n x n

// matmul.cpp
Work matmul_work(int64_t m, int64_t k, int64_t n, DType dtype = DType::f32);
Work matmul_rows_work(int64_t m, int64_t k, int64_t n, DType dtype = DType::f32);  ///< x @ w.T: w has rows of k
Work batch_matmul_work(int64_t batch, int64_t n);
Work matmul_transposed_work(int64_t m, int64_t k, int64_t n);        ///< A is a transposed view
Work linear_gelu_work(int64_t rows, int64_t inputs, int64_t units);  ///< gelu(x @ w + b)

// narrow.cpp
Work cast_work(int64_t n, DType from, DType to);
Work scaled_work(int64_t n);                     ///< u8 to f32, times 1/255
Work scaled_product_work(int64_t m, int64_t k);  ///< i8 weights m x k, with an f16 scale for each 32, times a vector

// order.cpp
Work cumsum_work(int64_t n);
Work cumsum_rows_work(Shape shape);
Work sort_work(int64_t n, DType keys);  ///< with the places of the keys
Work sort_rows_work(Shape shape);
Work argsort_work(Shape shape);           ///< along the last axis
Work take_work(int64_t n, int64_t from);  ///< n single elements
Work take_rows_work(int64_t rows, int64_t columns);
Work scatter_add_work(int64_t rows, int64_t columns);
Work scatter_add_flat_work(int64_t n);  ///< n updates of n elements

// latency.cpp
Work chain_work(int64_t n, int64_t steps);  ///< small kernels one after another
Work read_number_work();                    ///< one number after a kernel
Work first_result_work();                   ///< a process, from its start to the first result of sum(exp(x))

// transfer.cpp
Work upload_work(int64_t n);
Work download_work(int64_t n);       ///< into a new vector
Work download_into_work(int64_t n);  ///< into memory that is there

// network.cpp: what networks are made of. Pictures are (n, channels, height, width).
/// A convolution of size x size pictures with square kernels and padding of half a kernel; or of volumes.
struct Convolution {
  int64_t n, in, out, kernel, size, stride = 1, groups = 1;
  int axes = 2;
};
Work conv_work(const Convolution& c);
Work conv_gradients_work(const Convolution& c);  ///< with respect to the input and to the weights
Work max_pool_work(const Shape& x);              ///< windows of 3 x 3, 2 apart
Work global_average_work(const Shape& x);
Work bilinear_work(const Shape& x);             ///< twice as high and wide
Work batch_norm_training_work(const Shape& x);  ///< and its mean and variance
Work layer_norm_work(const Shape& x);           ///< over the last of two axes, with weight and bias
Work rms_norm_work(const Shape& x);             ///< likewise, with a weight
Work cross_entropy_work(const Shape& x);        ///< the mean over rows of logits
Work standardize_work(const Shape& x);          ///< over axis 0, written by hand
Work attention_work(int64_t batch, int64_t heads, int64_t length, int64_t features);  ///< causal
Work resnet50_work(int64_t batch, int64_t size = 224);                                ///< examples/17_resnet50

// pictures.cpp: what reads pictures by windows, or between their elements; and volumes, (n, channels, depth, height,
// width).
Work avg_pool_work(const Shape& x);           ///< windows of 3 x 3, 2 apart
Work lp_pool_work(const Shape& x);            ///< the root of the sum of squares of windows of 2 x 2
Work adaptive_avg_pool_work(const Shape& x);  ///< to 3 / 7 of height and width: windows of two lengths
Work adaptive_max_pool_work(const Shape& x);
Work bicubic_work(const Shape& x);        ///< twice as high and wide
Work antialiased_work(const Shape& x);    ///< to a third of height and width, linear
Work trilinear_work(const Shape& x);      ///< of volumes: twice as long along each axis
Work grid_sample_work(const Shape& x);    ///< of pictures or volumes, linear, at places near each element's own
Work pixel_shuffle_work(const Shape& x);  ///< blocks of 2 x 2
Work window_max_work(const Shape& x);     ///< over windows() of 3 x 3, as a user writes a filter
Work window_var_work(const Shape& x);     ///< likewise the variance

// training.cpp: steps of a perceptron on batches as those of examples/07_fashion_mnist
Work training_work();          ///< its gradients written by hand
Work training_by_grad_work();  ///< and found by nn::value_and_grad

// training_steps.cpp: steps by nn::value_and_grad and AdamW, and derivatives by all operands, given the result's
// cotangent.
Work perceptron_step_work(int64_t batch);
Work convolutional_step_work(int64_t batch);
Work gpt_step_work(const models::GptSizes& sizes, int64_t batch);
Work resnet50_step_work(int64_t batch, int64_t size = 224);
Work softmax_gradient_work(const Shape& x);  ///< over the last of two axes
Work layer_norm_gradient_work(const Shape& x);
Work batch_norm_gradient_work(const Shape& x);
Work max_pool_gradient_work(const Shape& x);
Work attention_gradient_work(int64_t batch, int64_t heads, int64_t length, int64_t features);

/// What a process made by first_result_work runs: prints the milliseconds of its phases, and ends the process.
[[noreturn]] void print_first_result(const std::string& device);

}  // namespace eglantine::perf
