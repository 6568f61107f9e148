#include <algorithm>
#include <set>

#include "lower/program_dispatch.hpp"

namespace eglantine::gl {
namespace {

class NoStorage : public Storage {};

/// A device that only writes down the programs it is asked to run, each once.
class SourceRecorder : public Runtime {
 public:
  explicit SourceRecorder(const Target& target) : target_(target) {}

  const Target& target() const override { return target_; }

  void dispatch(const Dispatch& dispatch) override {
    if (!seen_.insert(dispatch.key).second) return;
    if (!text_.empty()) text_ += '\n';
    text_ += "// " + dispatch.name + "\n" + dispatch.source();
  }

  void copy(const Buffer&, const Buffer&, std::span<const Stretch>) override {
    text_ += std::string(text_.empty() ? "" : "\n") + "// copied by the driver\n";
  }

  /// Nothing has been computed, and only indices are read: 0 is one that every axis has.
  void read(const Buffer&, int64_t, std::span<std::byte> data) override { std::ranges::fill(data, std::byte{0}); }

  std::unique_ptr<Storage> allocate(int64_t) override { return std::make_unique<NoStorage>(); }

  BufferPtr open_exchange() override {
    return std::make_shared<Buffer>(nullptr, exchange_words * int64_t{sizeof(uint32_t)});
  }

  Flag open_check(const Expr&, const IndexCheck&) override { return {std::make_shared<Buffer>(nullptr, 4), 0}; }

  Flag open_alarm(const std::string&) override { return {std::make_shared<Buffer>(nullptr, 4), 0}; }

  const std::string& text() const { return text_; }

 private:
  const Target& target_;
  std::set<std::string> seen_;
  std::string text_;
};

}  // namespace

std::string glsl_of(const Target& target, const Kernel& kernel) {
  SourceRecorder recorder(target);
  std::visit([&recorder](const auto& family) { run(recorder, family); }, kernel);
  return recorder.text();
}

}  // namespace eglantine::gl
