public import RTP

/// What a message carries (RTMP 1.0 §5.4, §7.1).
public struct MessageType: RawRepresentable, Hashable, Sendable {
  /// The byte of the wire.
  public var rawValue: UInt8

  /// The type with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Set Chunk Size (§5.4.1).
  public static let setChunkSize = Self(rawValue: 1)
  /// Abort Message (§5.4.2).
  public static let abort = Self(rawValue: 2)
  /// Acknowledgement (§5.4.3).
  public static let acknowledgement = Self(rawValue: 3)
  /// User Control (§6.2).
  public static let userControl = Self(rawValue: 4)
  /// Window Acknowledgement Size (§5.4.4).
  public static let windowAcknowledgementSize = Self(rawValue: 5)
  /// Set Peer Bandwidth (§5.4.5).
  public static let setPeerBandwidth = Self(rawValue: 6)
  /// Audio (§7.1.4).
  public static let audio = Self(rawValue: 8)
  /// Video (§7.1.5).
  public static let video = Self(rawValue: 9)
  /// Data in AMF3 form (§7.1.2).
  public static let dataAMF3 = Self(rawValue: 15)
  /// Shared object in AMF3 form (§7.1.3).
  public static let sharedObjectAMF3 = Self(rawValue: 16)
  /// Command in AMF3 form (§7.1.1).
  public static let commandAMF3 = Self(rawValue: 17)
  /// Data in AMF0 form (§7.1.2).
  public static let data = Self(rawValue: 18)
  /// Shared object in AMF0 form (§7.1.3).
  public static let sharedObject = Self(rawValue: 19)
  /// Command in AMF0 form (§7.1.1).
  public static let command = Self(rawValue: 20)
  /// Aggregate (§7.1.6).
  public static let aggregate = Self(rawValue: 22)
}

/// The message stream that a message belongs to (RTMP 1.0 §5.3.1.2.5): 0 for the connection itself, else one that createStream
/// made.
public struct MessageStreamID: RawRepresentable, Hashable, Sendable {
  /// The 32 bits of the wire.
  public var rawValue: UInt32

  /// The stream with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The same as `init(rawValue:)`, shorter.
  public init(_ value: UInt32) { rawValue = value }

  /// The connection's own.
  public static let connection = Self(0)
}

/// A whole message, put together from its chunks.
public struct RTMPMessage: Hashable, Sendable {
  /// What the payload is.
  public var type: MessageType
  /// Which stream it belongs to.
  public var stream: MessageStreamID
  /// Milliseconds, modulo 2³².
  public var timestamp: UInt32
  /// Everything after the message's header.
  public var payload: [UInt8]

  /// A message of these parts.
  public init(type: MessageType, stream: MessageStreamID = .connection, timestamp: UInt32 = 0, payload: [UInt8]) {
    self.type = type
    self.stream = stream
    self.timestamp = timestamp
    self.payload = payload
  }
}

/// Audio, video or data of a stream: what an RTMP message of that type carries, and an FLV tag likewise.
public struct MediaMessage: Hashable, Sendable {
  /// What the payload is.
  public enum Kind: Sendable, CaseIterable {
    case audio, video
    /// AMF0 values, the first of them a name: onMetaData.
    case data

    /// The type of the RTMP message, and of the FLV tag.
    public var messageType: MessageType {
      switch self {
      case .audio: .audio
      case .video: .video
      case .data: .data
      }
    }
  }

  /// What the payload is.
  public var kind: Kind
  /// Milliseconds, modulo 2³²: the decoding time.
  public var timestamp: UInt32
  /// From the FLV tag's audio or video header on (FLV 10.1 §E.4.2, §E.4.3), or the AMF0 values.
  public var payload: [UInt8]

  /// A message of these parts.
  public init(_ kind: Kind, timestamp: UInt32, payload: [UInt8]) {
    self.kind = kind
    self.timestamp = timestamp
    self.payload = payload
  }

  /// A message of a time on its stream's timeline.
  public init(_ kind: Kind, at time: MediaTime, payload: [UInt8]) {
    self.init(kind, timestamp: Self.timestamp(of: time), payload: payload)
  }

  /// Milliseconds since the timeline's start, modulo 2³².
  public static func timestamp(of time: MediaTime) -> UInt32 { UInt32(truncatingIfNeeded: time.milliseconds) }

  /// Nil where the message is none of the three. Data in AMF3 form loses its leading format byte (§7.1.2).
  public init?(_ message: RTMPMessage) {
    switch message.type {
    case .audio: self.init(.audio, timestamp: message.timestamp, payload: message.payload)
    case .video: self.init(.video, timestamp: message.timestamp, payload: message.payload)
    case .data: self.init(.data, timestamp: message.timestamp, payload: message.payload)
    case .dataAMF3:
      let payload = message.payload.first == 0 ? Array(message.payload.dropFirst()) : message.payload
      self.init(.data, timestamp: message.timestamp, payload: payload)
    default: return nil
    }
  }
}
