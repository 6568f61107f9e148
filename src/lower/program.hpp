#pragma once

#include <memory>
#include <string>

#include "codegen/source.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A compute shader as a value: what differs from kernel to kernel, completed by a target's header. The key is made of
/// everything that the text is made of, so that equal keys give equal text by construction.
class Program {
 public:
  explicit Program(codegen::SourceParts parts);
  /// A complete text.
  explicit Program(std::string text);

  /// Everything that the text is made of, except the target.
  const std::string& key() const { return key_; }
  size_t hash() const { return hash_; }
  std::string text(const Target& target) const;

 private:
  codegen::SourceParts parts_;  ///< no template where the key is the text
  std::string key_;
  size_t hash_;
};
using ProgramPtr = std::shared_ptr<const Program>;

/// Hash and equality of programs by key.
struct SameProgram {
  size_t operator()(const ProgramPtr& x) const { return x->hash(); }
  bool operator()(const ProgramPtr& x, const ProgramPtr& y) const {
    return x == y || (x->hash() == y->hash() && x->key() == y->key());
  }
};

}  // namespace eglantine::lower
