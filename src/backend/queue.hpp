#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "backend/backend.hpp"
#include "backend/fork_count.hpp"
#include "backend/spent_kernels.hpp"

namespace eglantine {

/// A device's worker thread and the commands that wait for it. The thread makes the backend, alone calls it, and runs
/// commands in the order in which they were submitted, whoever submitted them.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  using Factory = std::function<std::unique_ptr<Backend>()>;

  /// Starts the worker and waits until it has made its backend; throws what the factory threw.
  static std::shared_ptr<Queue> start(Factory factory);
  ~Queue();

  /// For the calls that any thread may make. Throws DeviceError once the queue is being stopped.
  const Backend& backend() const;
  /// The device is gone, though the queue goes on. A queue that was stopped is not lost.
  bool lost() const;

  BufferPtr allocate(int64_t bytes);  ///< a handle; memory comes with the first command that fills it
  void upload(const BufferPtr& to, std::span<const std::byte> data);  ///< waits until `data` has been taken
  void download(const BufferPtr& from, int64_t offset,
                std::span<std::byte> data);  ///< waits; throws the buffer's error
  void run(Kernel kernel);                   ///< does not wait; an error poisons the output
  void synchronize();                        ///< waits; throws the first error since the last call
  /// What synchronize() would throw after everything submitted so far. Waits.
  Failure untold();
  /// synchronize() does not tell this error, for whoever asked for what failed has been told; but what was untold
  /// `before` that, it does tell. Waits.
  void forget(const Failure& error, const Failure& before);
  /// Runs `work` on the worker after everything submitted so far, waits for it, and throws what it threw.
  void call(const std::function<void(Backend&)>& work);
  /// Takes storage back, from any thread.
  void release(std::unique_ptr<Storage> storage);
  /// Ends the worker after what was submitted; nothing may be submitted afterwards.
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
  void require_running() const;  ///< the mutex is held
  void submit(Command command);
  void push(Command command);
  void work();
  bool take(std::vector<Command>& batch);
  void give(Answer& answer);
  void await(const Answer& answer);
  void carry_out(Command command);
  template <class Work>
  void attempt(Work work);
  void execute(Backend& backend, const Kernel& kernel);
  void begin(Backend& backend, const Kernel& kernel);
  void provide(Backend& backend, Buffer& buffer);
  void settle(Backend& backend);
  void note_settled();
  void note(Backend& backend, const Failure& error);

  std::unique_ptr<Backend> backend_;
  std::chrono::nanoseconds patience_{0};  ///< how long a thread watches for another one before it sleeps
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Command> commands_;
  bool asleep_ = false;  ///< the worker waits for changed_
  bool stopping_ = false;
  bool stopped_ = false;  ///< the worker has ended
  std::atomic<bool> is_called_ =
      false;  ///< there are commands, or the queue is stopping: for watching without the mutex
  std::mutex answers_mutex_;
  std::condition_variable answered_;
  SpentKernels spent_;
  int64_t forks_ = fork_count();  ///< the worker stays behind when a process forks
  // The worker's alone:
  Failure first_error_;          ///< since the last synchronize()
  std::deque<CheckPtr> checks_;  ///< open ones, in the order of their kernels
  std::thread worker_;
};

}  // namespace eglantine
