#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "eglantine/tensor.hpp"
#include "grad/parts.hpp"
#include "graph/node.hpp"
#include "graph/structure/pointer_numbers.hpp"

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
  PointerNumbers known;  ///< their places

  /// Not to one that was let go from the end, whose address a later node may have.
  bool leads_to(const NodePtr& x) const {
    const int32_t place = x ? known.find(x.get()) : -1;
    return place >= 0 && static_cast<size_t>(place) < nodes.size();
  }
  const Recorded& at(const NodePtr& x) const { return nodes[static_cast<size_t>(known.find(x.get()))]; }
  /// Numbers the nodes anew, once they are others.
  void number() {
    known.clear();
    for (const Recorded& each : nodes) known.number(each.node.get());
  }
};

/// The cotangents of nodes, added up as their readers give them.
class Cotangents {
 public:
  /// function: whose derivative it is, for errors.
  Cotangents(std::string_view function, const Record& record)
      : function_(function), record_(record), given_(record.nodes.size()) {}

  std::string_view function() const { return function_; }

  /// Whether anybody asks for x's.
  bool wants(const NodePtr& x) const;
  /// Adds to x's. What is undefined, or nobody asks for, adds nothing.
  void give(const NodePtr& x, const Tensor& cotangent);
  /// Adds to some of x's elements. `part` is ordered.
  void give_part(const NodePtr& x, const Placing& part);
  /// What x, which leads to the results, was made from.
  const nodes::Value& origin_of(const NodePtr& x) const { return record_.at(x).origin; }
  /// Undefined where nothing was given.
  Tensor take(const Node& x);

 private:
  /// A node's: the sum of what it was given as a whole, if it was, and the rest.
  struct Given {
    Tensor sum;
    std::vector<Placing> parts;
  };

  Given& given_to(const Node& x) { return given_[static_cast<size_t>(record_.known.find(&x))]; }

  const std::string_view function_;
  const Record& record_;
  std::vector<Given> given_;  ///< by the nodes' places
};

}  // namespace eglantine::derivatives
