#include "backend/queue.hpp"

#include <algorithm>
#include <future>
#include <new>
#include <utility>

#include "backend/ending.hpp"
#include "backend/profiling.hpp"
#include "backend/waiting.hpp"
#include "eglantine/error.hpp"
#include "graph/kernel_parts.hpp"

namespace eglantine {

std::shared_ptr<Queue> Queue::start(Factory factory) {
  std::shared_ptr<Queue> queue(new Queue);
  std::promise<void> made;
  std::future<void> ready = made.get_future();
  queue->worker_ = std::thread([raw = queue.get(), factory = std::move(factory), &made] {
    try {
      raw->backend_ = factory();
      raw->patience_ = std::chrono::nanoseconds(raw->backend_->capabilities().patience_nanoseconds);
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
  for (std::vector<Command> batch; take(batch); batch.clear()) {
    for (Command& command : batch) carry_out(std::move(command));
  }
  // What ends here may hold the last handles to this queue.
  const std::shared_ptr<Queue> self = weak_from_this().lock();
  checks_.clear();
  spent_.clear();
  backend_.reset();
}

/// What was submitted since the last call, in order; waits for it. False when the queue has been stopped.
bool Queue::take(std::vector<Command>& batch) {
  // Whoever submits one small kernel after another is back before this has passed.
  constexpr std::chrono::nanoseconds breath{10'000};
  if (!watch(is_called_, std::min(breath, patience_))) {
    attempt([&] { backend_->idle(); });
    watch(is_called_, patience_);
  }
  std::unique_lock lock = lock_of(mutex_);
  asleep_ = true;
  changed_.wait(lock, [&] { return stopping_ || !commands_.empty(); });
  asleep_ = false;
  batch.swap(commands_);
  is_called_.store(stopping_, std::memory_order_relaxed);
  return !batch.empty();
}

/// The command ends here, and lets its buffers go before the next one allocates.
void Queue::carry_out(Command command) {
  if (auto* queued = std::get_if<std::unique_ptr<QueuedKernel>>(&command)) {
    attempt([&] { execute(*backend_, (*queued)->kernel); });
    spent_.put(std::move(*queued));
  } else if (const auto* call = std::get_if<Call>(&command)) {
    try {
      (*call->work)(*backend_);
    } catch (...) {
      call->answer->error = Failure::current();
    }
    give(*call->answer);
  }
}

/// Whatever the work throws, and of whatever type, the worker goes on, and the next synchronize() tells.
template <class Work>
void Queue::attempt(Work work) {
  try {
    work();
  } catch (...) {
    if (!first_error_) first_error_ = Failure::current();
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
  if (fork_count() != forks_)
    throw DeviceError(
        "[Device] this process was forked from the one that opened the device, and cannot use it; fork first, or start "
        "a new program");
  ending::watch_this_thread();
  const auto lock = lock_of(mutex_);
  require_running();
  push(std::move(command));
}

/// Under the mutex.
void Queue::push(Command command) {
  commands_.push_back(std::move(command));
  is_called_.store(true, std::memory_order_release);
  if (asleep_ && commands_.size() == 1) changed_.notify_one();
}

void Queue::stop() {
  {
    std::scoped_lock lock(mutex_);
    stopping_ = true;
    is_called_ = true;
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
  const auto lock = lock_of(mutex_);
  if (stopped_) return;  // the driver is done with it
  // A forked child, or a driver that is being shut down: touching it is worse than leaking.
  if (stopping_ || fork_count() != forks_) return static_cast<void>(storage.release());
  push(std::move(storage));
}

void Queue::call(const std::function<void(Backend&)>& work) {
  Answer answer;
  submit(Call{&work, &answer});
  await(answer);
  if (answer.error) answer.error.raise();
}

void Queue::give(Answer& answer) {
  answer.given.store(true, std::memory_order_release);
  // Empty, but who has looked and not yet fallen asleep holds it: the notification comes after that.
  { const std::scoped_lock lock(answers_mutex_); }
  answered_.notify_all();
}

void Queue::await(const Answer& answer) {
  if (watch(answer.given, patience_) || watch_and_yield(answer.given, patience_for_kernels * patience_)) return;
  std::unique_lock lock(answers_mutex_);
  answered_.wait(lock, [&] { return answer.given.load(std::memory_order_acquire); });
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
    if (const Failure error = from->error()) error.raise();
    const profile::HostSpan span(backend.info(), "download, and the wait for what it reads", data.size());
    backend.download(from->storage(), offset, data);
  });
}

void Queue::run(Kernel kernel) {
  spent_.collect();
  submit(std::unique_ptr<QueuedKernel>(new QueuedKernel{std::move(kernel)}));
}

void Queue::execute(Backend& backend, const Kernel& kernel) {
  const auto poison = [&](const Failure& error) {
    for_each_output(kernel, [&](const BufferPtr& out) { out->poison(error); });
  };
  if (const Failure error = output_of(kernel).buffer->error()) return poison(error);
  const auto fail = [&](const Failure& error) {
    poison(error);
    note(backend, error);
  };
  try {
    Failure error;
    for_each_input(kernel, [&](const BufferPtr& input) {
      if (!error) error = input->error();
    });
    if (error) return poison(error);
    begin(backend, kernel);
  } catch (const std::bad_alloc&) {
    fail(Failure::of<OutOfMemoryError>(
        "[Device] the program's own memory ran out while a kernel was prepared; free tensors, or whatever else it "
        "holds"));
  } catch (...) {
    fail(Failure::current());
  }
}

void Queue::begin(Backend& backend, const Kernel& kernel) {
  for_each_input(kernel, [&](const BufferPtr& input) {
    // Who once reads a result may have many kernels use it.
    if (input->is_for_reading()) input->serve_kernels(backend.copy_for_kernels(input->storage()));
  });
  for_each_output(kernel, [&](const BufferPtr& out) { provide(backend, *out); });
  const CheckPtr check = backend.run(kernel);
  note_settled();
  if (check) checks_.push_back(check);
  for_each_output(kernel, [&](const BufferPtr& out) {
    for_each_input(kernel, [&](const BufferPtr& input) { out->depend_on(*input); });
    if (check) out->depend_on(check);
  });
}

/// Gives a buffer its storage, if it has none. Open checks keep the indices they are about.
void Queue::provide(Backend& backend, Buffer& buffer) {
  if (buffer.has_storage()) return;
  const auto allocate = [&] {
    const int64_t bytes = buffer.bytes();
    buffer.set_storage(buffer.is_for_reading() ? backend.allocate_for_reading(bytes) : backend.allocate(bytes));
  };
  try {
    return allocate();
  } catch (const OutOfMemoryError&) {
    if (checks_.empty()) throw;
  }
  settle(backend);
  allocate();
}

void Queue::settle(Backend& backend) {
  backend.settle();
  note_settled();
}

void Queue::note_settled() {
  for (; !checks_.empty() && checks_.front()->settled(); checks_.pop_front())
    if (!first_error_) first_error_ = checks_.front()->error();
}

void Queue::note(Backend& backend, const Failure& error) {
  try {
    settle(backend);  // a check of an earlier kernel may still come out badly, and would be the first error
  } catch (...) {
    // The device is gone, and tells no more.
  }
  if (!first_error_) first_error_ = error;
}

Failure Queue::untold() {
  Failure error;
  call([&](Backend&) { error = first_error_; });
  return error;
}

void Queue::forget(const Failure& error, const Failure& before) {
  call([&](Backend&) {
    if (!first_error_.is(before) && first_error_.resembles(error)) first_error_ = {};
  });
}

void Queue::synchronize() {
  call([this](Backend& backend) {
    settle(backend);
    backend.synchronize();
    if (const Failure error = std::exchange(first_error_, {})) error.raise();
  });
}

}  // namespace eglantine
