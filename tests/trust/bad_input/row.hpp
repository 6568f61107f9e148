#pragma once

#include <functional>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <vector>

#include "eglantine/eglantine.hpp"
#include "graph/op/op_info.hpp"

/// One table of all the ways in which the arguments of the public functions can be wrong. The rows of one part of the
/// public headers stand in one file here; bad_input_test.cpp tries them all on each device.
namespace eglantine::test::bad_input {

struct Row {
  std::string function;  ///< as in the headers: "sum", "Tensor::reshape"
  std::string wrong;     ///< what is wrong about the call
  std::function<void()> call;
  std::type_index type;  ///< of the exception, exactly
  std::string message;   ///< the whole of what()
};
using Rows = std::vector<Row>;

template <class E, class Call>
Row row(std::string function, std::string wrong, Call call, std::string message) {
  return {std::move(function), std::move(wrong), [call] { (void)call(); }, typeid(E), std::move(message)};
}

// By the parts of the public headers.
void add_creation(Rows& rows);
void add_random(Rows& rows);
void add_elementwise(Rows& rows);
void add_activations(Rows& rows);
void add_movement(Rows& rows);
void add_reductions(Rows& rows);
void add_statistics(Rows& rows);
void add_contractions(Rows& rows);
void add_scans_and_order(Rows& rows);
void add_indices(Rows& rows);
void add_indexing(Rows& rows);
void add_segments(Rows& rows);
void add_counting(Rows& rows);
void add_shape(Rows& rows);
void add_tensor(Rows& rows);
void add_custom(Rows& rows);
void add_tiles(Rows& rows);
void add_devices(Rows& rows);
void add_files(Rows& rows);
void add_network(Rows& rows);
void add_convolution(Rows& rows);
void add_conv_transpose(Rows& rows);
void add_pooling(Rows& rows);
void add_interpolation(Rows& rows);
void add_tensor_products(Rows& rows);
void add_attention(Rows& rows);
void add_grad(Rows& rows);
void add_models(Rows& rows);
void add_blocks(Rows& rows);
void add_optimisers(Rows& rows);

// What many rows share.

Tensor of(const Shape& shape, DType dtype = DType::f32);
/// A small tensor of a huge shape: a view that repeats one element.
Tensor huge(const Shape& shape, DType dtype = DType::f32);
/// A tensor that was moved from.
Tensor moved_from();
/// A device other than the current one.
Device other_device();
Tensor elsewhere(const Shape& shape, DType dtype = DType::f32);

using OfOne = std::function<Tensor(const Tensor& x)>;
using OfTwo = std::function<Tensor(const Tensor& x, const Tensor& y)>;
using AlongAxis = std::function<Tensor(const Tensor& x, int axis)>;
using OverAxes = std::function<Tensor(const Tensor& x, Axes axes)>;

/// An axis beyond either end, and one of a scalar.
void add_axis(Rows& rows, const std::string& function, const AlongAxis& call, const std::string& said = "");
/// The same, and an axis named twice.
void add_axes(Rows& rows, const std::string& function, const OverAxes& call, const std::string& said = "");
/// Every dtype that is not among those taken.
void add_dtypes(Rows& rows, const std::string& function, const OfOne& call, Types taken);
/// Operands on two devices.
void add_two_devices(Rows& rows, const std::string& function, const OfTwo& call, DType dtype = DType::f32);
/// Operands of two dtypes.
void add_differing_dtypes(Rows& rows, const std::string& function, const OfTwo& call);
/// Operands that do not broadcast, or to more elements than can be counted.
void add_broadcast(Rows& rows, const std::string& function, const OfTwo& call, DType dtype = DType::f32);
/// A tensor that was moved from, as the first operand.
void add_moved_from(Rows& rows, const std::string& function, const OfOne& call);
/// Bad shapes, and no dtype, of a verb that makes a tensor of nothing.
using OfShape = std::function<Tensor(const Shape& shape, DType dtype)>;
void add_shaped(Rows& rows, const std::string& name, const OfShape& call, bool of_dtypes = true);
/// Every dtype but floats.
void add_real(Rows& rows, const std::string& name, const std::function<Tensor(DType dtype)>& call);

inline const std::string no_dtype = "9 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8";
constexpr auto nine = static_cast<DType>(9);
inline const std::string too_many = " has more elements than memory can be addressed for";

}  // namespace eglantine::test::bad_input
