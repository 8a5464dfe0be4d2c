import RoomRTMP
import RoomRTP

/// One compressed picture or piece of sound of a live stream.
struct StreamSample: Sendable, Hashable {
  enum Codec: String, Sendable, Hashable {
    case h264 = "H.264"
    case hevc = "HEVC"
    case av1 = "AV1"
    case vp8 = "VP8"
    case vp9 = "VP9"
    case aac = "AAC"
    case opus = "Opus"

    var isVideo: Bool { self != .aac && self != .opus }
    /// Whether it cannot be decoded without a configuration of its container.
    var needsConfiguration: Bool {
      switch self {
      case .h264, .hevc, .av1, .aac: true
      case .vp8, .vp9, .opus: false
      }
    }
  }

  var codec: Codec
  /// The decoder's configuration, as in the sequence header.
  var configuration: [UInt8]
  var data: [UInt8]
  var decodingTime: MediaTime
  /// The time at which it is shown or played.
  var time: MediaTime
  /// Whether decoding can begin here; true for sound.
  var isKeyFrame: Bool
}

/// Makes samples of the messages of one connection.
struct StreamSamples: Sendable {
  private struct Header: Sendable {
    var codec: StreamSample.Codec
    var configuration: [UInt8] = []
  }

  private var video: Header?
  private var audio: Header?
  private var timeline = StreamTimeline()

  /// Returns the sample of a message; nil if it has none, or cannot be decoded without an earlier message.
  /// - Throws: ``StreamFailure/unsupportedCodec(_:)``
  mutating func read(_ message: MediaMessage) throws(StreamFailure) -> StreamSample? {
    guard !message.payload.isEmpty else { return nil }
    return switch message.kind {
    case .video: try picture(message)
    case .audio: try sound(message)
    case .data: nil
    }
  }

  private mutating func picture(_ message: MediaMessage) throws(StreamFailure) -> StreamSample? {
    guard let tag = message.payload.withUnsafeBytes({ VideoTag(parsing: $0) }), tag.frameType != .command, tag.track.id == 0
    else { return nil }
    let codec = try Self.codec(tag.track.codec)
    if tag.isSequenceHeader {
      video = Header(codec: codec, configuration: Array(message.payload[tag.track.body]))
      return nil
    }
    guard tag.packetType == .codedFrames || tag.packetType == .codedFramesX, !tag.track.body.isEmpty,
      let header = header(video, codec)
    else { return nil }
    let decoding = timeline.time(message.timestamp)
    return StreamSample(
      codec: codec, configuration: header.configuration, data: Array(message.payload[tag.track.body]), decodingTime: decoding,
      // A negative composition time would be shown before it is decoded.
      time: decoding.advanced(milliseconds: Int64(max(0, tag.track.compositionTime))), isKeyFrame: tag.isKeyFrame)
  }

  private mutating func sound(_ message: MediaMessage) throws(StreamFailure) -> StreamSample? {
    guard let tag = message.payload.withUnsafeBytes({ AudioTag(parsing: $0) }), tag.track.id == 0 else { return nil }
    let codec = try Self.codec(tag.track.codec)
    if tag.isSequenceHeader {
      audio = Header(codec: codec, configuration: Array(message.payload[tag.track.body]))
      return nil
    }
    guard tag.packetType == .codedFrames, !tag.track.body.isEmpty, let header = header(audio, codec) else { return nil }
    let time = timeline.time(message.timestamp)
    return StreamSample(
      codec: codec, configuration: header.configuration, data: Array(message.payload[tag.track.body]), decodingTime: time,
      time: time, isKeyFrame: true)
  }

  private func header(_ known: Header?, _ codec: StreamSample.Codec) -> Header? {
    if let known, known.codec == codec { return known }
    return codec.needsConfiguration ? nil : Header(codec: codec)
  }

  private static func codec(_ codec: VideoTag.Codec) throws(StreamFailure) -> StreamSample.Codec {
    switch codec {
    case .avc, .fourCC(.avc): .h264
    // Some senders number HEVC like this.
    case .fourCC(.hevc), .other(12): .hevc
    case .fourCC(.av1): .av1
    case .fourCC(.vp8): .vp8
    case .fourCC(.vp9): .vp9
    case .fourCC(let code): throw .unsupportedCodec(code.description)
    case .other(let number): throw .unsupportedCodec("number \(number) of FLV video")
    }
  }

  private static func codec(_ codec: AudioTag.Codec) throws(StreamFailure) -> StreamSample.Codec {
    switch codec {
    case .aac, .fourCC(.aac): .aac
    case .fourCC(.opus): .opus
    case .fourCC(let code): throw .unsupportedCodec(code.description)
    case .other(let number): throw .unsupportedCodec("number \(number) of FLV sound")
    }
  }
}

/// Turns the timestamps of a connection, milliseconds modulo 2³², into times that continue when the source's clock jumps.
struct StreamTimeline: Sendable {
  /// A larger step between two messages is another clock's.
  private static let largestStep: Int64 = 5000
  /// The step that replaces one of another clock.
  private static let usualStep: Int64 = 20

  private var last: UInt32?
  private var milliseconds: Int64 = 0

  mutating func time(_ timestamp: UInt32) -> MediaTime {
    defer { last = timestamp }
    if let last {
      let step = Int64(Int32(bitPattern: timestamp &- last))
      milliseconds += abs(step) > Self.largestStep ? Self.usualStep : step
    }
    return MediaTime(milliseconds: milliseconds)
  }
}
