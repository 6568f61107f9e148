#include "backend/gl/execution/programs/program_store.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eglantine/error.hpp"
#include "system/cache_folder.hpp"

namespace eglantine::gl {
namespace {

constexpr int64_t most_bytes_of_a_program = int64_t{64} << 20;
constexpr std::array<char, 8> magic{'e', 'g', '-', 'p', 'r', 'o', 'g', '1'};

/// The start of a file; driver, text and binary follow it.
struct Head {
  std::array<char, 8> magic;
  uint64_t checksum;              ///< of everything behind it
  uint64_t driver, text, binary;  ///< bytes
  uint64_t format;
};

/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv.
uint64_t hash_of(std::span<const std::byte> bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (const std::byte each : bytes) hash = (hash ^ static_cast<uint64_t>(each)) * 0x100000001b3;
  return hash;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

uint64_t checksum_of(std::span<const std::byte> file) { return hash_of(file.subspan(offsetof(Head, driver))); }

void append(std::vector<std::byte>& file, std::span<const std::byte> bytes) {
  file.insert(file.end(), bytes.begin(), bytes.end());
}

std::optional<Head> head_of(std::span<const std::byte> file) {
  Head head{};
  if (file.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, file.data(), sizeof head);
  if (head.magic != magic || head.checksum != checksum_of(file)) return std::nullopt;
  // None is larger than a file may be, so that they can be added.
  for (const uint64_t size : {head.driver, head.text, head.binary})
    if (size > file.size()) return std::nullopt;
  if (sizeof head + head.driver + head.text + head.binary != file.size()) return std::nullopt;
  return head;
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

/// Mesa gives out programs of software devices only while it keeps them itself, compiled further: ours load no faster.
std::filesystem::path programs_folder(bool software) {
  const char* text = std::getenv("EGLANTINE_PROGRAMS");
  const std::string named = text == nullptr ? "" : text;
  if (named == "off") return {};
  const std::filesystem::path cache = software ? "" : cache_folder();
  if (named.empty()) return cache.empty() ? cache : cache / "programs";
  if (PrivateFolder(named).usable()) return named;
  throw DeviceError("[Device::open] EGLANTINE_PROGRAMS is \"" + named +
                    "\", which is no folder, or not yours alone to write, and cannot be made; name a folder of yours, "
                    "say \"off\" to keep no compiled programs, or unset it to use the cache folder's");
}

ProgramStore::ProgramStore(const std::filesystem::path& folder, std::string driver) : driver_(std::move(driver)) {
  if (!folder.empty()) folder_ = std::make_unique<const PrivateFolder>(folder);
}

std::string ProgramStore::name_of(std::string_view text) const {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx",
                static_cast<unsigned long long>(hash_of(bytes_of(text), hash_of(bytes_of(driver_)))));
  return name;
}

std::optional<ProgramBinary> ProgramStore::find(std::string_view text) const {
  if (!usable()) return std::nullopt;
  const auto file = folder_->read(name_of(text), most_bytes_of_a_program);
  if (!file) return std::nullopt;
  const std::optional<Head> head = head_of(*file);
  if (!head) return std::nullopt;
  std::span<const std::byte> rest = std::span(*file).subspan(sizeof(Head));
  const auto take = [&](uint64_t size) { return std::exchange(rest, rest.subspan(size)).first(size); };
  if (!equal(take(head->driver), bytes_of(driver_)) || !equal(take(head->text), bytes_of(text))) return std::nullopt;
  return ProgramBinary{static_cast<uint32_t>(head->format), {rest.begin(), rest.end()}};
}

void ProgramStore::keep(std::string_view text, const ProgramBinary& binary) {
  if (!usable()) return;
  if (!std::exchange(shrunk_, true)) folder_->shrink(most_bytes);
  Head head{magic, 0, driver_.size(), text.size(), binary.bytes.size(), binary.format};
  std::vector<std::byte> file(sizeof head);
  for (const auto part : {bytes_of(driver_), bytes_of(text), std::span<const std::byte>(binary.bytes)})
    append(file, part);
  std::memcpy(file.data(), &head, sizeof head);
  head.checksum = checksum_of(file);
  std::memcpy(file.data(), &head, sizeof head);
  if (file.size() <= most_bytes_of_a_program) folder_->write(name_of(text), file);
}

void ProgramStore::drop(std::string_view text) const {
  if (usable()) folder_->remove(name_of(text));
}

}  // namespace eglantine::gl
