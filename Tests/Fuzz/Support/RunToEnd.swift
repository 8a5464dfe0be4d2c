import Glibc
import Synchronization

/// Runs an asynchronous operation on the calling thread and returns its result. The jobs that it enqueues, including those of
/// its actors, run here one after the other, so a fuzz target can call asynchronous code. After `runTasksOnCallingThread()`,
/// the order is the same for the same input, and no other thread is involved.
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

/// Makes every task of this process wait for the next `runToEnd`, including tasks started without an executor. Only for the
/// fuzzer's own executable; tests share their process with others.
public func runTasksOnCallingThread() {
  typealias Original = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
  // A variable of the Swift runtime that overrides its global executor.
  guard let address = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return }
  address.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in thread.append(job) }
}

private let thread = CallingThread()

private final class Slot<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

/// Queues jobs until a thread runs them.
private final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) { append(UnownedJob(job)) }
  func append(_ job: UnownedJob) { jobs.withLock { $0.append(job) } }
  func next() -> UnownedJob? { jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
