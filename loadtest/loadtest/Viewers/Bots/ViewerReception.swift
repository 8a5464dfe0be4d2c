import RoomRTMP
import RoomRTP

/// What one viewer has received so far.
struct ViewerReception: Sendable {
  /// For audio or video: the number of frames and the last timestamp.
  struct Kind: Sendable {
    var frames = 0
    var last: UInt32?
    /// Frames whose timestamp is not greater than that of the previous one.
    var disordered = 0
    /// The longest step from one timestamp to the next since the last reset, in milliseconds.
    var longestStep: UInt32 = 0

    mutating func count(_ timestamp: UInt32) {
      frames &+= 1
      if let last {
        if timestamp <= last { disordered &+= 1 } else { longestStep = max(longestStep, timestamp - last) }
      }
      last = timestamp
    }
  }

  var audio = Kind()
  var video = Kind()
  /// Bytes of the frames' payload, and all bytes read from the socket.
  var payload = 0
  var bytes = 0
  /// When the first complete key frame arrived.
  var firstPicture: Instant?

  var frames: Int { audio.frames &+ video.frames }

  /// Counts a complete message. Headers and metadata do not count as frames.
  mutating func count(_ message: ScannedMessage, now: Instant) {
    switch message.kind {
    case .audioFrame: audio.count(message.timestamp)
    case .videoFrame: video.count(message.timestamp)
    case .keyFrame:
      video.count(message.timestamp)
      if firstPicture == nil { firstPicture = now }
    case .other: return
    }
    payload &+= message.length
  }
}

/// A scanned message: its header and the first two bytes of its payload.
struct ScannedMessage: Equatable {
  enum Kind {
    case audioFrame, videoFrame
    /// A key frame, with which a decoder can start.
    case keyFrame
    /// A decoder configuration, metadata, or another message.
    case other
  }

  var type: MessageType
  var timestamp: UInt32 = 0
  /// Length of the payload in bytes.
  var length: Int
  /// The payload's first two bytes, if it is long enough.
  var first: UInt8 = 0
  var second: UInt8 = 0

  /// Valid for H.264 and AAC as in FLV 10.1 §E.4.2 and §E.4.3, the only codecs that are published here.
  var kind: Kind {
    switch type {
    case .audio: length >= 2 && second == 1 ? .audioFrame : .other
    case .video where length >= 2 && second == 1: first >> 4 == 1 ? .keyFrame : .videoFrame
    default: .other
    }
  }
}
