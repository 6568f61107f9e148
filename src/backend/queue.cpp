#include "backend/queue.hpp"

#include <unistd.h>

#include <algorithm>
#include <future>
#include <new>
#include <utility>

#include "backend/profiling.hpp"
#include "eglantine/error.hpp"

namespace eglantine {

Buffer::~Buffer() {
  if (queue_ && storage_) queue_->release(std::move(storage_));
}

std::exception_ptr Buffer::error() const {
  for (const CheckPtr& check : checks_)
    if (!error_ && check->error()) return check->error();
  return error_;
}

bool Buffer::unsettled() const {
  return std::any_of(checks_.begin(), checks_.end(), [](const CheckPtr& check) { return !check->settled(); });
}

void Buffer::depend_on(const CheckPtr& check) {
  std::erase_if(checks_, [](const CheckPtr& known) { return known->good(); });
  if (check->good()) return;
  if (std::find(checks_.begin(), checks_.end(), check) == checks_.end()) checks_.push_back(check);
}

void Buffer::depend_on(const Buffer& source) {
  for (const CheckPtr& check : source.checks_) depend_on(check);
}

std::shared_ptr<Queue> Queue::start(Factory factory) {
  std::shared_ptr<Queue> queue(new Queue);
  queue->process_ = getpid();
  std::promise<void> made;
  std::future<void> ready = made.get_future();
  queue->worker_ = std::thread([raw = queue.get(), factory = std::move(factory), &made] {
    try {
      raw->backend_ = factory();
      made.set_value();
    } catch (...) {
      made.set_exception(std::current_exception());
      return;
    }
    raw->work();
  });
  try {
    ready.get();
  } catch (...) {
    queue->worker_.join();
    throw;
  }
  return queue;
}

Queue::~Queue() { stop(); }

void Queue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (commands_.empty() && !stopping_) {
      lock.unlock();
      attempt([](Backend& backend) { backend.idle(); });
      lock.lock();
    }
    changed_.wait(lock, [&] { return stopping_ || !commands_.empty(); });
    if (commands_.empty()) break;
    std::deque<Command> batch;
    batch.swap(commands_);
    lock.unlock();
    for (Command& command : batch) {
      attempt(command);
      command = nullptr;  // lets its buffers go before the next one allocates
    }
    lock.lock();
  }
  lock.unlock();
  checks_.clear();
  backend_.reset();
}

/// Whatever a command throws, and of whatever type, the worker goes on, and the next synchronize() tells.
void Queue::attempt(const Command& command) {
  try {
    command(*backend_);
  } catch (...) {
    if (!first_error_) first_error_ = std::current_exception();
  }
}

void Queue::require_running() const {
  if (stopping_) throw DeviceError("[Device] the device has been shut down: the program is ending");
}

const Backend& Queue::backend() const {
  const std::scoped_lock lock(mutex_);
  require_running();
  return *backend_;
}

bool Queue::lost() const {
  const std::scoped_lock lock(mutex_);
  return !stopping_ && backend_->lost();
}

void Queue::submit(Command command) {
  if (getpid() != process_)
    throw DeviceError(
        "[Device] this process was forked from the one that opened the device, and cannot use it; fork first, or start "
        "a new program");
  std::scoped_lock lock(mutex_);
  require_running();
  commands_.push_back(std::move(command));
  if (commands_.size() == 1) changed_.notify_one();
}

