import Synchronization

/// The thread of a loop, which runs many bots. Their state is `Crew` and never leaves the thread.
protocol LoopThread: Sendable {
  associatedtype Crew: LoopCrew

  /// Runs `command` on the thread, after those posted before it.
  func post(_ command: @escaping @Sendable (Crew) -> Void)
}

/// The state of a loop's thread.
protocol LoopCrew {
  /// Closes all bots and ends the thread.
  func stop()
}

extension LoopThread {
  /// Runs `body` on the loop's thread and returns its result.
  func run<Result: Sendable>(_ body: @escaping @Sendable (Crew) -> Result) async -> Result {
    await withCheckedContinuation { waiter in
      post { waiter.resume(returning: body($0)) }
    }
  }

  /// Closes all bots and ends the thread. Commands posted afterwards do not run.
  func stop() async { await run { $0.stop() } }
}

/// The commands that wait for a loop's thread.
final class LoopInbox<Crew>: Sendable {
  typealias Command = @Sendable (Crew) -> Void

  private let commands = Mutex<[Command]>([])

  /// Adds a command. Returns whether it is the only one, so that the thread has to be woken.
  @discardableResult func add(_ command: @escaping Command) -> Bool {
    commands.withLock { commands in
      commands.append(command)
      return commands.count == 1
    }
  }

  /// Removes and returns all commands.
  func take() -> [Command] {
    commands.withLock { commands in
      defer { commands = [] }
      return commands
    }
  }
}
