/// The number of a data channel: that of its SCTP stream in both directions.
public struct DataChannelID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public var description: String { "\(rawValue)" }
}

/// The properties of a data channel (RFC 8831 §6.4), which both sides know.
public struct DataChannel: Sendable, Hashable, Codable {
  /// When a sender stops repeating a message.
  public enum Reliability: Sendable, Hashable, Codable {
    case reliable
    /// After this number of repetitions: `maxRetransmits`.
    case retransmissions(UInt32)
    /// After this time in milliseconds: `maxPacketLifeTime`.
    case lifetime(milliseconds: UInt32)
  }

  public var label: String
  /// The subprotocol; empty without.
  public var subprotocol: String
  /// Whether messages arrive in the order in which they were sent.
  public var isOrdered: Bool
  public var reliability: Reliability

  public init(label: String, subprotocol: String = "", isOrdered: Bool = true, reliability: Reliability = .reliable) {
    self.label = label
    self.subprotocol = subprotocol
    self.isOrdered = isOrdered
    self.reliability = reliability
  }
}

/// A message on a data channel: text in UTF-8, or bytes.
public struct DataChannelMessage: Sendable, Hashable {
  public var isText: Bool
  public var payload: [UInt8]

  public init(isText: Bool, payload: [UInt8]) {
    self.isText = isText
    self.payload = payload
  }

  public init(_ text: String) { self.init(isText: true, payload: Array(text.utf8)) }
  public init(_ bytes: [UInt8]) { self.init(isText: false, payload: bytes) }
}

/// What happened to the data channels of a peer.
public enum DataChannelEvent: Sendable, Hashable {
  /// A channel of either side is open; messages can be sent.
  case opened(DataChannelID, DataChannel)
  case message(DataChannelID, DataChannelMessage)
  /// The unsent bytes of the channel fell to its threshold.
  case bufferedAmountLow(DataChannelID)
  /// Either side closed the channel. The channel's number can be used again.
  case closed(DataChannelID)
  /// All channels have ended, and none can be opened.
  case ended(SCTPClosure)
}

/// The reason why a call about a data channel failed.
public enum DataChannelError: Error, Sendable, Hashable {
  /// The other side did not negotiate data channels, or they have ended.
  case unavailable
  /// There are as many channels as allowed.
  case tooManyChannels
  /// The label or the subprotocol has more bytes than this.
  case labelTooLong(limit: Int)
  /// The number is in use, or is not below the number of streams.
  case number
  /// There is no such channel, or it is not open.
  case notOpen
  /// The other side accepts only messages up to this number of bytes (`a=max-message-size`).
  case messageTooLong(limit: Int)
  /// Too many bytes are not yet acknowledged; `bufferedAmountLow` tells when to continue.
  case bufferFull
}
