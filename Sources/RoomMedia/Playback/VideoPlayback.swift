import Codecs
import RTP
import RoomClient
import Synchronization

/// Decodes a remote video track into pictures.
///
/// A picture that cannot be decoded makes it ask for a key frame and show nothing more before that. Pictures are made from the
/// start on, whether they are read or not; a playback that is let go stops.
public final class VideoPlayback: Sendable {
  /// What was done so far.
  public struct Statistics: Sendable, Hashable {
    /// Pictures decoded.
    public var decoded: UInt64 = 0
    /// Encoded frames that could not be decoded.
    public var failed: UInt64 = 0
    /// Encoded frames passed over while waiting for a key frame.
    public var skipped: UInt64 = 0
    /// Pictures that were not read in time.
    public var unread: UInt64 = 0
  }

  /// How often a key frame is asked for while none comes.
  static let patience = Duration.milliseconds(500)

  /// What is decoded.
  public let track: RemoteTrack
  /// The pictures, for one reader; ends with the subscription. Timestamps are on the publisher's clock.
  public let frames: AsyncStream<VideoFrame>
  private let shared: Shared
  private let task: Task<Void, Never>

  fileprivate final class Shared: Sendable {
    let statistics = Mutex(Statistics())
  }

  /// - Parameter backlog: pictures that the reader may leave unread; beyond it the oldest are dropped.
  /// - Throws: `CodecError.unavailable` for a codec that cannot be decoded here, or audio.
  public init(_ track: RemoteTrack, backlog: Int = 4) throws(CodecError) {
    let decoding = VideoDecoding(try Self.decoder(for: track))
    let (frames, continuation) = AsyncStream.makeStream(
      of: VideoFrame.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    let shared = Shared()
    // Taken here, not in the task: what arrives from now on is not missed.
    let encoded = track.frames
    self.track = track
    self.frames = frames
    self.shared = shared
    task = Task { await decoding.run(encoded, of: track, continuation, shared) }
  }

  deinit { task.cancel() }

  /// What was done so far.
  public var statistics: Statistics { shared.statistics.withLock { $0 } }

  private static func decoder(for track: RemoteTrack) throws(CodecError) -> sending any VideoDecoder {
    switch track.codec {
    case "h264": try H264Decoder()
    case "vp8": try VP8Decoder()
    case "vp9": try VP9Decoder()
    case "av1": try AV1Decoder()
    default: throw .unavailable(codec: track.codec, reason: "there is no video decoder for it here")
    }
  }
}

private actor VideoDecoding {
  private let decoder: any VideoDecoder
  private var times = TimestampUnwrapper()
  private var needsKeyFrame = false
  private var lastRequest: ContinuousClock.Instant?

  init(_ decoder: sending any VideoDecoder) { self.decoder = decoder }

  func run(
    _ frames: AsyncStream<EncodedFrame>, of track: RemoteTrack, _ pictures: AsyncStream<VideoFrame>.Continuation,
    _ shared: VideoPlayback.Shared
  ) async {
    defer { pictures.finish() }
    for await frame in frames {
      let time = MediaTime(ticks: times.unwrap(frame.timestamp), rate: 90_000)
      if needsKeyFrame, !frame.isKeyFrame {
        shared.statistics.withLock { $0.skipped += 1 }
        requestKeyFrame(track)
        continue
      }
      do throws(CodecError) {
        guard let picture = try decoder.decode(frame.data, timestamp: time) else { continue }
        needsKeyFrame = false
        // First the number: who reads a picture finds it counted.
        let count = shared.statistics.withLock { statistics in
          statistics.decoded += 1
          return statistics.decoded
        }
        if count == 1 { track.reportDecoded() }
        if case .dropped = pictures.yield(picture) { shared.statistics.withLock { $0.unread += 1 } }
      } catch {
        needsKeyFrame = true
        shared.statistics.withLock { $0.failed += 1 }
        requestKeyFrame(track)
      }
    }
  }

  private func requestKeyFrame(_ track: RemoteTrack) {
    let now = ContinuousClock.now
    if let lastRequest, now - lastRequest < VideoPlayback.patience { return }
    lastRequest = now
    track.requestKeyFrame()
  }
}
