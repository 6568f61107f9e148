#include "lower/contraction/schedule/tuning.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "eglantine/error.hpp"
#include "system/cache_folder.hpp"

namespace eglantine::lower {

namespace {

constexpr std::string_view format_line = "eglantine tuning 2";
constexpr std::string_view last_line = "end", between = ": ";
constexpr std::string_view matmul_line = "matmul ", few_columns_line = "few columns ";

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

/// The lines of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}

  std::string_view next() {
    const size_t end = left_.find('\n');
    if (end == std::string_view::npos) refuse("it ends too early");
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return line;
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

void require(std::string_view line, const std::string& name, const std::string& value) {
  if (line == name + " " + value) return;
  refuse("it was made for \"" + std::string(line) + "\", and this is \"" + name + " " + value + "\"");
}

template <class Class, class Choice>
void keep(std::map<Class, Choice>& choices, const Class& product, const Choice& choice) {
  if (!choices.emplace(product, choice).second) refuse("it chooses twice for " + text_of(product));
}

void parse_choice(std::string_view line, const TuningKey& key, Tuning& tuning) {
  const size_t colon = line.find(between);
  const bool few = line.starts_with(few_columns_line);
  if ((!few && !line.starts_with(matmul_line)) || colon == std::string_view::npos)
    refuse("\"" + std::string(line) + "\" is no choice");
  const size_t begin = (few ? few_columns_line : matmul_line).size();
  const std::string_view product = line.substr(begin, colon - begin), choice = line.substr(colon + between.size());
  if (few) return keep(tuning.few_columns, parse_few_columns_class(product), parse_few_columns_choice(choice));
  keep(tuning.tiles, parse_class(product), parse_tile(choice, key.software));
}

/// A device's name in a file name.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!text.empty() && text.back() != '-')
      text += '-';
  }
  return text;
}

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string contents_of(const std::filesystem::path& file) {
  constexpr uintmax_t most_bytes = 1 << 20;                 // a thousand times what --tune writes
  if (!is_regular_file(file)) refuse("it cannot be read");  // before opening: a pipe would wait for its writer
  if (const uintmax_t bytes = file_size(file); bytes > most_bytes)
    refuse("it has " + std::to_string(bytes) + " bytes, more than a tuning file");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) refuse("it cannot be read");
  return std::move(text).str();
}

/// Why a file cannot be read; empty when it can.
std::string obstacle_to(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (is_directory(status)) return "is a directory";
  if (exists(status) && !is_regular_file(status)) return "is no regular file";
  if (!error && std::ifstream(file)) return "";
  return "cannot be read: " + std::generic_category().message(error ? error.value() : errno);
}

void warn_once(const std::filesystem::path& file, const char* why) {
  static std::mutex mutex;
  static auto& warned = *new std::set<std::filesystem::path>;
  const std::scoped_lock lock(mutex);
  if (!warned.insert(file).second) return;
  std::fprintf(stderr, "eglantine: the tuning file %s is not used: %s; scripts/bench --tune makes a new one\n",
               file.c_str(), why);
}

}  // namespace

const MatmulTile* Tuning::tile_of(const ProductClass& product) const {
  const auto found = tiles.find(product);
  return found == tiles.end() ? nullptr : &found->second;
}

const FewColumnsChoice* Tuning::choice_of(const FewColumnsClass& product) const {
  const auto found = few_columns.find(product);
  return found == few_columns.end() ? nullptr : &found->second;
}

std::string text_of(const Tuning& tuning, const TuningKey& key) {
  std::string text = std::string(format_line) + "\ndevice " + key.device + "\ndriver " + key.driver + "\nlibrary " +
                     key.library + "\n";
  for (const auto& [product, tile] : tuning.tiles)
    text += std::string(matmul_line) + text_of(product) + std::string(between) + text_of(tile) + "\n";
  for (const auto& [product, choice] : tuning.few_columns)
    text += std::string(few_columns_line) + text_of(product) + std::string(between) + text_of(choice) + "\n";
  return text + std::string(last_line) + "\n";
}

Tuning parse_tuning(std::string_view text, const TuningKey& key) {
  Lines lines(text);
  if (lines.next() != format_line) refuse("its first line is not \"" + std::string(format_line) + "\"");
  require(lines.next(), "device", key.device);
  require(lines.next(), "driver", key.driver);
  require(lines.next(), "library", key.library);
  Tuning tuning;
  for (std::string_view line = lines.next(); line != last_line; line = lines.next()) parse_choice(line, key, tuning);
  if (!lines.at_end()) refuse("it goes on after its end");
  return tuning;
}

std::filesystem::path cached_tuning_file(const TuningKey& key) {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / (plain(key.device) + (key.gles ? "-gles.tuning" : ".tuning"));
}

std::filesystem::path tuning_file(const TuningKey& key) {
  const std::string named = environment("EGLANTINE_TUNING");
  if (named == "off") return {};
  return named.empty() ? cached_tuning_file(key) : std::filesystem::path(named);
}

void check_tuning_setting() {
  const std::string named = environment("EGLANTINE_TUNING");
  if (named.empty() || named == "off") return;
  const std::string obstacle = obstacle_to(named);
  if (obstacle.empty()) return;
  throw DeviceError("[Device::open] EGLANTINE_TUNING is \"" + named + "\", which " + obstacle +
                    "; name a file that scripts/bench --tune made, say \"off\" to use none, or unset it to use the "
                    "cache folder's");
}

std::shared_ptr<const Tuning> load_tuning(const TuningKey& key) {
  check_tuning_setting();
  const std::filesystem::path file = tuning_file(key);
  std::error_code none;
  if (file.empty() || !exists(file, none)) return nullptr;
  try {
    auto tuning = std::make_shared<Tuning>(parse_tuning(contents_of(file), key));
    tuning->file = file;
    return tuning;
  } catch (const std::exception& error) {
    warn_once(file, error.what());
    return nullptr;
  }
}

}  // namespace eglantine::lower
