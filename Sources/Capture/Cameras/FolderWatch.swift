import Foundation
import RoomCLinux
import RoomLinux
import RoomRTP

/// Watches the files of a folder (inotify).
final class FolderWatch: Sendable {
  enum Change {
    /// A file was created, or its permissions changed.
    case changed(String)
    case removed(String)
    /// The kernel dropped changes.
    case overflow
  }

  private let descriptor: Int32
  private let wake = linux_eventfd()

  /// Returns nil if the folder does not exist or may not be read, or if the user has too many watches.
  init?(_ folder: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    let mask = IN_CREATE | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
    guard inotify_add_watch(descriptor, folder, UInt32(mask)) >= 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if wake >= 0 { close(wake) }
  }

  /// Ends the wait of ``next(until:)``.
  func stop() { linux_eventfd_signal(wake) }

  /// Waits for changes, at the longest until a deadline.
  /// - Returns: nil after ``stop()``, or when the folder was removed.
  func next(until deadline: Instant?) -> [Change]? {
    // One ms more: the deadline is then reached.
    let wait = deadline.map { Int32(clamping: max($0 - .now, 0) / 1000 + 1) } ?? -1
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&waiting, 2, wait)
    if ready < 0 { return errno == EINTR ? [] : nil }
    if waiting[1].revents != 0 { return nil }
    guard waiting[0].revents != 0 else { return [] }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return errno == EAGAIN || errno == EINTR ? [] : nil }
      return Self.changes(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
    }
  }

  private static func changes(_ bytes: UnsafeRawBufferPointer) -> [Change]? {
    let header = MemoryLayout<inotify_event>.size
    var changes: [Change] = []
    var rest = bytes[...]
    while rest.count >= header {
      let event = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: inotify_event.self)
      let name = String(decoding: rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }, as: UTF8.self)
      rest = rest.dropFirst(header + Int(event.len))
      let mask = Int32(truncatingIfNeeded: event.mask)
      if mask & IN_IGNORED != 0 {
        return nil
      } else if mask & IN_Q_OVERFLOW != 0 {
        changes.append(.overflow)
      } else if mask & (IN_DELETE | IN_MOVED_FROM) != 0 {
        changes.append(.removed(name))
      } else {
        changes.append(.changed(name))
      }
    }
    return changes
  }
}
