import RTMP
import RTP

/// What one viewer got so far.
struct ViewerReception: Sendable {
  /// Of audio and video each: how many frames came, and the last one's timestamp.
  struct Kind: Sendable {
    var frames = 0
    var last: UInt32?
    /// Frames whose timestamp is not above that of the one before.
    var disordered = 0
    /// Milliseconds of the longest step from one timestamp to the next, since it was last forgotten.
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
  /// Bytes of the frames' payload, and all that the socket gave.
  var payload = 0
  var bytes = 0
  /// When the first picture came whole that a decoder can begin with.
  var firstPicture: Instant?

  var frames: Int { audio.frames &+ video.frames }

  /// Counts a message that has come whole; headers and metadata are no frames.
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

/// A message that was passed over: its header, and what its first two bytes say.
struct ScannedMessage: Equatable {
  enum Kind {
    case audioFrame, videoFrame
    /// A video frame that a decoder can begin with.
    case keyFrame
    /// A decoder's configuration, metadata, or none of the three.
    case other
  }

  var type: MessageType
  var timestamp: UInt32 = 0
  /// Bytes of payload.
  var length: Int
  /// The payload's first two bytes, as far as there are so many.
  var first: UInt8 = 0
  var second: UInt8 = 0

  /// For H.264 and AAC in the form of FLV 10.1 §E.4.2 and §E.4.3, which all that is published here has.
  var kind: Kind {
    switch type {
    case .audio: length >= 2 && second == 1 ? .audioFrame : .other
    case .video where length >= 2 && second == 1: first >> 4 == 1 ? .keyFrame : .videoFrame
    default: .other
    }
  }
}
