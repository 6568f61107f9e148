#pragma once

#include <optional>
#include <vector>

#include "graph/structure/structure.hpp"

namespace eglantine {

/// Writes nodes as words. Each kind names all of its members, so that a new one does not compile before it is written.
/// Lengths come before lists, so that different nodes write different words.
class StructureWriter {
 public:
  explicit StructureWriter(GraphStructure& out) : out_(out) {}

  void write(const Node& x);
  void write_number(const NodePtr& x);  ///< null: -1
  void write_count(size_t count) { put(static_cast<int64_t>(count)); }

 private:
  void write_value(const nodes::Leaf&) {}
  void write_value(const nodes::Iota&) {}
  void write_value(const nodes::Constant&) {}  // a parameter: RecordedPlan
  void write_value(const nodes::View& x);
  void write_value(const nodes::Elementwise& x);
  void write_value(const nodes::Reduce& x);
  void write_value(const nodes::Matmul& x);
  void write_value(const nodes::Contraction& x);
  void write_value(const nodes::Placement& x);
  void write_value(const nodes::Remap& x);
  void write_value(const nodes::LoadAt& x);
  void write_value(const nodes::Stencil& x);
  void write_value(const nodes::Composite& x);
  void write_value(const nodes::Custom& x);
  void write_value(const nodes::Scan& x);
  void write_value(const nodes::Sort& x);
  void write_value(const nodes::Attention& x);
  void write_value(const nodes::AttentionGradient& x);
  void write_value(const nodes::SecondOutput& x);
  void write_value(const nodes::Gather& x);
  void write_value(const nodes::Scatter& x);
  void write_value(const nodes::Tiles& x);

  void write_numbers(const std::vector<NodePtr>& list);
  void write_taken_over(const NodePtr& base);
  void note_custom(const ReduceOpPtr& op) { out_.has_custom_ = out_.has_custom_ || op != nullptr; }

  void put(int64_t word) { out_.words_.push_back(word); }
  void put(const IntList& x);
  void put(const Layout& x);
  void put(const Stored& x);
  void put(const IndexCheckPtr& x);
  void put(const layout::AxisMap& x);

  GraphStructure& out_;
};

}  // namespace eglantine
