#pragma once

#include <memory>
#include <string>

#include "codegen/source.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A compute shader as a value: what differs from kernel to kernel, which a target's header completes. Two programs are
/// one where all that their text is made of is the same, so that equal keys give equal text by construction.
class Program {
 public:
  explicit Program(codegen::SourceParts parts);
  /// A text that is complete as it is.
  explicit Program(std::string text);

  /// All that the text is made of, but for the target.
  const std::string& key() const { return key_; }
  size_t hash() const { return hash_; }
  std::string text(const Target& target) const;

 private:
  codegen::SourceParts parts_;  ///< without a template where the key is the text
  std::string key_;
  size_t hash_;
};
using ProgramPtr = std::shared_ptr<const Program>;

/// For containers of programs: by what they are made of.
struct SameProgram {
  size_t operator()(const ProgramPtr& x) const { return x->hash(); }
  bool operator()(const ProgramPtr& x, const ProgramPtr& y) const {
    return x == y || (x->hash() == y->hash() && x->key() == y->key());
  }
};

}  // namespace eglantine::lower
