#pragma once

#include <optional>

#include "layout/reduce_tree.hpp"
#include "lower/contraction/schedule/schedule.hpp"

/// What a product's time depends on, on hardware.
namespace eglantine::lower {

inline constexpr int most_batch_axes = max_rank - 3;
/// Chunks of k that one dispatch adds up; more take another one.
inline constexpr int64_t chunks_added_at_once = layout::column_block;
inline constexpr int64_t most_chunks = 8 * chunks_added_at_once;
inline constexpr int64_t shortest_chunk = 128;

/// Multiplications of the device equal in time to reading and writing an element of a copy, and to its dispatch
/// (docs/performance-notes.md).
inline constexpr double multiplications_of_copied_element = 75, multiplications_of_copying_dispatch = 1e8;

/// The number of chunks to try after this one: those that one dispatch adds up, then a number for each multiprocessor.
int64_t next_chunks(const Target& target, int64_t chunks);
inline int dispatches_of_adding(int64_t chunks) { return chunks > chunks_added_at_once ? 2 : 1; }

/// Whether k has so many chunks of one length that vec4s fit; else the last one is shorter.
bool cuts_evenly(int64_t k, int64_t chunks);

int64_t tiles_of(const Contraction& product, const MatmulTile& tile);

/// Whether a product's groups run beside those of other calls, or what comes next waits for it, or it for a copy.
enum class Calls { overlap, wait };

/// A tile and the chunks that k is cut in. time: in multiplications of a multiprocessor.
struct TileInChunks {
  MatmulTile tile;
  int64_t chunks;
  double time;
};

/// The known tile of that number with the number of chunks that takes least time.
TileInChunks in_chunks(const Target& target, const Contraction& product, const MatmulShader& shader,
                       const MatmulTile& tile, size_t number, Calls calls = Calls::wait);

/// Groups of the known tile of that number that all multiprocessors have at a time.
int64_t groups_of_a_round(const Target& target, size_t number);

/// The known tile, in its number of chunks, that takes least time; nothing where none fits the device.
std::optional<TileInChunks> quickest_tile(const Target& target, const Contraction& product, const MatmulShader& shader,
                                          Calls calls = Calls::wait);

}  // namespace eglantine::lower
