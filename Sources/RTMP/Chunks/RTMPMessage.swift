public import RoomRTP

/// The type of a message (RTMP 1.0 §5.4, §7.1).
public struct MessageType: RawRepresentable, Hashable, Sendable {
  /// The byte on the wire.
  public var rawValue: UInt8

  /// Creates the type with this number.
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

/// The message stream of a message (RTMP 1.0 §5.3.1.2.5): 0 for the connection itself, otherwise one that createStream created.
public struct MessageStreamID: RawRepresentable, Hashable, Sendable {
  /// The 32 bits on the wire.
  public var rawValue: UInt32

  /// Creates the id with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Creates the id with this number; a shorter form of `init(rawValue:)`.
  public init(_ value: UInt32) { rawValue = value }

  /// The stream of the connection itself.
  public static let connection = Self(0)
}

/// A complete message, assembled from its chunks.
public struct RTMPMessage: Hashable, Sendable {
  /// The type of the payload.
  public var type: MessageType
  /// The message stream.
  public var stream: MessageStreamID
  /// Milliseconds, modulo 2³².
  public var timestamp: UInt32
  /// The bytes after the message's header.
  public var payload: [UInt8]

  /// Creates a message.
  public init(type: MessageType, stream: MessageStreamID = .connection, timestamp: UInt32 = 0, payload: [UInt8]) {
    self.type = type
    self.stream = stream
    self.timestamp = timestamp
    self.payload = payload
  }
}

/// Audio, video or data of a stream, as carried by an RTMP message or an FLV tag of that type.
public struct MediaMessage: Hashable, Sendable {
  /// The kind of the payload.
  public enum Kind: Sendable, CaseIterable {
    case audio, video
    /// AMF0 values, the first of which is a name: onMetaData.
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

  /// The kind of the payload.
  public var kind: Kind
  /// The decoding time in milliseconds, modulo 2³².
  public var timestamp: UInt32
  /// The bytes from the FLV tag's audio or video header on (FLV 10.1 §E.4.2, §E.4.3), or the AMF0 values.
  public var payload: [UInt8]

  /// Creates a message.
  public init(_ kind: Kind, timestamp: UInt32, payload: [UInt8]) {
    self.kind = kind
    self.timestamp = timestamp
    self.payload = payload
  }

  /// Creates a message with a time on its stream's timeline.
  public init(_ kind: Kind, at time: MediaTime, payload: [UInt8]) {
    self.init(kind, timestamp: Self.timestamp(of: time), payload: payload)
  }

  /// Returns the milliseconds since the timeline's start, modulo 2³².
  public static func timestamp(of time: MediaTime) -> UInt32 { UInt32(truncatingIfNeeded: time.milliseconds) }

  /// Returns nil if the message is none of the three. Removes the leading format byte of data in AMF3 form (§7.1.2).
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
