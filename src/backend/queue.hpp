#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "backend/backend.hpp"
#include "backend/backlog.hpp"
#include "backend/retired_kernels.hpp"
#include "system/forked.hpp"
#include "system/thread.hpp"

namespace eglantine {

/// Commands of all threads to a device, run in order by its worker thread, which alone makes and calls the backend.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  using Factory = std::function<std::unique_ptr<Backend>()>;

  /// Returns once the worker has made its backend; throws what the factory threw, DeviceError if no thread starts.
  static std::shared_ptr<Queue> start(const Factory& factory);
  ~Queue();

  // In a forked child, calls that wait throw DeviceError, and storage that is released leaks.

  const Backend& backend() const;  ///< for calls from any thread; throws DeviceError once stopping
  bool lost() const;               ///< whether the device is gone while the queue goes on; a stopped queue is not lost

  BufferPtr allocate(int64_t bytes);  ///< allocated by the first command that fills it
  /// Reads `data` before it returns: waits for that, or copies little data and does not wait, when an error poisons
  /// `to`. Takes no lock of the caller's: it may wait for space.
  void upload(const BufferPtr& to, std::span<const std::byte> data);
  void upload_read(const BufferPtr& to, const ReadBytes& read);  ///< `read` runs on the worker; waits
  void download(const BufferPtr& from, int64_t offset,
                std::span<std::byte> data);  ///< waits; throws the buffer's error
  void run(Kernel kernel);                   ///< does not wait; an error poisons the output
  /// The same, in one submission. They return to the pool, if one is given, by their numbers.
  void run(std::vector<Kernel> kernels, const KernelPoolPtr& pool = nullptr);
  void synchronize();  ///< waits; throws the first error since the last call that no download() has thrown
  void call(const std::function<void(Backend&)>& work);  ///< on the worker, in order; waits; throws what `work` threw
  /// Waits until the backlog has space, or the queue is stopping. Call before taking a lock that others need. The
  /// library's own threads do not wait: the space may depend on them.
  void wait_for_space();
  /// From any thread. Frees it after earlier commands; a sleeping worker frees little only with the next command.
  void release(std::unique_ptr<Storage> storage, int64_t bytes);
  /// Ends the worker after its current command; drops unstarted kernels; waiting and later calls throw DeviceError.
  void stop();

 private:
  /// A caller's result, on its stack: the worker does not touch it after setting `given`.
  struct Answer {
    std::atomic<bool> given = false;
    Failure error;
  };
  struct Call {
    const std::function<void(Backend&)>* work;
    Answer* answer;
  };
  struct CopiedUpload {
    BufferPtr to;
    std::vector<std::byte> data;
  };
  /// Storage is released by a command, after the kernels that still use it.
  using Command =
      std::variant<std::unique_ptr<QueuedKernel>, Call, std::unique_ptr<CopiedUpload>, std::unique_ptr<Storage>>;
  Queue() = default;
  bool on_worker() const;
  void require_running() const;
  void submit(Command command);
  void submit(std::span<Command> commands);
  void push(Command command);
  void wake(std::unique_lock<std::mutex> lock);
  void work();
  bool take(std::vector<Command>& batch);
  size_t prepare(std::span<const Command> batch, size_t prepared, size_t next);
  void give(Answer& answer);
  void await(const Answer& answer);
  void carry_out(Command command);
  void carry_out(std::unique_ptr<QueuedKernel> queued);
  void carry_out(const Call& call);
  void carry_out(const CopiedUpload& upload);
  void fill(Backend& backend, Buffer& to, std::span<const std::byte> data);
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
  std::chrono::nanoseconds spin_time_{0};  ///< how long a thread spins before it blocks
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Command> commands_;
  bool asleep_ = false;         ///< the worker waits for changed_, and has not been notified
  int64_t released_bytes_ = 0;  ///< of storage among the commands
  std::atomic<bool> stopping_ = false;
  Backlog backlog_;
  bool stopped_ = false;  ///< the worker has ended
  std::atomic<bool> is_called_ =
      false;  ///< there are commands, or the queue is stopping: for spinning without the mutex
  std::mutex answers_mutex_;
  std::condition_variable answered_;
  RetiredKernels retired_;
  InUse in_use_;  ///< a forked child has no worker
  // Used by the worker alone:
  std::vector<Failure> unreported_;  ///< the first errors since the last synchronize() that no reader has received
  std::deque<CheckPtr> checks_;      ///< unsettled ones, in the order of their kernels
  Thread worker_;
};

}  // namespace eglantine
