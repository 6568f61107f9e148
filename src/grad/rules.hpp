#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "grad/cotangents.hpp"
#include "graph/op/op.hpp"

/// One rule a kind of node: what the cotangent of its value gives to the nodes that it is made from.
namespace eglantine::derivatives {

/// `of` has been recorded as made from `origin`.
void give_back(const Recorded& of, const Tensor& cotangent, Cotangents& to);

/// An element-wise value's arguments (undefined: none), itself, and its cotangent.
struct Reading {
  Tensor x, y, z, result, g;
  std::string_view function;  ///< whose derivative it is, for errors
};
/// g times the derivative by each argument; undefined where that is zero. Throws Error where there is none.
using Partial = Tensor (*)(const Reading&);
std::array<Partial, 3> partials_of(std::string_view function, Op op);

// By kind, of its value and the cotangent.
// rules.cpp:
void give_back(const nodes::Custom& x, const Tensor& result, const Tensor& g, Cotangents& to);
// reductions.cpp:
void give_back(const nodes::Reduce& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::Tiles& x, const Tensor& result, const Tensor& g, Cotangents& to);
// scans.cpp:
void give_back(const nodes::Scan& x, const Tensor& result, const Tensor& g, Cotangents& to);
// movements.cpp:
void give_back(const nodes::View& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::Remap& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::Placement& x, const Tensor& result, const Tensor& g, Cotangents& to);
// products.cpp:
void give_back(const nodes::Matmul& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::Contraction& x, const Tensor& result, const Tensor& g, Cotangents& to);
// indices.cpp:
void give_back(const nodes::Gather& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::Scatter& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::LoadAt& x, const Tensor& result, const Tensor& g, Cotangents& to);
// order.cpp:
void give_back(const nodes::Sort& x, const Tensor& result, const Tensor& g, Cotangents& to);
void give_back(const nodes::SecondOutput& x, const Tensor& result, const Tensor& g, Cotangents& to);
// attention.cpp:
void give_back(const nodes::Attention& x, const Tensor& result, const Tensor& g, Cotangents& to);
/// Of a cotangent of its second output.
void give_back_logsumexp(const nodes::Attention& x, const NodePtr& node, const Tensor& g, Cotangents& to);

Tensor transposed(const Tensor& x);  ///< the last two axes, by products.cpp

[[noreturn]] void fail_without(std::string_view function, std::string_view what);  ///< Error: it has no derivative

/// The same of a reduction, or what is made of one, by the operation's name.
[[noreturn]] void fail_without(std::string_view function, Reduction reduction, const ReduceOpPtr& custom,
                               std::string_view kind);

}  // namespace eglantine::derivatives
