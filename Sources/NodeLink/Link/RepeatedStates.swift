import RoomRTP

/// The state of this end's streams, each sent until the other node has acknowledged it. A state is a value; nil closes the
/// stream, which is removed once that is acknowledged.
///
/// A state is acknowledged if the control datagram is that carried its newest value.
struct RepeatedStates<Value: Hashable & Sendable> {
  private struct Entry {
    var value: Value?
    /// The control datagram that carried the value last; 0 if none has.
    var sentIn: UInt64 = 0
    /// Whether the other node has had a value since the stream was opened.
    var isOpen = false
  }

  private struct Sending {
    var stream: UInt32
    var number: UInt64
    var at: Instant
  }

  /// A change at the other node.
  enum Change: Hashable { case opened(UInt32), closed(UInt32) }

  private var entries: [UInt32: Entry] = [:]
  /// Streams whose value waits to be sent, in order. A stream is in it if and only if its `sentIn` is 0.
  private var unsent: [UInt32] = []
  private var sendings: [Sending] = []

  /// Whether there is something to send now.
  var isWaiting: Bool { !unsent.isEmpty }
  /// When the oldest state that was sent is repeated; nil if none waits for its acknowledgement.
  func repeatAt(_ retry: Int64) -> Instant? { sendings.first?.at.advanced(microseconds: retry) }
  var count: Int { entries.count }

  func value(of stream: UInt32) -> Value? { entries[stream]?.value }

  /// Sets the value of a stream. Returns false if there are ``LinkOptions/maximumStreams`` others.
  mutating func set(_ value: Value?, of stream: UInt32) -> Bool {
    guard var entry = entries[stream] else {
      guard let value else { return true }
      guard entries.count < LinkOptions.maximumStreams else { return false }
      entries[stream] = Entry(value: value)
      unsent.append(stream)
      return true
    }
    guard entry.value != value else { return true }
    entry.value = value
    if entry.sentIn != 0 {
      entry.sentIn = 0
      unsent.append(stream)
    }
    entries[stream] = entry
    return true
  }

  /// Sends all states again, because the other node has forgotten them.
  mutating func repeatAll() {
    sendings = []
    for (stream, entry) in entries where entry.sentIn != 0 {
      entries[stream]?.sentIn = 0
      unsent.append(stream)
    }
    for stream in entries.keys { entries[stream]?.isOpen = false }
  }

  /// Passes states to `write`, at most `limit`: new ones, and those whose acknowledgement is late.
  mutating func take(
    _ limit: Int, in number: UInt64, now: Instant, retry: Int64, _ write: (UInt32, Value?) -> Void
  ) {
    var late = 0
    while late < sendings.count, now - sendings[late].at >= retry {
      let sending = sendings[late]
      late += 1
      guard entries[sending.stream]?.sentIn == sending.number else { continue }
      entries[sending.stream]?.sentIn = 0
      unsent.append(sending.stream)
    }
    sendings.removeFirst(late)
    let taken = unsent.prefix(max(0, limit))
    for stream in taken {
      guard let entry = entries[stream] else { continue }
      entries[stream]?.sentIn = number
      sendings.append(Sending(stream: stream, number: number, at: now))
      write(stream, entry.value)
    }
    unsent.removeFirst(taken.count)
    // Values that changed often leave sendings behind that no acknowledgement matters to.
    if sendings.count > 2 * LinkOptions.maximumStreams {
      sendings.removeAll { entries[$0.stream]?.sentIn != $0.number }
    }
  }

  /// Takes an acknowledgement.
  /// - Parameters:
  ///   - newest: the number of a control datagram that arrived.
  ///   - before: which of the 64 before it arrived: bit n is `newest` − 1 − n.
  mutating func acknowledge(_ newest: UInt64, before: UInt64, _ changed: (Change) -> Void) {
    guard !sendings.isEmpty else { return }
    sendings.removeAll { sending in
      guard sending.number <= newest else { return false }
      let age = newest - sending.number
      guard age == 0 || (age <= 64 && before >> (age - 1) & 1 != 0) else { return false }
      guard let entry = entries[sending.stream], entry.sentIn == sending.number else { return true }
      if entry.value == nil {
        entries[sending.stream] = nil
        changed(.closed(sending.stream))
      } else if !entry.isOpen {
        entries[sending.stream]?.isOpen = true
        changed(.opened(sending.stream))
      }
      return true
    }
  }
}
