import RoomCodecs
import RoomRTMP
import RoomRTP
import RoomProtocol
import RoomRelay
import RoomSFU
import RoomWebRTC

/// Converts the RTMP messages of a stream to packets of a room's tracks. It has one owner at a time. Packets are lost until
/// their track exists: after `take` requests a track, the owner passes no more messages until it has called `begin`.
final class IngestPipe {
  /// A track that the stream requires.
  struct TrackRequest: Sendable {
    var kind: TrackKind
    var codec: RTPCodec
    var width: Int?
    var height: Int?
    var fps: Int?
    /// What the track is transcoded from; nil if it passes.
    var source: String?
  }

  /// The counts of a stream, for the log.
  struct Tally: Sendable, Hashable {
    var pictures = 0
    var packets = 0
    var malformed = 0
    var jumps = 0
    var lost = 0
  }

  /// The conversion state of one track.
  private struct Track {
    let injection: TrackInjection
    let base = UInt32.random(in: .min ... .max)
    /// The media time of the last report.
    var reported: MediaTime?
    /// The key frame requests that were passed on.
    var requests = 0
  }

  /// Microseconds of media between two reports.
  private static let reportInterval: UInt64 = 1_000_000

  private var timeline = IngestTimeline()
  private var video = IngestVideo()
  private let audio: IngestAudio
  private var audioTrack: Track?
  private var videoTrack: Track?
  private var metadata = StreamMetadata()
  private var counted = Tally()
  private var stage: TranscodingStage?
  private var hasRequestedVideo = false
  private let packetizer = H264Packetizer()

  init() throws(IngestError) { audio = try IngestAudio() }

  deinit { stage?.end() }

  /// Converts the next message. Returns a track that must exist before the next call.
  /// - Parameter transcode: makes the stage that transcodes the video, if the video needs that. Its arguments are the profile, and
  ///   the time of the last picture before. The stage's output goes to ``take(transcoded:)``.
  func take(
    _ message: MediaMessage, now: Instant, wall: Int64, transcode: (H264Encoder.Profile, MediaTime?) -> TranscodingStage
  ) throws(IngestError) -> TrackRequest? {
    switch message.kind {
    case .data:
      if let metadata = StreamMetadata(message) { self.metadata = metadata }
      return nil
    case .audio:
      guard let time = timeline.time(of: message.timestamp, now: now, wall: wall) else { return nil }
      let packets = try audio.take(message.payload, at: time)
      if audioTrack == nil, audio.hasBegun { return TrackRequest(kind: .audio, codec: .opus) }
      send(packets)
      return nil
    case .video:
      guard let time = timeline.time(of: message.timestamp, now: now, wall: wall) else { return nil }
      switch try video.take(message.payload, at: time) {
      case .nothing: return nil
      case .format(let codec, let width, let height):
        hasRequestedVideo = true
        return TrackRequest(kind: .video, codec: codec, width: width, height: height, fps: fps)
      case .picture(let payloads, let shown):
        send(payloads, at: shown)
        return nil
      case .transcode(let samples):
        guard let transcoding = video.transcoding else { return nil }
        let stage = self.stage ?? transcode(video.profile.map { H264Encoder.Profile($0) } ?? .baseline, transcoding.sent)
        self.stage = stage
        for sample in samples { stage.take(sample) }
        return nil
      }
    }
  }

  /// Sends transcoded pictures. Returns a track that is required first; pictures are lost until ``begin(_:_:)``.
  func take(transcoded pictures: [EncodedPicture]) -> TrackRequest? {
    guard let stage, let transcoding = video.transcoding else { return nil }
    if let track = videoTrack {
      let requests = track.injection.keyFrameRequests
      if requests != track.requests {
        videoTrack?.requests = requests
        stage.requestKeyFrame()
      }
      for picture in pictures {
        guard let payloads = try? packetizer.packetize(picture.data), !payloads.isEmpty else { continue }
        send(payloads, at: picture.timestamp)
      }
      return nil
    }
    guard !hasRequestedVideo, let picture = pictures.first(where: \.isKeyFrame) else { return nil }
    hasRequestedVideo = true
    let payloads = (try? packetizer.packetize(picture.data)) ?? []
    let size = payloads.lazy.compactMap { payload in payload.withUnsafeBytes { H264.pictureSize($0) } }.first
    return TrackRequest(
      kind: .video, codec: .h264(.constrainedBaseline), width: size?.width, height: size?.height, fps: fps,
      source: "\(transcoding.reason)")
  }

  /// Sets the volume of the sound: 1 is that of the stream.
  func setGain(_ gain: Double) { audio.gain = gain }

  /// Whether the track of the video exists.
  var hasVideoTrack: Bool { videoTrack != nil }

  /// Why the video is transcoded; nil if it passes.
  var transcoding: IngestVideo.Reason? { video.transcoding?.reason }

  private var fps: Int? { metadata.frameRate.map { Int(min(max($0, 1), 1000).rounded()) } }

  /// Starts a track that `take` requested.
  func begin(_ kind: TrackKind, _ injection: TrackInjection) {
    switch kind {
    case .audio: audioTrack = Track(injection: injection)
    case .video:
      videoTrack = Track(injection: injection)
      // Pictures up to now are lost.
      stage?.requestKeyFrame()
    }
  }

  private func send(_ packets: [IngestAudio.Packet]) {
    guard var track = audioTrack, !packets.isEmpty else { return }
    for packet in packets {
      let timestamp = track.base &+ UInt32(truncatingIfNeeded: packet.position)
      report(&track, at: MediaTime(ticks: packet.position, rate: 48_000), timestamp)
      track.injection.send(packet.payload, timestamp: timestamp, marker: false, level: packet.level)
      counted.packets += 1
    }
    track.injection.commit()
    audioTrack = track
  }

  private func send(_ payloads: [[UInt8]], at time: MediaTime) {
    guard var track = videoTrack, let last = payloads.indices.last else { return }
    let timestamp = track.base &+ time.rtpTimestamp(rate: 90_000)
    report(&track, at: time, timestamp)
    for (index, payload) in payloads.enumerated() {
      track.injection.send(payload, timestamp: timestamp, marker: index == last)
    }
    track.injection.commit()
    videoTrack = track
    counted.pictures += 1
    counted.packets += payloads.count
  }

  private func report(_ track: inout Track, at time: MediaTime, _ timestamp: UInt32) {
    if let reported = track.reported, (time - reported).magnitude < Self.reportInterval { return }
    track.reported = time
    track.injection.report(timeline.ntp(at: time), timestamp: timestamp)
  }

  var tally: Tally {
    var tally = counted
    tally.malformed = video.malformed + audio.malformed
    tally.jumps = audio.jumps
    tally.lost = (audioTrack?.injection.lost ?? 0) + (videoTrack?.injection.lost ?? 0) + (stage?.lost ?? 0)
    return tally
  }
}

extension H264Encoder.Profile {
  /// The profile whose pictures a receiver of `profile` decodes.
  fileprivate init(_ profile: H264Profile) {
    switch profile {
    case .constrainedBaseline, .baseline: self = .baseline
    case .main: self = .main
    case .constrainedHigh, .high: self = .high
    }
  }
}
