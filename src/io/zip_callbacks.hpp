#pragma once

#include <zip.h>

#include <exception>

#include "io/zip_writer.hpp"

/// What libzip calls to write an archive: the file that it writes, and the members that it reads.
namespace eglantine::io {

/// libzip is C: what a callback throws waits here until libzip has returned.
class Callbacks {
 public:
  /// What `work` returns, or -1 where it throws.
  template <class Work>
  zip_int64_t run(Work work) {
    try {
      return work();
    } catch (...) {
      error_ = std::current_exception();
      return -1;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

/// libzip's view of the file: an empty one, that it writes.
class ZipTarget {
 public:
  ZipTarget(WholeFile& file, Callbacks& callbacks) : file_(file), callbacks_(callbacks) {}
  /// A zip_source_callback; `self` is a ZipTarget.
  static zip_int64_t command(void* self, void* data, zip_uint64_t bytes, zip_source_cmd_t command);

 private:
  zip_int64_t carry_out(void* data, zip_uint64_t bytes, zip_source_cmd_t command);
  zip_int64_t seek(const zip_source_args_seek_t& to);

  WholeFile& file_;
  Callbacks& callbacks_;
};

/// libzip's view of a member's bytes, which it reads once.
class ZipSource {
 public:
  ZipSource(ZipMember member, Callbacks& callbacks) : member_(std::move(member)), callbacks_(callbacks) {}
  const std::string& name() const { return member_.name; }
  /// A zip_source_callback; `self` is a ZipSource.
  static zip_int64_t command(void* self, void* data, zip_uint64_t bytes, zip_source_cmd_t command);

 private:
  zip_int64_t carry_out(void* data, zip_uint64_t bytes, zip_source_cmd_t command);
  zip_int64_t open();
  zip_int64_t state_size(zip_stat_t& status) const;
  zip_int64_t give(std::byte* to, uint64_t count);

  ZipMember member_;
  Callbacks& callbacks_;
  ReadBytes read_;
  uint64_t left_ = 0;
};

}  // namespace eglantine::io
