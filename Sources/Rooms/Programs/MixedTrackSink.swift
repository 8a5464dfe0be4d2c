import RoomCodecs
import Foundation
import RoomMixing
import RoomRTP
import RoomRelay
import RoomSFU
import Synchronization

/// Publishes a mix's output into a room as a video track, an audio track, or both: encoded once for all receivers.
final class MixedTrackSink: MixSink {
  /// The output of one track.
  fileprivate struct Output {
    let injection: TrackInjection
    let base = UInt32.random(in: .min ... .max)
    var reported: MediaTime?
  }

  fileprivate struct State {
    var video: Output?
    var audio: Output?
    let opus: OpusEncoder?
    let packetizer = H264Packetizer()
    var waiting: [Int16] = []
    /// Position on the sample grid of the first pending sample.
    var position: Int64 = 0
    var requests = 0
    /// Offset of the wall clock from the media clock.
    let wall: Int64
  }

  /// Interval between two reports, in microseconds of media.
  fileprivate static let reportInterval: Int64 = 1_000_000

  private let mix: LiveMix
  private let state: Mutex<State>

  /// - Throws: ``CodecError`` if Opus rejects the bitrate.
  init(_ mix: LiveMix, audioBitrate: Int, now: Instant) throws(CodecError) {
    self.mix = mix
    let opus = try OpusEncoder(
      OpusEncoderSettings(channels: 2, bitrate: audioBitrate, application: .music, forwardErrorCorrection: true))
    state = Mutex(
      State(opus: opus, wall: Int64(Date().timeIntervalSince1970 * 1_000_000) - now.microseconds))
  }

  /// Starts sending into these tracks.
  func begin(video: TrackInjection?, audio: TrackInjection?) {
    state.withLock { state in
      state.video = video.map { Output(injection: $0) }
      state.audio = audio.map { Output(injection: $0) }
    }
  }

  func take(_ output: ProgramOutput, now: Instant) {
    let isKeyFrameWanted = state.withLock { state in
      switch output {
      case .picture(let picture): state.send(picture)
      case .sound(let samples, let position): state.send(samples, at: position)
      case .keyFrameNeeded: break
      }
      let requests = state.video?.injection.keyFrameRequests ?? 0
      defer { state.requests = requests }
      return requests != state.requests
    }
    if isKeyFrameWanted { mix.wantKeyFrame(after: nil) }
  }

  func end() {}
}

extension MixedTrackSink.State {
  mutating func send(_ picture: EncodedPicture) {
    guard var output = video, let payloads = try? packetizer.packetize(picture.data) else { return }
    let timestamp = output.base &+ picture.timestamp.rtpTimestamp(rate: 90_000)
    output.report(picture.timestamp, timestamp, wall)
    for (index, payload) in payloads.enumerated() {
      output.injection.send(payload, timestamp: timestamp, marker: index == payloads.count - 1)
    }
    output.injection.commit()
    video = output
  }

  mutating func send(_ samples: [Int16], at position: Int64) {
    guard var output = audio, let opus else { return }
    let held = Int64(waiting.count / AudioInput.channels)
    if waiting.isEmpty || self.position + held != position {
      waiting = []
      self.position = position
    }
    waiting += samples
    let length = OpusEncoder.frameCount * AudioInput.channels
    while waiting.count >= length {
      let block = Array(waiting.prefix(length))
      waiting.removeFirst(length)
      let timestamp = output.base &+ UInt32(truncatingIfNeeded: self.position)
      output.report(AudioInput.time(of: self.position), timestamp, wall)
      self.position += Int64(OpusEncoder.frameCount)
      guard let packet = try? opus.encode(block) else { continue }
      output.injection.send(packet, timestamp: timestamp, marker: false)
      output.injection.commit()
    }
    audio = output
  }
}

extension MixedTrackSink.Output {
  mutating func report(_ time: MediaTime, _ timestamp: UInt32, _ wall: Int64) {
    if let reported, time - reported < MixedTrackSink.reportInterval { return }
    reported = time
    injection.report(NTPTime(unixMicroseconds: wall &+ time.microseconds), timestamp: timestamp)
  }
}
