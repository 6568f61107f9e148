#include "backend/buffer.hpp"

#include <algorithm>

#include "backend/queue.hpp"

namespace eglantine {

Buffer::~Buffer() {
  if (queue_ && storage_) queue_->release(std::move(storage_), bytes_);
}

void Buffer::retire() { storage_.reset(); }

Failure Buffer::error() const {
  for (const CheckPtr& check : checks_)
    if (!error_ && check->error()) return check->error();
  return error_;
}

bool Buffer::unsettled() const {
  return std::any_of(checks_.begin(), checks_.end(), [](const CheckPtr& check) { return !check->settled(); });
}

void Buffer::depend_on(const CheckPtr& check) {
  if (check->good()) return;
  if (std::find(checks_.begin(), checks_.end(), check) == checks_.end()) checks_.push_back(check);
}

void Buffer::depend_on(const Buffer& source) {
  if (checks_ == source.checks_) return;  // most operands of a kernel share their checks
  std::erase_if(checks_, [](const CheckPtr& known) { return known->good(); });
  for (const CheckPtr& check : source.checks_) depend_on(check);
}

}  // namespace eglantine
