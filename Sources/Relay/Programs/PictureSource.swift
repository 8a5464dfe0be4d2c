import RoomCodecs
import RoomRTP

/// A track's frames as H.264 pictures. H.264 passes through; other codecs are transcoded. While no picture arrives, the last
/// one is repeated.
struct PictureSource {
  /// The maximum length of the group from which the last picture is decoded when no more arrive.
  private static let longestGroup = 600
  private static let largestGroup = 8 << 20
  /// The interval between repeated pictures in µs.
  private static let stillInterval: Int64 = 200_000

  let stillAfter: Int64
  /// The pacing of transcoded pictures.
  private var pace: TranscodePace
  /// The H.264 pictures since the last key frame, decoded only if a still picture is needed.
  private var group: [[UInt8]] = []
  private var groupBytes = 0
  private var transcoder: Transcoder?
  private var still: Still?
  private var lastTime: MediaTime?
  private var lastArrival: Instant?
  /// The time from a picture's media time to its arrival in µs.
  private var lag: Int64 = 0
  /// Pictures were dropped: pictures up to the next key frame cannot be shown.
  private var needsKeyFrame = true

  init(_ settings: ForwardProgram.Settings) {
    stillAfter = settings.stillAfter
    pace = TranscodePace(settings)
  }

  /// Reports the connection's state; called once a second. The rate of pictures that pass through cannot be reduced.
  mutating func uplinkReported(queued: Int, dropped: UInt64) {
    if transcoder != nil { pace.uplinkReported(queued: queued, dropped: dropped) }
  }

  /// Marks a discontinuity: the following pictures do not continue the previous ones.
  mutating func restart() { needsKeyFrame = true }

  /// Returns true if the publisher must be asked for the key frame.
  mutating func wantKeyFrame() -> Bool {
    still?.wantsKeyFrame = true
    guard let transcoder else { return true }
    transcoder.wantsKeyFrame = true
    return false
  }

  mutating func take(
    _ frame: EncodedFrame, _ format: PayloadFormat, at time: MediaTime, now: Instant, _ output: (EncodedPicture) -> Void
  ) {
    if needsKeyFrame {
      guard frame.isKeyFrame else { return }
      needsKeyFrame = false
    }
    // The track resumes after a still picture; timestamps never decrease.
    still = nil
    let time = max(time, lastTime.map { $0.advanced(microseconds: 1) } ?? time)
    lastTime = time
    lastArrival = now
    lag = min(max(0, now.mediaTime - time), 1_000_000)
    guard format == .h264 else {
      group = []
      groupBytes = 0
      transcode(frame, format, at: time, output)
      return
    }
    transcoder = nil
    remember(frame)
    output(EncodedPicture(data: frame.data, timestamp: time, isKeyFrame: frame.isKeyFrame))
  }

  /// Repeats the last picture if none arrived for a while.
  mutating func advance(to now: Instant, _ output: (EncodedPicture) -> Void) {
    guard let lastArrival, var time = lastTime, now - lastArrival >= stillAfter else { return }
    if still == nil {
      guard let picture = transcoder?.last ?? decodeGroup() else {
        // There is nothing to show until the next pause.
        self.lastArrival = nil
        return
      }
      still = Still(picture)
      needsKeyFrame = true
    }
    // As late as the track's own pictures, without catching up on what a stalled thread missed.
    time = max(time, now.mediaTime.advanced(microseconds: -(lag + stillAfter + Self.stillInterval)))
    while now.mediaTime - time >= lag + Self.stillInterval {
      time = time.advanced(microseconds: Self.stillInterval)
      if let picture = still?.next(at: time) { output(picture) }
    }
    lastTime = time
  }

  private mutating func remember(_ frame: EncodedFrame) {
    if frame.isKeyFrame {
      group.removeAll(keepingCapacity: true)
      groupBytes = 0
    }
    guard group.count < Self.longestGroup, groupBytes + frame.data.count <= Self.largestGroup else { return }
    group.append(frame.data)
    groupBytes += frame.data.count
  }

  private func decodeGroup() -> VideoFrame? {
    guard !group.isEmpty, let decoder = try? H264Decoder() else { return nil }
    var last: VideoFrame?
    for data in group { last = (try? decoder.decode(data, timestamp: .zero)) ?? last }
    return last
  }

  private mutating func transcode(
    _ frame: EncodedFrame, _ format: PayloadFormat, at time: MediaTime, _ output: (EncodedPicture) -> Void
  ) {
    if transcoder?.format != format { transcoder = Transcoder(format) }
    guard let transcoder else { return }
    if let picture = transcoder.take(frame.data, at: time, &pace) {
      output(picture)
    } else if transcoder.isBroken {
      needsKeyFrame = true
    }
  }
}

/// Decodes one format and encodes H.264 at the source's size and the given pace.
private final class Transcoder {
  let format: PayloadFormat
  private let decoder: any VideoDecoder
  private var encoder: H264Encoder?
  private(set) var last: VideoFrame?
  private(set) var isBroken = false
  var wantsKeyFrame = false

  init?(_ format: PayloadFormat) {
    guard let decoder = try? format.makeVideoDecoder() else { return nil }
    self.decoder = decoder
    self.format = format
  }

  /// Returns the encoded picture, or nil if it is skipped or cannot be decoded.
  func take(_ data: [UInt8], at time: MediaTime, _ pace: inout TranscodePace) -> EncodedPicture? {
    do {
      isBroken = false
      guard let picture = try decoder.decode(data, timestamp: time) else { return nil }
      last = picture
      let isTaken = pace.takes(width: picture.width, height: picture.height, at: time)
      guard isTaken || wantsKeyFrame else { return nil }
      let settings = pace.encoder
      if let encoder {
        if encoder.settings != settings { try encoder.reconfigure(settings) }
      } else {
        encoder = try H264Encoder(settings, profile: .main, speed: .superfast)
      }
      defer { wantsKeyFrame = false }
      return try encoder?.encode(picture, forceKeyFrame: wantsKeyFrame)
    } catch {
      isBroken = true
      return nil
    }
  }
}

/// Encodes one picture repeatedly.
private final class Still {
  private let picture: VideoFrame
  private let encoder: H264Encoder?
  var wantsKeyFrame = true

  init(_ picture: VideoFrame) {
    self.picture = picture
    let usual = MixPicture.defaultBitrate(width: picture.width, height: picture.height, fps: 8)
    encoder = try? H264Encoder(
      VideoEncoderSettings(
        width: max(2, picture.width & ~1), height: max(2, picture.height & ~1), fps: 5,
        bitrate: min(max(100_000, usual), 2_000_000),
        keyFrameInterval: 10),
      profile: .main)
  }

  func next(at time: MediaTime) -> EncodedPicture? {
    var frame = picture
    frame.timestamp = time
    defer { wantsKeyFrame = false }
    return try? encoder?.encode(frame, forceKeyFrame: wantsKeyFrame)
  }
}
