#pragma once

#include <filesystem>
#include <fstream>
#include <string>

/// A file written whole or not at all: the text goes to PATH.tmp, which takes PATH's place once it is complete.
/// What is no regular file (a link, /dev/stdout, a pipe) is written directly.
class OutputFile {
 public:
  /// Opens the file, so that a wrong path is known before hours of work. Throws std::runtime_error, saying why.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text and puts the file in its place. Throws std::runtime_error when the disk is full, say.
  void finish(const std::string& text);

 private:
  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
};
