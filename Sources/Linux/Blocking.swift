import RoomCLinux
import Foundation

/// Runs a blocking call on its own thread, because the cooperative thread pool must not block.
package func blocking(named name: String, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    let thread = Thread {
      linux_thread_name(name)
      body()
      continuation.resume()
    }
    thread.start()
  }
}
