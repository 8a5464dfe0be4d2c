import Foundation
import Glibc
import Synchronization

/// Runs ffmpeg as a child process and measures its CPU time.
enum FFmpeg {
  /// Runs ffmpeg until it exits. Cancelling the task kills it.
  /// - Returns: seconds of CPU, user and system.
  /// - Throws: ``LoadtestError`` with the end of its output if it fails.
  @discardableResult static func run(_ arguments: [String]) async throws -> Double {
    let words = FileManager.default.temporaryDirectory.appending(path: "loadtest-ffmpeg-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: words) }
    let child = try Child(["ffmpeg", "-v", "error", "-nostdin"] + arguments, words: words.path)
    let (status, usage) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Waits on a thread of its own, so that the cooperative thread pool is not blocked.
        let thread = Thread { continuation.resume(returning: child.wait()) }
        thread.start()
      }
    } onCancel: {
      child.kill()
    }
    guard status == 0 else {
      guard !Task.isCancelled else { throw LoadtestError.stopped }
      let last = ProcFile.text(words.path) ?? ""
      throw LoadtestError.system("ffmpeg failed: is it installed, with libx264 and libopus? …\(last.suffix(500))")
    }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// A child process that has not been reaped.
  private final class Child: Sendable {
    /// Nil once the process has exited, since its id may be reused.
    private let running: Mutex<pid_t?>
    private let pid: pid_t

    init(_ command: [String], words: String) throws(LoadtestError) {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, words, O_WRONLY | O_CREAT, 0o600)
      var arguments = command.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var pid: pid_t = 0
      let result = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ)
      guard result == 0 else { throw .system("\(command[0]) does not start: \(String(cString: strerror(result)))") }
      self.pid = pid
      running = Mutex(pid)
    }

    func wait() -> (status: Int32, usage: rusage) {
      var status: Int32 = 0
      var usage = rusage()
      // Waits without reaping, so that no other process can be killed under the same id.
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      running.withLock { $0 = nil }
      while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
      return (status, usage)
    }

    func kill() {
      running.withLock { pid in
        if let pid { _ = Glibc.kill(pid, SIGKILL) }
      }
    }
  }
}
