#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lower/contraction/few_columns/choice.hpp"
#include "lower/contraction/schedule/tile_choice.hpp"

/// Choices measured on a device (eglantine_bench --tune), in a file of the user's cache folder. The schedule of a
/// product looks here first, then in its own table.
namespace eglantine::lower {

/// What measurements are valid for.
struct TuningKey {
  std::string device, driver, library;
  bool software = false, gles = false;
};

struct Tuning {
  std::map<ProductClass, MatmulTile> tiles;
  std::map<FewColumnsClass, FewColumnsChoice> few_columns;
  std::filesystem::path file;  ///< where they were read from

  /// Null where nothing was measured, or the table's choice was as good.
  const MatmulTile* tile_of(const ProductClass& product) const;
  const FewColumnsChoice* choice_of(const FewColumnsClass& product) const;
};

/// The file as text: a first line with the format's number, the key, a line a choice, and "end".
std::string text_of(const Tuning& tuning, const TuningKey& key);

/// Parses such a text. Throws std::invalid_argument with the reason: another format, device, driver or library, a class
/// or choice that does not exist, a truncated line.
Tuning parse_tuning(std::string_view text, const TuningKey& key);

/// eglantine/<device>.tuning (<device>-gles.tuning) in $XDG_CACHE_HOME or ~/.cache; empty without a home.
std::filesystem::path cached_tuning_file(const TuningKey& key);

/// $EGLANTINE_TUNING, or the cached file; empty when the variable says "off", and without a home.
std::filesystem::path tuning_file(const TuningKey& key);

/// Throws DeviceError, naming the variable, when $EGLANTINE_TUNING names no readable file.
void check_tuning_setting();

/// The file's choices; null where the cache folder has none. A cached file that cannot be used is skipped, with one
/// warning on standard error for each file. Throws as check_tuning_setting does.
std::shared_ptr<const Tuning> load_tuning(const TuningKey& key);

}  // namespace eglantine::lower
