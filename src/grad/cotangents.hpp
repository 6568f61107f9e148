#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eglantine/tensor.hpp"
#include "grad/parts.hpp"
#include "graph/node.hpp"

namespace eglantine::derivatives {

/// What a node was made from, as it was when a derivative's function had run.
struct Recorded {
  NodePtr node;
  nodes::Value origin;
};

/// Null where the value is no result with a derivative of its own.
inline const OwnDerivative* own_of(const nodes::Value& x) {
  const auto* view = std::get_if<nodes::View>(&x);
  return view != nullptr && view->boundary ? view->boundary->own.get() : nullptr;
}

/// The nodes that lead from a derivative's inputs to its results, sources first.
struct Record {
  std::vector<Recorded> nodes;
  std::unordered_map<const Node*, size_t> known;  ///< their places

  bool leads_to(const NodePtr& x) const { return x && known.count(x.get()) != 0; }
};

/// The cotangents of nodes, added up as their readers give them.
class Cotangents {
 public:
  /// function: whose derivative it is, for errors.
  Cotangents(std::string_view function, const Record& record) : function_(function), record_(record) {}

  std::string_view function() const { return function_; }

  /// Whether anybody asks for x's.
  bool wants(const NodePtr& x) const;
  /// Adds to x's. What is undefined, or nobody asks for, adds nothing.
  void give(const NodePtr& x, const Tensor& cotangent);
  /// Adds to some of x's elements. `part` is ordered.
  void give_part(const NodePtr& x, const Placing& part);
  /// What x, which leads to the results, was made from.
  const nodes::Value& origin_of(const NodePtr& x) const { return record_.nodes[record_.known.at(x.get())].origin; }
  /// Undefined where nothing was given.
  Tensor take(const Node& x);

 private:
  const std::string_view function_;
  const Record& record_;
  /// A node's: the sum of what it was given as a whole, if it was, and the rest.
  struct Given {
    Tensor sum;
    std::vector<Placing> parts;
  };

  std::unordered_map<const Node*, Given> given_;
};

}  // namespace eglantine::derivatives
