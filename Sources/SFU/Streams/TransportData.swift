import RoomRTP
import RoomWebRTC

/// The data channels of one transport, without I/O: what it may send to the room, and the messages that wait to be sent to it.
///
/// A sender whose allowance is used up is held back: its events are not taken, so that SCTP closes its window. A receiver too slow
/// for reliable messages holds back their senders, for a limited time: then its transport fails.
final class TransportData {
  /// What follows for a message to this client.
  enum Admission {
    case send(DataChannelID)
    case wait
    /// It is lost: too much is unsent, or there is no channel for it.
    case drop
    /// Too much waits.
    case fail
  }

  private struct Waiting {
    var message: DataMessage
    var since: Instant
  }

  private let limits: MediaLimits
  private let allowance = DataAllowance()
  /// What may be sent at once, in bytes; negative after a message to many.
  private var tokens: Int
  private var filled: Instant
  /// All open channels.
  private(set) var channels: [DataChannelID: DataChannel] = [:]
  /// The labels of the channels on which messages are sent, and those of them that are open.
  private let sending: Set<String>
  private var reliable: DataChannelID?
  private var lossy: DataChannelID?
  private var waiting: [Waiting] = []
  private var firstWaiting = 0
  private var waitingBytes = 0
  /// Whether the sender is held back.
  var isHeld = false
  /// Whether the channels have ended, or were too slow.
  private(set) var hasEnded = false

  /// - Parameter channels: those on which messages are sent, whoever opens them.
  init(_ limits: MediaLimits, sendingOn channels: [DataChannel], now: Instant) {
    self.limits = limits
    sending = Set(channels.map(\.label))
    tokens = limits.dataBytesPerSecond
    filled = now
  }

  // MARK: Channels

  func opened(_ id: DataChannelID, _ channel: DataChannel) {
    channels[id] = channel
    guard sending.contains(channel.label) else { return }
    if channel.isReliable { reliable = reliable ?? id } else { lossy = lossy ?? id }
  }

  func closed(_ id: DataChannelID) {
    channels[id] = nil
    if reliable == id { reliable = nil }
    if lossy == id { lossy = nil }
  }

  func end() {
    hasEnded = true
    (channels, reliable, lossy) = ([:], nil, nil)
    forgetWaiting()
  }

  // MARK: From the client

  /// Returns a received message with its share; nil if the channel is unknown.
  func received(_ message: DataChannelMessage, on id: DataChannelID, now: Instant) -> DataMessage? {
    guard let channel = channels[id] else { return nil }
    var received = DataMessage(
      label: channel.label, isReliable: channel.isReliable, isText: message.isText, payload: message.payload)
    received.share = DataShare(of: allowance, bytes: received.cost)
    refill(now)
    tokens -= received.cost
    return received
  }

  /// Whether the sender has to wait before its next message is taken.
  func mustWait(now: Instant) -> Bool {
    refill(now)
    return tokens <= 0 || allowance.inUse >= limits.dataInTransit
  }

  private func refill(_ now: Instant) {
    tokens -= allowance.takeSpent()
    let added = Double(max(0, now - filled)) * Double(limits.dataBytesPerSecond) / 1_000_000
    // Not so often that nothing is added.
    guard added >= 1 else { return }
    filled = now
    tokens = Int(min(Double(limits.dataBytesPerSecond), Double(tokens) + added))
  }

  // MARK: To the client

  /// Decides about a message.
  /// - Parameter unsent: returns the bytes of a channel that are not yet sent.
  func admit(_ message: DataMessage, unsent: (DataChannelID) -> Int) -> Admission {
    guard !hasEnded, !sending.isEmpty else { return .drop }
    guard message.isReliable else {
      guard let lossy, unsent(lossy) <= limits.dataUnsentLossy else { return .drop }
      return .send(lossy)
    }
    guard let reliable else { return waitingBytes + message.cost <= limits.dataBeforeOpen ? .wait : .drop }
    if waiting.isEmpty, unsent(reliable) <= limits.dataUnsent { return .send(reliable) }
    return waitingBytes + message.cost <= limits.dataWaiting ? .wait : .fail
  }

  /// Adds a message to those that wait.
  func wait(_ message: DataMessage, now: Instant) {
    var message = message
    // A client that does not connect holds back nobody.
    if reliable == nil { message.share = nil }
    waitingBytes += message.cost
    waiting.append(Waiting(message: message, since: now))
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// The message to send next, with its channel; nil while none waits or there is no room.
  /// - Parameter unsent: returns the bytes of a channel that are not yet sent.
  func next(unsent: (DataChannelID) -> Int) -> (DataChannelID, DataMessage)? {
    guard let reliable, firstWaiting < waiting.count, unsent(reliable) <= limits.dataUnsent else { return nil }
    return (reliable, waiting[firstWaiting].message)
  }

  /// Removes the message that ``next(unsent:)`` returned.
  func removeFirst() {
    guard firstWaiting < waiting.count else { return }
    waitingBytes -= waiting[firstWaiting].message.cost
    waiting[firstWaiting].message = DataMessage(isReliable: true, payload: [])
    firstWaiting += 1
    if firstWaiting == waiting.count {
      waiting = []
      firstWaiting = 0
    } else if firstWaiting >= 64, firstWaiting * 2 >= waiting.count {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
  }

  /// Whether a message has waited for too long on an open channel. Those that wait for a channel are dropped then.
  func isTooSlow(now: Instant) -> Bool {
    guard firstWaiting < waiting.count, now - waiting[firstWaiting].since > limits.dataPatience else { return false }
    guard reliable == nil else { return true }
    forgetWaiting()
    return false
  }

  private func forgetWaiting() {
    waiting = []
    firstWaiting = 0
    waitingBytes = 0
  }
}

extension DataChannel {
  fileprivate var isReliable: Bool { reliability == .reliable }
}
