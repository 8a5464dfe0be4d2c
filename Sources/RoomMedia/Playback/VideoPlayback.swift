import RoomCodecs
import RoomRTP
import RoomClient
import Synchronization

/// Decodes a remote video track to pictures.
///
/// If a frame cannot be decoded, the playback requests a key frame and shows nothing until it arrives. Decoding runs from the
/// start, even if no one reads the pictures. A playback that is released stops.
public final class VideoPlayback: Sendable {
  /// The counters of a playback since its start.
  public struct Statistics: Sendable, Hashable {
    /// The number of decoded pictures.
    public var decoded: UInt64 = 0
    /// The number of encoded frames that could not be decoded.
    public var failed: UInt64 = 0
    /// The number of encoded frames skipped while waiting for a key frame.
    public var skipped: UInt64 = 0
    /// The number of pictures that were not read in time.
    public var unread: UInt64 = 0
  }

  /// The interval of key frame requests until a key frame arrives.
  static let patience = Duration.milliseconds(500)

  /// The decoded track.
  public let track: RemoteTrack
  /// The pictures, for one reader. The stream ends with the subscription. Timestamps are on the publisher's clock.
  public let frames: AsyncStream<VideoFrame>
  private let shared: Shared
  private let task: Task<Void, Never>

  fileprivate final class Shared: Sendable {
    let statistics = Mutex(Statistics())
  }

  /// Starts to decode a track.
  /// - Parameters:
  ///   - track: a video track in H.264, VP8, VP9 or AV1.
  ///   - backlog: the number of pictures that the reader may leave unread. Beyond it the oldest are dropped.
  /// - Throws: `CodecError.unavailable` for an audio track or an unsupported codec.
  public init(_ track: RemoteTrack, backlog: Int = 4) throws(CodecError) {
    let decoding = VideoDecoding(try Self.decoder(for: track))
    let (frames, continuation) = AsyncStream.makeStream(
      of: VideoFrame.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    let shared = Shared()
    // Subscribed here and not in the task, so that no frame from now on is missed.
    let encoded = track.frames
    self.track = track
    self.frames = frames
    self.shared = shared
    task = Task { await decoding.run(encoded, of: track, continuation, shared) }
  }

  deinit { task.cancel() }

  /// The counters of a playback since its start.
  public var statistics: Statistics { shared.statistics.withLock { $0 } }

  private static func decoder(for track: RemoteTrack) throws(CodecError) -> sending any VideoDecoder {
    switch track.codec {
    case .h264: try H264Decoder()
    case .vp8: try VP8Decoder()
    case .vp9: try VP9Decoder()
    case .av1: try AV1Decoder()
    default: throw .unavailable(codec: track.codec.rawValue, reason: "no video decoder is available")
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
        // Counted first, so that the counters include every picture that the reader has.
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
