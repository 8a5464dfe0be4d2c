/// A message about the connection itself, of the chunk stream or of the user control protocol (RTMP 1.0 §5.4, §6.2).
public enum ControlMessage: Hashable, Sendable {
  /// Maximum payload bytes of the following chunks (§5.4.1).
  case setChunkSize(UInt32)
  /// The unfinished message of this chunk stream will not be continued (§5.4.2).
  case abort(chunkStream: UInt32)
  /// Total bytes received, modulo 2³² (§5.4.3).
  case acknowledgement(UInt32)
  /// The number of bytes after which to acknowledge (§5.4.4).
  case windowAcknowledgementSize(UInt32)
  /// The maximum number of bytes that the peer may have unacknowledged (§5.4.5).
  case setPeerBandwidth(UInt32, BandwidthLimit)
  /// An event of a stream or of the connection (§6.2, §7.1.7).
  case user(UserControlEvent)

  /// The limit type of Set Peer Bandwidth (§5.4.5).
  public enum BandwidthLimit: UInt8, Sendable {
    case hard = 0
    case soft = 1
    case dynamic = 2
  }

  /// Returns nil if the message is not a control message, or is too short. Ignores additional bytes.
  public init?(_ message: RTMPMessage) {
    let parsed: Self? = message.payload.withUnsafeBytes { payload in
      var reader = ByteReader(payload)
      if message.type == .userControl { return UserControlEvent(&reader).map(Self.user) }
      guard let value = reader.uint32() else { return nil }
      switch message.type {
      case .setChunkSize: return .setChunkSize(value)
      case .abort: return .abort(chunkStream: value)
      case .acknowledgement: return .acknowledgement(value)
      case .windowAcknowledgementSize: return .windowAcknowledgementSize(value)
      case .setPeerBandwidth: return .setPeerBandwidth(value, reader.uint8().flatMap(BandwidthLimit.init) ?? .dynamic)
      default: return nil
      }
    }
    guard let parsed else { return nil }
    self = parsed
  }

  /// The encoded message.
  public var message: RTMPMessage {
    var payload: [UInt8] = []
    let type: MessageType
    switch self {
    case .setChunkSize(let size):
      type = .setChunkSize
      payload.append32(size)
    case .abort(let chunkStream):
      type = .abort
      payload.append32(chunkStream)
    case .acknowledgement(let count):
      type = .acknowledgement
      payload.append32(count)
    case .windowAcknowledgementSize(let size):
      type = .windowAcknowledgementSize
      payload.append32(size)
    case .setPeerBandwidth(let size, let limit):
      type = .setPeerBandwidth
      payload.append32(size)
      payload.append(limit.rawValue)
    case .user(let event):
      type = .userControl
      event.append(to: &payload)
    }
    return RTMPMessage(type: type, payload: payload)
  }
}

/// A user control event (RTMP 1.0 §7.1.7).
public enum UserControlEvent: Hashable, Sendable {
  /// The stream is usable from now on.
  case streamBegin(MessageStreamID)
  /// The stream's data has ended.
  case streamEnd(MessageStreamID)
  /// The stream has no more data for now.
  case streamDry(MessageStreamID)
  /// The client's buffer for a stream, in milliseconds.
  case setBufferLength(MessageStreamID, milliseconds: UInt32)
  /// The stream is a recorded one.
  case streamIsRecorded(MessageStreamID)
  /// A ping, to be answered with the same time.
  case pingRequest(UInt32)
  /// The answer to a ping.
  case pingResponse(UInt32)
  /// An event that the specification does not define.
  case other(UInt16)

  init?(_ reader: inout ByteReader) {
    guard let number = reader.uint16() else { return nil }
    guard (0...4).contains(number) || number == 6 || number == 7 else {
      self = .other(number)
      return
    }
    guard let value = reader.uint32() else { return nil }
    switch number {
    case 0: self = .streamBegin(MessageStreamID(value))
    case 1: self = .streamEnd(MessageStreamID(value))
    case 2: self = .streamDry(MessageStreamID(value))
    case 3:
      guard let milliseconds = reader.uint32() else { return nil }
      self = .setBufferLength(MessageStreamID(value), milliseconds: milliseconds)
    case 4: self = .streamIsRecorded(MessageStreamID(value))
    case 6: self = .pingRequest(value)
    default: self = .pingResponse(value)
    }
  }

  func append(to payload: inout [UInt8]) {
    let (number, values): (UInt16, [UInt32]) =
      switch self {
      case .streamBegin(let stream): (0, [stream.rawValue])
      case .streamEnd(let stream): (1, [stream.rawValue])
      case .streamDry(let stream): (2, [stream.rawValue])
      case .setBufferLength(let stream, let milliseconds): (3, [stream.rawValue, milliseconds])
      case .streamIsRecorded(let stream): (4, [stream.rawValue])
      case .pingRequest(let time): (6, [time])
      case .pingResponse(let time): (7, [time])
      case .other(let number): (number, [])
      }
    payload.append16(number)
    for value in values { payload.append32(value) }
  }
}
