#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lower/contraction/tile_choice.hpp"

/// Choices that were measured on a device (eglantine_bench --tune) and kept in a file of the user's cache folder. The
/// plan of a product asks them first and its own table after.
namespace eglantine::lower {

/// What measurements hold for.
struct TuningKey {
  std::string device, driver, library;
  bool software = false, gles = false;
};

struct Tuning {
  std::map<ProductClass, MatmulTile> tiles;
  std::filesystem::path file;  ///< where they were read

  /// Null where nothing was measured, or the table's choice was as good.
  const MatmulTile* tile_of(const ProductClass& product) const;
};

/// The file as text: a first line with the format's number, the key, a line a choice, and "end".
std::string text_of(const Tuning& tuning, const TuningKey& key);

/// The choices in such a text. Throws std::invalid_argument that says what is wrong: another format, device, driver or
/// library, a class or tile that does not exist, a line that is cut off.
Tuning parse_tuning(std::string_view text, const TuningKey& key);

/// eglantine/<device>.tuning (<device>-gles.tuning) in $XDG_CACHE_HOME or ~/.cache; empty where there is no home.
std::filesystem::path cached_tuning_file(const TuningKey& key);

/// $EGLANTINE_TUNING, or the cached file; empty when the variable says "off", and where there is no home.
std::filesystem::path tuning_file(const TuningKey& key);

/// Throws DeviceError, naming the variable, when $EGLANTINE_TUNING names what is no file that can be read.
void check_tuning_setting();

/// What the file says; null where there is none in the cache folder. A file that cannot be used is left out, with a
/// warning on the standard error output, once for each file. Throws as check_tuning_setting does.
std::shared_ptr<const Tuning> load_tuning(const TuningKey& key);

}  // namespace eglantine::lower
