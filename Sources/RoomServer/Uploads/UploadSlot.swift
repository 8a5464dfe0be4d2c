import Synchronization

/// The place of an upload that arrives: one of few at once, and the bytes that it holds of the total.
final class UploadSlot: Sendable {
  /// Nil once they are given back.
  private let held: Mutex<Int64?>
  private let more: @Sendable (Int64) throws(UploadFailure) -> Void
  private let giveBack: @Sendable (Int64) -> Void

  /// - Parameters:
  ///   - bytes: those that are held already.
  ///   - hold: holds more bytes.
  ///   - release: called once, with the bytes held.
  init(
    _ bytes: Int64, hold: @escaping @Sendable (Int64) throws(UploadFailure) -> Void,
    release: @escaping @Sendable (Int64) -> Void
  ) {
    held = Mutex(bytes)
    more = hold
    giveBack = release
  }

  deinit { release() }

  /// Holds at least this many bytes.
  func hold(_ bytes: Int64) throws(UploadFailure) {
    try held.withLock { (held) throws(UploadFailure) in
      guard let before = held, bytes > before else { return }
      try more(bytes - before)
      held = bytes
    }
  }

  /// Gives the place back, once.
  func release() { if let bytes = held.withLock({ $0.take() }) { giveBack(bytes) } }
}

/// An upload that somebody plays. The upload does not become unused before this is released.
package final class UploadUse: Sendable {
  package let id: UploadID
  package let path: String
  private let release: @Sendable () -> Void

  init(_ id: UploadID, path: String, release: @escaping @Sendable () -> Void) {
    self.id = id
    self.path = path
    self.release = release
  }

  deinit { release() }
}
