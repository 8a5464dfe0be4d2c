import RoomCLinux
import RoomRTP
import Synchronization
import RoomWebRTC

/// The progress of one subscriber's join: started by its signalling, completed by its first packet.
final class JoinOutcome: Sendable {
  /// Times of one join.
  struct Times: Sendable {
    /// When the request for the media was sent.
    var begun: Instant?
    /// When the first packet of any kind was decrypted.
    var media: Instant?
    /// When the first video packet was decrypted.
    var video: Instant?
  }

  private struct State {
    var times = Times()
    var failure: String?
    var waiter: CheckedContinuation<Void, any Error>?
  }

  private let state = Mutex(State())
  private let name: String

  init(name: String) { self.name = name }

  var times: Times { state.withLock { $0.times } }

  /// Whether the first packet is still outstanding.
  var isWaiting: Bool { state.withLock { $0.times.media == nil && $0.failure == nil } }

  /// Starts the clock.
  func begin() {
    let now = Instant(microseconds: linux_now_us())
    state.withLock { $0.times.begun = now }
  }

  func mediaCame(_ kind: RTPParameters.Kind, at now: Instant) {
    take { state in
      if state.times.media == nil { state.times.media = now }
      if kind == .video, state.times.video == nil { state.times.video = now }
      return .success(())
    }
  }

  /// A failure after the first packet shows in the counters instead.
  func failed(_ reason: String) {
    let error = LoadtestError.noMedia("\(name): \(reason)")
    take { state in
      if state.failure == nil { state.failure = reason }
      return .failure(error)
    }
  }

  /// Returns with the first packet.
  /// - Throws: ``LoadtestError`` if none arrives within `seconds`.
  func firstPacket(within seconds: Double) async throws {
    let late = Task { [weak self] in
      try await Task.sleep(for: .seconds(seconds))
      self?.failed("no packet within \(seconds) s")
    }
    defer { late.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.times.media != nil { return .success(()) }
          if let reason = state.failure { return .failure(LoadtestError.noMedia("\(name): \(reason)")) }
          state.waiter = waiter
          return nil
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      failed("cancelled")
    }
  }

  private func take(_ body: (inout State) -> Result<Void, any Error>) {
    let (waiter, result) = state.withLock { state in
      let result = body(&state)
      defer { state.waiter = nil }
      return (state.waiter, result)
    }
    waiter?.resume(with: result)
  }
}
