import Glibc
import Synchronization

/// Runs an asynchronous operation on the calling thread and gives its result: what it enqueues, its actors' jobs too, is run here
/// one after the other. So a fuzz target can call asynchronous code; after `runTasksOnCallingThread()` it takes the same way for
/// the same input, too, and no other thread has a part in it.
public func runToEnd<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) -> Value {
  let result = Slot<Value>()
  Task(executorPreference: thread) {
    let value = await operation()
    result.value.withLock { $0 = value }
  }
  while true {
    while let job = thread.next() { job.runSynchronously(on: thread.asUnownedTaskExecutor()) }
    if let value = result.value.withLock({ $0 }) { return value }
    sched_yield()
  }
}

/// From now on every task of this process waits for the next `runToEnd`, also one that was begun without an executor. For the
/// fuzzer's own program; tests share their process with others.
public func runTasksOnCallingThread() {
  typealias Original = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
  // A variable of Swift's runtime that stands before its global executor.
  guard let address = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return }
  address.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in thread.append(job) }
}

private let thread = CallingThread()

private final class Slot<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

/// Keeps jobs until a thread takes them.
private final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) { append(UnownedJob(job)) }
  func append(_ job: UnownedJob) { jobs.withLock { $0.append(job) } }
  func next() -> UnownedJob? { jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
