import RoomRTP

/// The messages that are not yet sent, per stream. Streams take turns, a message each, because without RFC 8260 the fragments
/// of a message are consecutive.
struct WaitingMessages {
  private struct Stream {
    var messages = Ring<SCTPMessage>()
    var nextSequence: UInt16 = 0
    var buffered = 0
    var threshold = 0
    var isResetting = false
    var isInTurn = false
  }

  private var streams: [UInt16: Stream] = [:]
  private var turn = Ring<UInt16>()
  /// Streams whose unsent bytes have fallen to their threshold.
  private var low: [UInt16] = []

  var isEmpty: Bool { turn.isEmpty }

  /// The unsent bytes of a stream.
  func buffered(_ stream: UInt16) -> Int { streams[stream]?.buffered ?? 0 }

  func isResetting(_ stream: UInt16) -> Bool { streams[stream]?.isResetting ?? false }

  mutating func setThreshold(_ threshold: Int, of stream: UInt16) { streams[stream, default: Stream()].threshold = threshold }

  mutating func append(_ message: SCTPMessage) {
    let id = message.stream
    let length = message.payload.count
    streams[id, default: Stream()].buffered += length
    streams[id]?.messages.append(message)
    if streams[id]?.isInTurn == false {
      streams[id]?.isInTurn = true
      turn.append(id)
    }
  }

  /// Takes the next message that has not expired, and its sequence number. The message's bytes stay buffered until `sent`.
  /// - Parameter dropped: is called with messages that have expired.
  mutating func next(now: Instant, dropped: (SCTPMessage) -> Void) -> (message: SCTPMessage, sequence: UInt16)? {
    while let id = turn.removeFirst() {
      guard let message = streams[id]?.messages.removeFirst() else {
        streams[id]?.isInTurn = false
        continue
      }
      if streams[id]?.messages.isEmpty == false {
        turn.append(id)
      } else {
        streams[id]?.isInTurn = false
      }
      if case .until(let end) = message.reliability, end <= now {
        sent(message.payload.count, of: id)
        dropped(message)
        continue
      }
      let sequence = streams[id]?.nextSequence ?? 0
      if !message.isUnordered { streams[id]?.nextSequence = sequence &+ 1 }
      return (message, sequence)
    }
    return nil
  }

  /// Counts bytes of a stream that were sent for the first time, or given up.
  mutating func sent(_ bytes: Int, of id: UInt16) {
    guard let before = streams[id]?.buffered, let threshold = streams[id]?.threshold else { return }
    streams[id]?.buffered = before - bytes
    if before > threshold, before - bytes <= threshold { low.append(id) }
  }

  mutating func takeLow() -> [UInt16] {
    defer { if !low.isEmpty { low.removeAll(keepingCapacity: true) } }
    return low
  }

  /// Refuses further messages on a stream until its reset is complete.
  mutating func beginReset(_ stream: UInt16) { streams[stream, default: Stream()].isResetting = true }

  /// Whether all messages of a stream have been sent.
  func isDrained(_ stream: UInt16) -> Bool { buffered(stream) == 0 }

  /// Begins a stream anew, or continues it if the other side refused.
  mutating func endReset(_ stream: UInt16, isAccepted: Bool) {
    if isAccepted { streams[stream] = nil } else { streams[stream]?.isResetting = false }
  }
}
