import RoomCLinux
public import RoomRTP
import Synchronization

/// Until when media workers may send. Once that time has passed they drop what they would send, also in a process that was stopped
/// and continues.
///
/// The workers read it before each call of the kernel, without a lock.
public final class SendingAuthority: Sendable {
  private let end = Atomic<Int64>(.max)

  /// Creates an authority without an end.
  public init() {}

  /// Sets its end, by the monotonic clock.
  public func set(until end: Instant) { self.end.store(end.microseconds, ordering: .relaxed) }

  var isValid: Bool { linux_now_us() < end.load(ordering: .relaxed) }
}

extension SendingCalls {
  /// The kernel's calls, which drop everything once an authority has ended. It must live as long as they are used.
  static func kernel(while authority: SendingAuthority) -> SendingCalls {
    SendingCalls(
      context: Unmanaged.passUnretained(authority).toOpaque(),
      batch: { context, socket, messages, count in
        guard SendingCalls.maySend(context) else { return count }
        return SendingCalls.kernel.batch(nil, socket, messages, count)
      },
      single: { context, socket, message, count in
        guard SendingCalls.maySend(context) else { return 1 }
        return SendingCalls.kernel.single(nil, socket, message, count)
      },
      stream: { context, socket, bytes, count in
        guard SendingCalls.maySend(context) else { return count }
        return SendingCalls.kernel.stream(nil, socket, bytes, count)
      })
  }

  private static func maySend(_ context: UnsafeMutableRawPointer?) -> Bool {
    guard let context else { return true }
    return Unmanaged<SendingAuthority>.fromOpaque(context).takeUnretainedValue().isValid
  }
}
