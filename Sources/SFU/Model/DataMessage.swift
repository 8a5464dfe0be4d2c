import Synchronization

/// A message over a data channel, received from a client or to be sent to clients.
public struct DataMessage: Sendable {
  /// The label of the channel on which it arrived; empty for one to be sent.
  public var label: String
  /// Whether it is repeated until it arrives. The channel to a receiver is chosen by it.
  public var isReliable: Bool
  /// Whether it is text in UTF-8.
  public var isText: Bool
  public var payload: [UInt8]
  /// What it uses of its sender's allowance; nil for a message of this server. What is sent because of a received message has the
  /// share of that, so that a sender can't send faster than its receivers receive.
  public var share: DataShare?

  /// Creates a message.
  public init(label: String = "", isReliable: Bool, isText: Bool = false, payload: [UInt8], share: DataShare? = nil) {
    self.label = label
    self.isReliable = isReliable
    self.isText = isText
    self.payload = payload
    self.share = share
  }

  /// What a message counts besides its payload, in bytes: small ones cost the server more than their bytes.
  static let overhead = 4096
  var cost: Int { payload.count + Self.overhead }
}

// The share is no part of the value: it belongs to the process.
extension DataMessage: Hashable, Codable {
  private enum CodingKeys: CodingKey { case label, isReliable, isText, payload }

  /// Compares the messages without their shares.
  public static func == (one: Self, other: Self) -> Bool {
    one.label == other.label && one.isReliable == other.isReliable && one.isText == other.isText && one.payload == other.payload
  }

  /// Hashes the message without its share.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(label)
    hasher.combine(payload)
  }
}

/// What a received message uses of its sender's allowance until its last copy is given to a receiver's channel, or dropped.
public final class DataShare: Sendable {
  private let spent = Atomic<Int>(0)
  /// Called at the end with the bytes that were sent because of the message.
  private let end: @Sendable (_ spent: Int) -> Void

  /// Creates the share of a message whose sender's allowance is at another server.
  package init(end: @escaping @Sendable (_ spent: Int) -> Void) { self.end = end }

  init(of allowance: DataAllowance, bytes: Int) {
    allowance.take(bytes)
    end = { spent in
      allowance.spend(spent)
      allowance.giveBack(bytes)
    }
  }

  deinit { end(spent.load(ordering: .relaxed)) }

  /// Counts bytes that were sent because of the message.
  package func spend(_ bytes: Int) { spent.add(bytes, ordering: .relaxed) }
}

/// How much one transport may send over its data channels. Its worker takes from it; other threads give back.
final class DataAllowance: Sendable {
  private let used = Atomic<Int>(0)
  private let spent = Atomic<Int>(0)

  /// The bytes of messages that are not passed on yet.
  var inUse: Int { used.load(ordering: .relaxed) }

  /// Returns the bytes that were sent to receivers since the last call.
  func takeSpent() -> Int { spent.exchange(0, ordering: .relaxed) }

  fileprivate func take(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }
  fileprivate func giveBack(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
  fileprivate func spend(_ bytes: Int) { spent.add(bytes, ordering: .relaxed) }
}
