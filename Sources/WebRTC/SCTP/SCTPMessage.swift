public import RoomRTP

/// A user message.
public struct SCTPMessage: Sendable, Hashable {
  public var stream: UInt16
  /// The payload protocol identifier, which SCTP only carries.
  public var protocolID: UInt32
  public var payload: [UInt8]
  /// Whether the message may overtake others of its stream.
  public var isUnordered: Bool
  /// When the sender gives up; receivers do not learn it.
  public var reliability: Reliability

  /// When a sender stops repeating a message (RFC 3758, RFC 7496).
  public enum Reliability: Sendable, Hashable {
    case reliable
    /// After this number of repetitions of one of its packets.
    case retransmissions(Int)
    /// At this time.
    case until(Instant)
  }

  public init(
    stream: UInt16, protocolID: UInt32 = 0, payload: [UInt8], isUnordered: Bool = false, reliability: Reliability = .reliable
  ) {
    self.stream = stream
    self.protocolID = protocolID
    self.payload = payload
    self.isUnordered = isUnordered
    self.reliability = reliability
  }

  /// The bytes that a stored message, or a piece of one, counts besides its payload, so that tiny ones are bounded too.
  static let overhead = 64
  var cost: Int { payload.count + Self.overhead }
}

/// The parameters of one side of an association.
public struct SCTPConfiguration: Sendable, Hashable {
  /// The SCTP ports (`a=sctp-port`).
  public var localPort: UInt16 = 5000
  public var remotePort: UInt16 = 5000
  /// The maximum size of a packet in bytes, at least 512: 1200 minus the overhead of DTLS (RFC 8831 §5).
  public var maximumPacket = 1160
  /// The number of streams offered in each direction.
  public var streams: UInt16 = 1024
  /// The maximum size of a received message in bytes; a longer one ends the association.
  public var maximumMessage = 256 * 1024
  /// The maximum number of bytes of received data that the owner has not taken. Data beyond it is dropped, and repeated later.
  public var receiveWindow = 1024 * 1024
  /// The maximum number of bytes of messages that are not yet acknowledged.
  public var sendBuffer = 2 * 1024 * 1024
  /// The bounds of the retransmission timeout in microseconds. RFC 9260 recommends 1 s at least, which conversations notice;
  /// acknowledgements wait for 200 ms at most.
  public var initialTimeout: Int64 = 1_000_000
  public var shortestTimeout: Int64 = 400_000
  public var longestTimeout: Int64 = 10_000_000
  /// The number of timeouts in a row after which the association, or its start, has failed (RFC 9260 §16).
  public var maximumTimeouts = 10
  public var maximumStarts = 8
  /// Microseconds of silence after which a heartbeat is sent (RFC 9260 §8.3).
  public var heartbeatInterval: Int64 = 30_000_000

  public init() {}
}

/// What happened to an association.
public enum SCTPEvent: Sendable, Hashable {
  /// Messages can be sent, on streams below this number.
  case connected(streams: Int)
  case message(SCTPMessage)
  /// The other side closed its direction of these streams; all of them if empty (RFC 6525).
  case remoteReset([UInt16])
  /// This side's direction of these streams is closed. Their next message begins anew; false if the other side refused.
  case localReset([UInt16], isAccepted: Bool)
  /// The unsent bytes of the stream fell to its threshold.
  case bufferedAmountLow(stream: UInt16)
  /// The association has ended; last event.
  case closed(SCTPClosure)
}

/// The reason why an association ended.
public enum SCTPClosure: Error, Sendable, Hashable {
  /// Either side asked for it, and all messages have been acknowledged.
  case shutdown
  /// This side aborted.
  case aborted
  /// The other side aborted with this cause (RFC 9260 §3.3.10); nil if it gave none.
  case abortedByRemote(cause: UInt16?)
  /// The other side did not answer the first packets.
  case noAnswer
  /// The other side stopped acknowledging.
  case lost
  /// The other side violated the protocol.
  case violation(SCTPViolation)
  /// The other side lost its state and began again.
  case restarted
}

/// A violation of the protocol that ends an association.
public enum SCTPViolation: String, Sendable, Hashable {
  /// A DATA chunk without data (RFC 9260 §3.3.10.9).
  case emptyData
  /// A message that is longer than this side announced (`a=max-message-size`).
  case messageTooLong
  /// An acknowledgement of data that was never sent.
  case unsentAcknowledged
  /// An INIT-ACK without a cookie, or with one that does not fit into a packet.
  case cookie
}

/// The reason why a message was not accepted.
public enum SCTPSendError: Error, Sendable, Hashable {
  /// The association is not connected, or is ending.
  case notConnected
  /// The stream is not one of the association's.
  case noSuchStream
  /// The stream is being reset.
  case resetting
  /// SCTP carries no empty message.
  case empty
  /// The send buffer is full; `bufferedAmountLow` tells when to continue.
  case bufferFull
}
