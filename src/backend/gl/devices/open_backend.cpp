#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "backend/gl/devices/device_search.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {

/// A parsed spec.
struct Request {
  bool gl = true, gles = true;
  std::optional<size_t> number;
  std::string part;  ///< of the name, in lower case
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

Request parse(std::string_view spec) {
  Request request;
  const size_t colon = spec.find(':');
  const std::string_view kind = spec.substr(0, colon);
  if (!kind.empty() && kind != "gl" && kind != "gles") {
    throw DeviceError("[Device::open] \"" + std::string(spec) +
                      "\" names no kind of device; it wants gl, gles or cpu, as in \"gl\", \"gl:1\", \"gl:llvmpipe\"");
  }
  request.gl = kind.empty() || kind == "gl";
  request.gles = kind.empty() || kind == "gles";
  if (colon == std::string_view::npos) return request;
  const std::string_view rest = spec.substr(colon + 1);
  if (rest.empty() || kind.empty()) {
    throw DeviceError("[Device::open] \"" + std::string(spec) +
                      "\" says a colon but not both a kind before it and a number or a part of the name after it");
  }
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error == std::errc{} && end == rest.data() + rest.size()) {
    request.number = number;
  } else {
    request.part = lower(rest);
  }
  return request;
}

/// Tries one candidate after another, and records why each is unsuitable.
class Opening {
 public:
  Opening(std::string_view spec, const Options& options)
      : spec_(spec),
        request_(parse(spec)),
        options_(options),
        search_(options.egl != nullptr ? *options.egl : system_egl()) {}

  std::unique_ptr<Backend> open() {
    const bool directly = request_.number && search_.is_numbered_by_egl(*request_.number);
    while (const Candidate* candidate = search_.next()) {
      const bool wanted = !request_.number || *request_.number == search_.number();
      if (!wanted && directly) continue;
      auto backend = open_either(*candidate);
      if (backend == nullptr) continue;
      const bool software = backend->info().software;
      search_.opened(software);
      if (!wanted || (software && second_choice_)) continue;
      if (!software || request_.number || !search_.hardware_is_left()) return backend;
      second_choice_ = {*candidate, {backend->info().kind == "gles", search_.number()}};
    }
    if (second_choice_) return open_candidate(second_choice_->first, second_choice_->second, options_);
    fail();
  }

 private:
  std::unique_ptr<Backend> open_either(const Candidate& candidate) {
    for (const bool gles : {false, true}) {
      if (gles ? !request_.gles : !request_.gl) continue;
      if (auto backend = try_open(candidate, {gles, search_.number()})) return backend;
    }
    return nullptr;
  }

  std::unique_ptr<Backend> try_open(const Candidate& candidate, const DeviceName& name) {
    try {
      auto backend = open_candidate(candidate, name, options_);
      if (lower(backend->info().name).find(request_.part) != std::string::npos) return backend;
      search_.opened(backend->info().software);
      note(name, backend->info().name, "its name does not contain \"" + request_.part + "\"");
    } catch (const DeviceError& error) {
      note(name, candidate.name.empty() ? candidate.label : candidate.name, error.what());
    }
    return nullptr;
  }

  void note(const DeviceName& name, const std::string& called, const std::string& why) {
    if (request_.number && *request_.number != name.number) return;
    tried_.push_back(name.spec() + " \"" + called + "\": " + why);
  }

  [[noreturn]] void fail() {
    const bool no_such_number = request_.number && tried_.empty();
    if (!search_.problem().empty()) tried_.push_back("EGL: " + search_.problem());
    if (tried_.size() == 1 && tried_.front().starts_with(spec_ + " "))
      throw DeviceError("[Device::open] " + tried_.front());
    std::string text = "[Device::open] no device " + (spec_.empty() ? "can be opened" : "for \"" + spec_ + "\"");
    if (no_such_number) text += ": devices tried: " + std::to_string(search_.count()) + ", numbered from 0";
    for (const std::string& line : tried_) text += "\n  " + line;
    throw DeviceError(text);
  }

  std::string spec_;
  Request request_;
  const Options& options_;
  DeviceSearch search_;
  std::optional<std::pair<Candidate, DeviceName>> second_choice_;
  std::vector<std::string> tried_;
};

}  // namespace

std::unique_ptr<Backend> open_backend(std::string_view spec) { return open_backend(spec, Options{}); }

std::unique_ptr<Backend> open_backend(std::string_view spec, const Options& options) {
  check_environment();
  return Opening(spec, options).open();
}

}  // namespace eglantine::gl
