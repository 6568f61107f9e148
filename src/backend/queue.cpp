#include "backend/queue.hpp"

#include <algorithm>
#include <future>
#include <new>
#include <utility>

#include "backend/profiling.hpp"
#include "backend/shutdown.hpp"
#include "backend/waiting.hpp"
#include "eglantine/error.hpp"
#include "graph/kernel/index_check.hpp"
#include "graph/kernel/parts.hpp"

namespace eglantine {

namespace {
thread_local const Queue* served = nullptr;  ///< by the calling thread
}

bool Queue::on_worker() const { return served == this; }

std::shared_ptr<Queue> Queue::start(const Factory& factory) {
  std::shared_ptr<Queue> queue(new Queue);
  std::promise<void> made;
  std::future<void> ready = made.get_future();
  queue->worker_ = Thread("eglantine", Thread::stack_for_compilers, [raw = queue.get(), factory, &made] {
    served = raw;
    try {
      raw->backend_ = factory();
      raw->spin_time_ = std::chrono::nanoseconds(raw->backend_->capabilities().spin_nanoseconds);
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
    for (size_t next = 0, prepared = 0; next < batch.size(); ++next) {
      prepared = prepare(batch, prepared, next);
      carry_out(std::move(batch[next]));
    }
  }
  const std::shared_ptr<Queue> self = weak_from_this().lock();  // the last handles may be released below
  checks_.clear();
  retired_.clear();
  backend_.reset();
}

/// Prepares the kernels from `next` on, but for the first `prepared` commands. Returns how many commands are done with.
size_t Queue::prepare(std::span<const Command> batch, size_t prepared, size_t next) {
  constexpr size_t most_ahead = 64;
  if (stopping_ || !backend_->looks_ahead()) return prepared;
  const size_t end = std::min(batch.size(), next + most_ahead);
  for (prepared = std::max(prepared, next); prepared < end; ++prepared) {
    const auto* queued = std::get_if<std::unique_ptr<QueuedKernel>>(&batch[prepared]);
    if (queued == nullptr) continue;
    try {
      backend_->prepare((*queued)->kernel);
    } catch (...) {  // carry_out() meets it again, and reports it
    }
  }
  return prepared;
}

/// Takes all commands submitted since the last call, in order; waits for them. False when the queue has been stopped.
bool Queue::take(std::vector<Command>& batch) {
  // A thread that submits one small kernel after another is back within this time.
  constexpr std::chrono::nanoseconds idle_after{10'000};
  if (!spin(is_called_, std::min(idle_after, spin_time_))) {
    attempt([&] { backend_->idle(); });
    spin(is_called_, spin_time_);
  }
  std::unique_lock lock = lock_spinning(mutex_);
  while ((asleep_ = !stopping_ && commands_.empty())) changed_.wait(lock);
  batch.swap(commands_);
  released_bytes_ = 0;
  is_called_.store(stopping_, std::memory_order_relaxed);
  return !batch.empty();
}

/// The command is destroyed here, so that its buffers are freed before the next one allocates.
void Queue::carry_out(Command command) {
  if (auto* queued = std::get_if<std::unique_ptr<QueuedKernel>>(&command)) return carry_out(std::move(*queued));
  if (const auto* call = std::get_if<Call>(&command)) carry_out(*call);
  if (const auto* upload = std::get_if<std::unique_ptr<CopiedUpload>>(&command)) carry_out(**upload);
}

/// A stopping queue drops kernels: nobody can read their results any more.
void Queue::carry_out(std::unique_ptr<QueuedKernel> queued) {
  if (!stopping_) attempt([&] { execute(*backend_, queued->kernel); });
  backlog_.remove(queued->bytes);
  retired_.put(std::move(queued));
}

void Queue::carry_out(const Call& call) {
  try {
    require_running();
    (*call.work)(*backend_);
  } catch (...) {
    call.answer->error = Failure::current();
  }
  give(*call.answer);
}

void Queue::carry_out(const CopiedUpload& upload) {
  backlog_.remove(std::ssize(upload.data));
  if (stopping_) return;
  try {
    fill(*backend_, *upload.to, upload.data);
  } catch (...) {
    const Failure error = Failure::current();
    upload.to->poison(error);
    note_earlier_checks(*backend_);
    note(error);
  }
}

/// Whatever `work` throws, the worker goes on, and the next synchronize() throws it.
template <class Work>
void Queue::attempt(Work work) {
  try {
    work();
  } catch (...) {
    note(Failure::current());
  }
}

void Queue::require_running() const {
  if (stopping_) throw DeviceError("[Device] the device has been shut down: the program is ending");
}

const Backend& Queue::backend() const {
  require_own_process("Device");
  const std::scoped_lock lock(mutex_);
  require_running();
  return *backend_;
}

bool Queue::lost() const {
  require_own_process("Device");
  const std::scoped_lock lock(mutex_);
  return !stopping_ && backend_->lost();
}

void Queue::submit(Command command) { submit(std::span(&command, 1)); }

/// Moves them away.
void Queue::submit(std::span<Command> commands) {
  require_own_process("Device");
  shutdown::watch_this_thread();
  auto lock = lock_spinning(mutex_);
  require_running();
  for (Command& command : commands) push(std::move(command));
  wake(std::move(lock));
}

/// The caller holds the mutex.
void Queue::push(Command command) {
  if (const auto* queued = std::get_if<std::unique_ptr<QueuedKernel>>(&command)) backlog_.add((*queued)->bytes);
  if (const auto* upload = std::get_if<std::unique_ptr<CopiedUpload>>(&command))
    backlog_.add(std::ssize((*upload)->data));
  commands_.push_back(std::move(command));
  is_called_.store(true, std::memory_order_release);
}

/// Unlocks first: the worker would wake up only to wait for the mutex.
void Queue::wake(std::unique_lock<std::mutex> lock) {
  const bool was_asleep = std::exchange(asleep_, false);
  lock.unlock();
  if (was_asleep) changed_.notify_one();
}

void Queue::stop() {
  if (was_forked()) return;  // the child has no worker
  {
    std::scoped_lock lock(mutex_);
    stopping_ = true;
    is_called_ = true;
    changed_.notify_one();
  }
  backlog_.close();
  if (!worker_.joinable()) return;
  if (on_worker()) return worker_.detach();
  worker_.join();
  std::scoped_lock lock(mutex_);
  stopped_ = true;
}

void Queue::release(std::unique_ptr<Storage> storage, int64_t bytes) {
  constexpr int64_t worth_waking = int64_t{16} << 20;
  // In a forked child the driver's state is the parent's, and a lock may be held for ever: leaking is right.
  if (was_forked()) return static_cast<void>(storage.release());
  if (on_worker()) return;  // freed at once; elsewhere after the commands that still use it
  auto lock = lock_spinning(mutex_);
  if (stopped_) return;                                        // the driver has freed it
  if (stopping_) return static_cast<void>(storage.release());  // leaking is safer than calling the driver
  push(std::move(storage));
  released_bytes_ += bytes;
  if (released_bytes_ >= worth_waking) wake(std::move(lock));
}

void Queue::call(const std::function<void(Backend&)>& work) {
  if (Thread::is_of_library())
    throw DeviceError(
        "[Device] a function that runs on a device's own thread waits for a device, and might wait for itself; read "
        "what "
        "it needs before, and capture that");
  Answer answer;
  submit(Call{&work, &answer});
  await(answer);
  if (answer.error) answer.error.raise();
}

void Queue::give(Answer& answer) {
  answer.given.store(true, std::memory_order_release);
  // A waiter holds this mutex from checking its flag until it blocks, so the notification comes after it blocks.
  { const std::scoped_lock lock(answers_mutex_); }
  answered_.notify_all();
}

void Queue::await(const Answer& answer) {
  if (spin(answer.given, spin_time_) || spin_and_yield(answer.given, kernel_spin_factor * spin_time_)) return;
  std::unique_lock lock(answers_mutex_);
  answered_.wait(lock, [&] { return answer.given.load(std::memory_order_acquire); });
}

BufferPtr Queue::allocate(int64_t bytes) { return std::make_shared<Buffer>(shared_from_this(), bytes); }

void Queue::fill(Backend& backend, Buffer& to, std::span<const std::byte> data) {
  provide(backend, to);
  const profile::HostSpan span(backend.info(), "upload", data.size());
  backend.upload(to.storage(), 0, data);
}

void Queue::upload(const BufferPtr& to, std::span<const std::byte> data) {
  constexpr size_t little = size_t{64} << 10;  // copied sooner than the worker answers
  if (data.size() > little || Thread::is_of_library() || lost())
    return call([&](Backend& backend) { fill(backend, *to, data); });
  wait_for_space();
  submit(std::unique_ptr<CopiedUpload>(new CopiedUpload{to, {data.begin(), data.end()}}));
}

void Queue::upload_read(const BufferPtr& to, const ReadBytes& read) {
  call([&](Backend& backend) {
    provide(backend, *to);
    const profile::HostSpan span(backend.info(), "upload of what is read", static_cast<size_t>(to->bytes()));
    backend.upload_read(to->storage(), to->bytes(), read);
  });
}

void Queue::download(const BufferPtr& from, int64_t offset, std::span<std::byte> data) {
  call([&](Backend& backend) {
    if (from->unsettled()) settle(backend);
    if (const Failure error = from->error()) {
      report(error);
      error.raise();
    }
    const profile::HostSpan span(backend.info(), "download, and the wait for what it reads", data.size());
    backend.download(from->storage(), offset, data);
  });
}

namespace {

std::unique_ptr<QueuedKernel> queued(Kernel kernel, const KernelPoolPtr& pool = nullptr, size_t number = 0) {
  int64_t bytes = 0;
  for_each_output(kernel, [&](const BufferPtr& out) { bytes += out->bytes(); });
  return std::unique_ptr<QueuedKernel>(new QueuedKernel{std::move(kernel), bytes, pool, number});
}

}  // namespace

void Queue::run(Kernel kernel) {
  retired_.collect();
  submit(queued(std::move(kernel)));
}

void Queue::run(std::vector<Kernel> kernels, const KernelPoolPtr& pool) {
  retired_.collect();
  std::vector<Command> commands;
  commands.reserve(kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) commands.emplace_back(queued(std::move(kernels[i]), pool, i));
  submit(std::span(commands));
}

void Queue::wait_for_space() {
  require_own_process("Device");
  if (!Thread::is_of_library()) backlog_.wait_for_space();
}

void Queue::execute(Backend& backend, const Kernel& kernel) {
  const auto poison = [&](const Failure& error) {
    for_each_output(kernel, [&](const BufferPtr& out) { out->poison(error); });
  };
  if (const Failure error = output_of(kernel).buffer->error()) return poison(error);
  const auto fail = [&](const Failure& error) {
    poison(error);
    note_earlier_checks(backend);
    note(error);
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
    // A result that the host expected to read may then be an operand of many kernels.
    if (input->is_for_reading()) input->serve_kernels(backend.copy_for_kernels(input->storage()));
  });
  for_each_output(kernel, [&](const BufferPtr& out) {
    // An open check computes its bad index from the index operands again: they must be as its kernel read them.
    if (out->has_storage()) backend.settle_readers_of(*out);
    provide(backend, *out);
  });
  const CheckPtr check = backend.run(kernel);
  note_settled();
  if (check) checks_.push_back(check);
  for_each_output(kernel, [&](const BufferPtr& out) {
    for_each_input(kernel, [&](const BufferPtr& input) { out->depend_on(*input); });
    if (check && is_made_of_index(kernel, out)) out->depend_on(check);
  });
}

/// Allocates a missing storage; out of memory, settles the open checks, which hold index operands, and tries again.
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
    if (const Failure& error = checks_.front()->error()) note(error);
}

/// An earlier kernel's check may still fail, and would be the first error.
void Queue::note_earlier_checks(Backend& backend) {
  try {
    settle(backend);
  } catch (...) {  // the device is gone: its checks stay unsettled
  }
}

/// Adds an error for the next synchronize(), unless a reader has received it already.
void Queue::note(const Failure& error) {
  constexpr size_t most = 256;  // an error is lost only after so many unread ones
  if (!error.is_reported() && unreported_.size() < most) unreported_.push_back(error);
}

/// A reader receives the error: it is no longer pending.
void Queue::report(const Failure& error) {
  error.mark_reported();
  std::erase_if(unreported_, [](const Failure& each) { return each.is_reported(); });
}

void Queue::synchronize() {
  call([this](Backend& backend) {
    settle(backend);
    backend.synchronize();
    if (const auto errors = std::exchange(unreported_, {}); !errors.empty()) errors.front().raise();
  });
}

}  // namespace eglantine
