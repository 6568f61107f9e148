#include "lower/sort/places_windows.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "lower/sort/few_of_many.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

// Shorter windows of a row are not worth their dispatches: what is scattered so far is copied.
constexpr int64_t shortest_window = 4096;

bool binds_keys(const Target& target, const SortJob& job, const KeyWindow& keys) {
  codegen::Bindings bindings(target.max_block_bytes, target.binding_alignment);
  SortReader(source_from(job, keys.rows.first), false).bind(bindings, keys.rows.count, keys.columns);
  return bindings.fits() && bindings.size() < target.max_bindings &&
         keys.rows.count * keys.columns.count <= elements_a_dispatch;
}

/// The window's rows in as few columns as cuts leave.
KeyWindow shortest_of(KeyWindow keys) {
  while (keys.columns.count > shortest_window) keys.columns.count = ceil_divide(keys.columns.count, int64_t{2});
  return keys;
}

/// Makes a window small enough: of fewer rows, then of a part of one. Rows that are near share what is read of memory,
/// and as many stay together as bind in short parts; those of another outer axis may lie further apart, and parts bring
/// them no nearer. Windows of the same rows stay so. False where it would be too short.
bool shrink(const Target& target, const SortJob& job, KeyWindow& keys) {
  const bool near = rows_are_near(job);
  while (!binds_keys(target, job, keys)) {
    const bool same_rows = keys.rows.count == 1 || keys.columns.first > 0;
    if (same_rows && keys.columns.count <= shortest_window) return false;
    const bool cuts_columns = same_rows || (near && binds_keys(target, job, shortest_of(keys)));
    int64_t& count = cuts_columns ? keys.columns.count : keys.rows.count;
    count = ceil_divide(count, int64_t{2});
  }
  return true;
}

/// The window behind this one, as long where so much is left.
Window next_of(const Window& window, int64_t end) {
  const int64_t first = window.first + window.count;
  return {first, std::min(window.count, end - first)};
}

}  // namespace

SortSource source_from(const SortJob& job, int64_t row) {
  SortSource source = job.source;
  source.first_row += row;
  return source;
}

std::vector<KeyWindow> windows_of_keys(const Target& target, const SortJob& job, const Window& rows) {
  std::vector<KeyWindow> windows;
  const int64_t end = rows.first + rows.count;
  for (KeyWindow keys{rows, {0, job.length}}; keys.rows.first < end;) {
    if (!shrink(target, job, keys)) return {};
    windows.push_back(keys);
    keys.columns = next_of(keys.columns, job.length);
    if (keys.columns.count > 0) continue;
    keys = {next_of(keys.rows, end), {0, job.length}};
  }
  return windows;
}

}  // namespace eglantine::lower
