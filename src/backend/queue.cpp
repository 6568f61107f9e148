#include "backend/queue.hpp"

#include <unistd.h>

#include <future>
#include <utility>

#include "backend/profiling.hpp"
#include "eglantine/error.hpp"

namespace eglantine {

Buffer::~Buffer() {
  if (queue_ && storage_) queue_->release(std::move(storage_));
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
      backend_->idle();
      lock.lock();
    }
    changed_.wait(lock, [&] { return stopping_ || !commands_.empty(); });
    if (commands_.empty()) break;
    std::deque<Command> batch;
    batch.swap(commands_);
    lock.unlock();
    for (Command& command : batch) {
      command(*backend_);
      command = nullptr;  // lets its buffers go before the next one allocates
    }
    lock.lock();
  }
  lock.unlock();
  backend_.reset();
}

void Queue::submit(Command command) {
  if (getpid() != process_)
    throw DeviceError(
        "[Device] this process was forked from the one that opened the device, and cannot use it; fork first, or start "
        "a new program");
  std::scoped_lock lock(mutex_);
  if (stopping_) throw DeviceError("[Device] the device has been shut down: the program is ending");
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
    to->set_storage(backend.allocate(to->bytes()));
    const profile::HostSpan span(backend.info(), "upload", data.size());
    backend.upload(to->storage(), 0, data);
  });
}

void Queue::download(const BufferPtr& from, int64_t offset, std::span<std::byte> data) {
  call([&](Backend& backend) {
    if (from->error()) std::rethrow_exception(from->error());
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
  for (const BufferPtr& input : inputs_of(kernel))
    if (input->error()) return poison(input->error());
  try {
    if (!out.has_storage()) out.set_storage(backend.allocate(out.bytes()));
    if (second && !second->has_storage()) second->set_storage(backend.allocate(second->bytes()));
    backend.run(kernel);
  } catch (...) {
    poison(std::current_exception());
    if (!first_error_) first_error_ = std::current_exception();
  }
}

void Queue::synchronize() {
  call([this](Backend& backend) {
    backend.synchronize();
    if (std::exception_ptr error = std::exchange(first_error_, nullptr)) std::rethrow_exception(error);
  });
}

}  // namespace eglantine