void Queue::stop() {
  {
    std::scoped_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (!worker_.joinable()) return;
  if (std::this_thread::get_id() == worker_.get_id()) return worker_.detach();
  worker_.join();
  std::scoped_lock lock(mutex_);
  stopped_ = true;
}

void Queue::release(std::unique_ptr<Storage> storage) {
  // On the worker itself the storage can go at once; elsewhere it must wait its turn behind the commands that still use
  // it.
  if (std::this_thread::get_id() == worker_.get_id()) return;
  std::scoped_lock lock(mutex_);
  if (stopped_) return;  // the driver is done with it
  // A forked child, or a driver that is being shut down: touching it is worse than leaking.
  if (stopping_ || getpid() != process_) return static_cast<void>(storage.release());
  auto shared = std::make_shared<std::unique_ptr<Storage>>(std::move(storage));
  commands_.emplace_back([shared](Backend&) { shared->reset(); });
  if (commands_.size() == 1) changed_.notify_one();
}

void Queue::call(const std::function<void(Backend&)>& work) {
  std::promise<void> done;
  submit([&](Backend& backend) {
    try {
      work(backend);
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  done.get_future().get();
}

BufferPtr Queue::allocate(int64_t bytes) { return std::make_shared<Buffer>(shared_from_this(), bytes); }

void Queue::upload(const BufferPtr& to, std::span<const std::byte> data) {
  call([&](Backend& backend) {
    provide(backend, *to);
    const profile::HostSpan span(backend.info(), "upload", data.size());
    backend.upload(to->storage(), 0, data);
  });
}

void Queue::download(const BufferPtr& from, int64_t offset, std::span<std::byte> data) {
  call([&](Backend& backend) {
    if (from->unsettled()) settle(backend);
    if (const std::exception_ptr error = from->error()) std::rethrow_exception(error);
    const profile::HostSpan span(backend.info(), "download, and the wait for what it reads", data.size());
    backend.download(from->storage(), offset, data);
  });
}

void Queue::run(Kernel kernel) {
  submit([this, kernel = std::make_shared<const Kernel>(std::move(kernel))](Backend& backend) {
    execute(backend, *kernel);
  });
}

void Queue::execute(Backend& backend, const Kernel& kernel) {
  Buffer& out = *output_of(kernel).buffer;
  if (out.error()) return;
  const BufferPtr second = second_output_of(kernel);
  const auto poison = [&](const std::exception_ptr& error) {
    out.poison(error);
    if (second) second->poison(error);
  };
  const auto fail = [&](const std::exception_ptr& error) {
    poison(error);
    note(backend, error);
  };
  try {
    for (const BufferPtr& input : inputs_of(kernel))
      if (input->error()) return poison(input->error());
    begin(backend, kernel, out, second.get());
  } catch (const std::bad_alloc&) {
    fail(std::make_exception_ptr(OutOfMemoryError(
        "[Device] the program's own memory ran out while a kernel was prepared; free tensors, or whatever else it "
        "holds")));
  } catch (...) {
    fail(std::current_exception());
  }
}

void Queue::begin(Backend& backend, const Kernel& kernel, Buffer& out, Buffer* second) {
  provide(backend, out);
  if (second != nullptr) provide(backend, *second);
  const CheckPtr check = backend.run(kernel);
  note_settled();
  if (check) checks_.push_back(check);
  for (Buffer* result : {&out, second}) {
    if (result == nullptr) continue;
    for (const BufferPtr& input : inputs_of(kernel)) result->depend_on(*input);
    if (check) result->depend_on(check);
  }
}

/// Gives a buffer its storage, if it has none. Open checks keep the indices they are about.
void Queue::provide(Backend& backend, Buffer& buffer) {
  if (buffer.has_storage()) return;
  try {
    return buffer.set_storage(backend.allocate(buffer.bytes()));
  } catch (const OutOfMemoryError&) {
    if (checks_.empty()) throw;
  }
  settle(backend);
  buffer.set_storage(backend.allocate(buffer.bytes()));
}

void Queue::settle(Backend& backend) {
  backend.settle();
  note_settled();
}

void Queue::note_settled() {
  for (; !checks_.empty() && checks_.front()->settled(); checks_.pop_front())
    if (!first_error_) first_error_ = checks_.front()->error();
}

void Queue::note(Backend& backend, const std::exception_ptr& error) {
  try {
    settle(backend);  // a check of an earlier kernel may still come out badly, and would be the first error
  } catch (...) {
    // The device is gone, and tells no more.
  }
  if (!first_error_) first_error_ = error;
}

void Queue::synchronize() {
  call([this](Backend& backend) {
    settle(backend);
    backend.synchronize();
    if (std::exception_ptr error = std::exchange(first_error_, nullptr)) std::rethrow_exception(error);
  });
}

}  // namespace eglantine
