#pragma once

#include <string>

#include "lower/contraction/text/tile_operand.hpp"

namespace eglantine::lower {

/// A TileOperand whose tile is filled between two barriers, in the order [k][line]: of vec4s of neighbouring lines
/// where memory has such, else of single elements, which the driver joins where four are read. Of `turned`, elements
/// are fetched along k, by vec4s or one by one, and stored across; others that are read one by one are fetched along
/// the lines.
class BufferOperand {
 public:
  BufferOperand(const TileOperand& operand, bool turned) : x_(operand), turned_(turned) {}

  std::string declare_shared() const;
  std::string declare_fetches() const;
  std::string fetch(const std::string& head) const;
  std::string store_tile() const;
  /// The address of the invocation's first line, and `<letter><four>`: each four of its lines at step k of a tile.
  std::string declare_place() const;
  std::string load(int k) const;

 private:
  bool is_single() const { return x_.read == MatmulRead::single; }
  bool has_vectors() const { return !turned_ && !is_single(); }
  int pitch() const { return x_.tile_lines() + (has_vectors() ? 0 : MatmulShader::padding); }
  int group() const { return x_.shader.group_size(); }
  /// Steps of k, or lines, between an invocation's elements of a fetch that reads one by one.
  int apart() const { return turned_ ? group() / x_.shader.depth : group() / x_.tile_lines(); }
  std::string tile() const { return "eg_tile_" + x_.name; }
  std::string id(int v) const { return x_.name + number(v); }
  std::string next(int v) const { return "next_" + id(v); }
  int store_step() const;
  std::string declare_slot(int v) const;
  std::string address(int v, int i) const;
  std::string from(int v, int i) const { return x_.from(id(v), is_single() && turned_ ? i : 0); }

  const TileOperand& x_;
  bool turned_;
};

/// The holes of a tile of one buffer that differ from others'.
void define_one_buffer(std::string& text, const MatmulShader& shader, const TileOperand& tile_a,
                       const TileOperand& tile_b);

}  // namespace eglantine::lower
