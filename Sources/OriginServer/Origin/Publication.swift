import RoomLiveOrigin
import RoomRTMP
import Synchronization

/// Receives the media of a publish.
package protocol PublishSink: AnyObject, Sendable {
  /// Receives the next message, in order.
  func publish(_ message: MediaMessage)
  /// Called after the last message.
  func end()
}

extension Origin {
  /// The right to publish one stream of the origin, until it is ended or released.
  package final class Publication: PublishSink {
    let path: StreamPath
    var hub: StreamHub { right.hub }
    private let origin: Origin
    private let right: StreamDirectory.Publication
    private let hold: Origin.PathReference
    private let claim: Mutex<StreamClaim?>
    private let isOver = Atomic(false)
    /// Whether the log states what HLS does not carry.
    private let hasStatedCodecs = Atomic(false)

    init(_ origin: Origin, _ right: StreamDirectory.Publication, _ hold: Origin.PathReference, _ claim: StreamClaim?) {
      self.claim = Mutex(claim)
      path = right.path
      self.origin = origin
      self.right = right
      self.hold = hold
    }

    deinit { end() }

    /// Passes a message to all viewers, and wakes those that wait.
    package func publish(_ message: MediaMessage) {
      guard !isOver.load(ordering: .relaxed) else { return }
      let now = Origin.now()
      right.hub.publish(message, now: now)
      origin.counters.countReceived(message.payload.count)
      hold.stream.published(message.payload.count, now: now)
      if !hasStatedCodecs.load(ordering: .relaxed), right.hub.kinds != nil { stateCodecs() }
    }

    private func stateCodecs() {
      guard !hasStatedCodecs.exchange(true, ordering: .relaxed) else { return }
      let missing = right.hub.codecs.notInHLS
      guard !missing.isEmpty else { return }
      origin.log.notice(
        "HLS players miss a part of the stream",
        metadata: ["stream": "\(path)", "codecs": "\(missing.joined(separator: ", "))"])
    }

    package func end() { end(isFinal: false) }

    /// Ends the stream as well: its viewers do not wait for another publisher.
    func close() { end(isFinal: true) }

    private func end(isFinal: Bool) {
      guard !isOver.exchange(true, ordering: .relaxed) else { return }
      let publisher = hold.stream.publish?.publisher
      hold.stream.end()
      origin.ended(right, by: publisher, isFinal: isFinal)
      hold.stream.wake()
      // Released outside the lock: the release takes others.
      let claim = claim.withLock { $0.take() }
      withExtendedLifetime(claim) {}
    }
  }
}
