#include "io/zip_callbacks.hpp"

#include <algorithm>
#include <cstdio>

namespace eglantine::io {
namespace {

/// libzip asks for an error after a callback that gave -1; the one that Callbacks holds says more.
zip_int64_t give_error(void* to, zip_uint64_t bytes) {
  zip_error_t error;
  zip_error_init_with_code(&error, ZIP_ER_WRITE);
  return zip_error_to_data(&error, to, bytes);
}

}  // namespace

zip_int64_t ZipTarget::command(void* self, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  auto* target = static_cast<ZipTarget*>(self);
  return target->callbacks_.run([&] { return target->carry_out(data, bytes, command); });
}

zip_int64_t ZipTarget::carry_out(void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
      zip_stat_init(static_cast<zip_stat_t*>(data));
      return sizeof(zip_stat_t);
    case ZIP_SOURCE_WRITE:
      file_.write(std::span(static_cast<const std::byte*>(data), bytes));
      return static_cast<zip_int64_t>(bytes);
    case ZIP_SOURCE_TELL_WRITE:
      return static_cast<zip_int64_t>(file_.position());
    case ZIP_SOURCE_SEEK_WRITE:  // libzip returns to a member's header, and then to its end
      return seek(*static_cast<const zip_source_args_seek_t*>(data));
    case ZIP_SOURCE_ERROR:
      return give_error(data, bytes);
    default:
      return 0;  // nothing is to be done to open or to commit it: its owner does
  }
}

zip_int64_t ZipTarget::seek(const zip_source_args_seek_t& to) {
  if (to.whence != SEEK_SET) return -1;
  file_.seek(static_cast<uint64_t>(to.offset));
  return 0;
}

zip_int64_t ZipSource::command(void* self, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  auto* source = static_cast<ZipSource*>(self);
  return source->callbacks_.run([&] { return source->carry_out(data, bytes, command); });
}

zip_int64_t ZipSource::carry_out(void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_READABLE;
    case ZIP_SOURCE_STAT:
      return state_size(*static_cast<zip_stat_t*>(data));
    case ZIP_SOURCE_OPEN:
      return open();
    case ZIP_SOURCE_READ:
      return give(static_cast<std::byte*>(data), std::min(bytes, left_));
    case ZIP_SOURCE_CLOSE:
      read_ = {};  // and what it holds: members are in memory one at a time
      return 0;
    case ZIP_SOURCE_ERROR:
      return give_error(data, bytes);
    default:
      return 0;
  }
}

zip_int64_t ZipSource::open() {
  read_ = member_.open();
  left_ = member_.bytes;
  return 0;
}

zip_int64_t ZipSource::state_size(zip_stat_t& status) const {
  zip_stat_init(&status);
  status.valid = ZIP_STAT_SIZE;
  status.size = member_.bytes;
  return sizeof status;
}

zip_int64_t ZipSource::give(std::byte* to, uint64_t count) {
  read_({to, count});
  left_ -= count;
  return static_cast<zip_int64_t>(count);
}

}  // namespace eglantine::io
