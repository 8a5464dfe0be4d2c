import Foundation
import Glibc
import RoomRelay
import Synchronization

/// A recording's file, open for reading, with what HTTP says about it.
final class OpenFile: Sendable {
  let size: Int64
  /// Strong: it changes with the file, also while that is being written.
  let entityTag: String
  let modified: String
  private let descriptor: Mutex<CInt?>

  /// Opens a file. Blocks.
  /// - Returns: nil if there is no such recording.
  init?(_ name: RecordingName, of recordings: Recordings) {
    guard let descriptor = recordings.openFile(of: name) else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = Mutex(descriptor)
    size = max(0, Int64(status.st_size))
    let time = status.st_mtim
    entityTag = "\"\(String(status.st_ino, radix: 16))-\(String(size, radix: 16))-\(time.tv_sec).\(time.tv_nsec)\""
    modified = Self.date(Date(timeIntervalSince1970: Double(time.tv_sec)))
  }

  deinit { if let descriptor = take() { close(descriptor) } }

  /// Hands the descriptor over to the caller, once.
  func take() -> CInt? { descriptor.withLock { $0.take() } }

  /// Returns an HTTP date (RFC 9110 §5.6.7).
  private static func date(_ date: Date) -> String {
    var style = Date.VerbatimFormatStyle(
      format:
        "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
      timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    style.locale = Locale(identifier: "en_US_POSIX")
    return date.formatted(style)
  }
}
