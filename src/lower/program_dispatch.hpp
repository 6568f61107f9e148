#pragma once

#include <string>

#include "codegen/bindings.hpp"
#include "codegen/source.hpp"
#include "codegen/uniforms.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// A dispatch of the program that these parts make, with the ranges and uniforms that its stages asked for. The parts
/// need no declarations: those are of the bindings and uniforms.
Dispatch dispatch_of(std::string name, codegen::SourceParts parts, const codegen::Bindings& bindings,
                     const codegen::Uniforms& uniforms);

/// A one-dimensional grid over items: each group works through a contiguous chunk.
struct Grid {
  int64_t groups = 1;
  int64_t chunk = 1;  ///< items of a group, a multiple of items_at_once
};

/// As many groups as the device holds at a time, or more where an invocation would take too many loop trips; at least
/// `items_at_once` items a group, and on a software device as many as are worth waking a thread for. trips_an_item:
/// dynamic back-edges an invocation takes for each items_at_once items.
Grid resident_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                   int64_t trips_an_item = 1);

/// trips_an_item of a loop around an expression: users' operations may hold loops of their own.
int64_t trips_of(const Expr& expr);

/// The grid of a kernel that streams through large operands: as resident_grid, but where memory is mapped in large
/// pages a round a group, which then is faster than long chunks.
Grid streaming_grid(const Target& target, int64_t items, int64_t items_at_once, int64_t group_size,
                    int64_t trips_an_item = 1);

/// The largest power of two that is at most `wanted` and at most what a group may hold.
int64_t group_size_of(const Target& target, int64_t wanted);

/// Whether a program may count on a multiple of four elements (AddressSpec::whole). On a software device, which goes
/// through the text for a vector that is not whole also where none is, though that makes another program of it.
bool counts_on_whole_vectors(const Target& target, int64_t elements);

/// How many vectors an invocation loads before it uses the first: several where the expression is short, one where its
/// text would grow too long.
int unroll_of(const Expr& expr);

}  // namespace eglantine::lower
