#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "backend/backend.hpp"
#include "backend/backlog.hpp"
#include "backend/retired_kernels.hpp"
#include "system/forked.hpp"
#include "system/thread.hpp"

namespace eglantine {

/// A device's worker thread and the commands that wait for it. The thread makes the backend, alone calls it, and runs
/// commands in the order in which they were submitted, whoever submitted them.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  using Factory = std::function<std::unique_ptr<Backend>()>;

  /// Starts the worker and waits until it has made its backend; throws what the factory threw, and DeviceError where no
  /// thread can be started.
  static std::shared_ptr<Queue> start(const Factory& factory);
  ~Queue();

  // In a forked child whatever waits throws DeviceError, and what comes back is leaked.

  /// For the calls that any thread may make. Throws DeviceError once the queue is being stopped.
  const Backend& backend() const;
  /// The device is gone, though the queue goes on. A queue that was stopped is not lost.
  bool lost() const;

  BufferPtr allocate(int64_t bytes);  ///< a handle; memory comes with the first command that fills it
  void upload(const BufferPtr& to, std::span<const std::byte> data);  ///< waits until `data` has been taken
  void download(const BufferPtr& from, int64_t offset,
                std::span<std::byte> data);  ///< waits; throws the buffer's error
  void run(Kernel kernel);                   ///< does not wait; an error poisons the output
  void synchronize();  ///< waits; throws the first error since the last call that no download() has thrown
  /// Runs `work` on the worker after everything submitted so far, waits for it, and throws what it threw.
  void call(const std::function<void(Backend&)>& work);
  /// Waits until there is room for what is submitted next, or the queue is being stopped. Before any lock is taken that
  /// others need. The library's own threads do not wait, since the room may be theirs to make.
  void wait_for_space();
  /// Takes storage back, from any thread.
  void release(std::unique_ptr<Storage> storage);
  /// Ends the worker after the command that it is at: kernels that have not begun are dropped, calls that wait throw
  /// DeviceError, and so does whatever is submitted afterwards.
  void stop();

 private:
  /// What a caller waits for: on its stack, so the worker does not touch it once it is given.
  struct Answer {
    std::atomic<bool> given = false;
    Failure error;
  };
  struct Call {
    const std::function<void(Backend&)>* work;
    Answer* answer;
  };
  /// Storage that comes back is a command too: it must wait its turn behind the kernels that still use it.
  using Command = std::variant<std::unique_ptr<QueuedKernel>, Call, std::unique_ptr<Storage>>;
  Queue() = default;
  bool on_worker() const;
  void require_running() const;
  void submit(Command command);
  void push(Command command);
  void work();
  bool take(std::vector<Command>& batch);
  void give(Answer& answer);
  void await(const Answer& answer);
  void carry_out(Command command);
  void carry_out(std::unique_ptr<QueuedKernel> queued);
  void carry_out(const Call& call);
  template <class Work>
  void attempt(Work work);
  void execute(Backend& backend, const Kernel& kernel);
  void begin(Backend& backend, const Kernel& kernel);
  void provide(Backend& backend, Buffer& buffer);
  void settle(Backend& backend);
  void note_settled();
  void note_earlier_checks(Backend& backend);
  void note(const Failure& error);
  void report(const Failure& error);

  std::unique_ptr<Backend> backend_;
  std::chrono::nanoseconds spin_time_{0};  ///< how long a thread watches for another one before it sleeps
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Command> commands_;
  bool asleep_ = false;  ///< the worker waits for changed_
  std::atomic<bool> stopping_ = false;
  Backlog backlog_;
  bool stopped_ = false;  ///< the worker has ended
  std::atomic<bool> is_called_ =
      false;  ///< there are commands, or the queue is stopping: for watching without the mutex
  std::mutex answers_mutex_;
  std::condition_variable answered_;
  RetiredKernels retired_;
  InUse in_use_;  ///< the worker stays behind when a process forks
  // The worker's alone:
  std::vector<Failure> unreported_;  ///< the first few errors since the last synchronize() that nobody has received
  std::deque<CheckPtr> checks_;      ///< open ones, in the order of their kernels
  Thread worker_;
};

}  // namespace eglantine
