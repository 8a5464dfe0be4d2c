import RoomRTMP
import RoomRTP
import RoomProtocol
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

  init() throws(IngestError) { audio = try IngestAudio() }

  /// Converts the next message. Returns a track that must exist before the next call.
  func take(_ message: MediaMessage, now: Instant, wall: Int64) throws(IngestError) -> TrackRequest? {
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
        let fps = metadata.frameRate.map { Int(min(max($0, 1), 1000).rounded()) }
        return TrackRequest(kind: .video, codec: codec, width: width, height: height, fps: fps)
      case .picture(let payloads, let shown):
        send(payloads, at: shown)
        return nil
      }
    }
  }

  /// Starts a track that `take` requested.
  func begin(_ kind: TrackKind, _ injection: TrackInjection) {
    switch kind {
    case .audio: audioTrack = Track(injection: injection)
    case .video: videoTrack = Track(injection: injection)
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
    tally.lost = (audioTrack?.injection.lost ?? 0) + (videoTrack?.injection.lost ?? 0)
    return tally
  }
}
