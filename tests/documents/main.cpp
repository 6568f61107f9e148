#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "io/temporary_folder.hpp"
#include "phrases.hpp"

/// Runs the code of documents and compares what it prints with what they say.
///   eglantine_documents [--names | --write]
/// --names prints the name of each example; --write puts into the documents what was computed.
namespace {

using eglantine::documents::Phrases;

struct Document {
  const char* file;
  void (*run)(Phrases&);
};

/// A folder for what the code writes, left at the end.
class WorkingFolder {
 public:
  WorkingFolder() { std::filesystem::current_path(folder_.path()); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  ~WorkingFolder() { std::filesystem::current_path(left_); }

 private:
  std::filesystem::path left_ = std::filesystem::current_path();
  eglantine::test::TemporaryFolder folder_;
};

}  // namespace

#define EG_DOCUMENT(name, file) void name(Phrases& phrases);
#include "documents.inc"
#undef EG_DOCUMENT

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && option != "--names" && option != "--write")) {
    std::cerr << "usage: " << argv[0] << " [--names | --write]\n";
    return 2;
  }
  const Document documents[] = {
#define EG_DOCUMENT(name, file) {file, &name},
#include "documents.inc"
#undef EG_DOCUMENT
  };
  const WorkingFolder folder;
  int checked = 0, failed = 0;
  for (const auto& [file, run] : documents) {
    Phrases phrases(file);
    const std::ostringstream printed;
    std::streambuf* const screen = std::cout.rdbuf(printed.rdbuf());
    run(phrases);
    std::cout.rdbuf(screen);
    checked += phrases.checked();
    failed += phrases.failed();
    if (option == "--write") phrases.write();
    if (option == "--names")
      for (const std::string& name : phrases.names()) std::cout << name << "\n";
  }
  std::cerr << checked << " values of " << std::size(documents) << " documents: " << failed << " differ\n";
  return failed == 0 || option == "--write" ? 0 : 1;
}
