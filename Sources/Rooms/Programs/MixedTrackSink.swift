import RoomCodecs
import Foundation
import RoomMixing
import RoomRTP
import RoomRelay
import RoomSFU
import Synchronization

/// Publishes a mix's output into a room as a video track, an audio track, or both: encoded once for all receivers. While a
/// receiver needs the video's smaller layer, the mix encodes that too.
final class MixedTrackSink: MixSink {
  /// The output of one track.
  fileprivate struct Output {
    let injection: TrackInjection
    let base = UInt32.random(in: .min ... .max)
    var reported: MediaTime?
    /// The key frame requests that were passed to the mix.
    private var requests = 0

    init(_ injection: TrackInjection) { self.injection = injection }

    /// Whether a key frame has been requested since the last call.
    mutating func takeRequest() -> Bool {
      let before = requests
      requests = injection.keyFrameRequests
      return requests != before
    }
  }

  fileprivate struct State {
    var video: Output?
    /// The second layer of the video.
    var smaller: Output?
    var hasSmaller = false
    var audio: Output?
    let opus: OpusEncoder?
    let packetizer = H264Packetizer()
    var waiting: [Int16] = []
    /// Position on the sample grid of the first pending sample.
    var position: Int64 = 0
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
  /// - Parameter video: the injection of the first layer.
  func begin(video: TrackInjection?, audio: TrackInjection?) {
    state.withLock { state in
      state.video = video.map { Output($0) }
      state.smaller = video?.nextLayer.map { Output($0) }
      state.audio = audio.map { Output($0) }
    }
  }

  func take(_ output: ProgramOutput, now: Instant) {
    let wanted = state.withLock { state in
      switch output {
      case .picture(let picture): state.sendWhole(picture)
      case .sound(let samples, let position): state.send(samples, at: position)
      case .keyFrameNeeded: break
      }
      return state.takeWishes()
    }
    if wanted.keyFrame { mix.wantKeyFrame(after: nil) }
    switch wanted.smaller {
    case true?: mix.setSmaller { [weak self] _, picture in self?.state.withLock { $0.sendSmaller(picture) } }
    case false?: mix.setSmaller(nil)
    case nil: break
    }
    if wanted.smallerKeyFrame { mix.wantSmallerKeyFrame() }
  }

  func end() {}

  /// Stops what the mix encodes for these tracks alone.
  func stop() { if state.withLock({ $0.hasSmaller }) { mix.setSmaller(nil) } }
}

extension MixedTrackSink.State {
  mutating func sendWhole(_ picture: EncodedPicture) { video?.send(picture, packetizer, wall) }

  mutating func sendSmaller(_ picture: EncodedPicture) { smaller?.send(picture, packetizer, wall) }

  /// Returns what receivers have asked for since the last call.
  /// - Returns: Whether the smaller layer must begin or end; nil for no change.
  mutating func takeWishes() -> (keyFrame: Bool, smaller: Bool?, smallerKeyFrame: Bool) {
    let isWanted = smaller?.injection.isWanted ?? false
    defer { hasSmaller = isWanted }
    return (video?.takeRequest() ?? false, isWanted == hasSmaller ? nil : isWanted, smaller?.takeRequest() ?? false)
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
  mutating func send(_ picture: EncodedPicture, _ packetizer: H264Packetizer, _ wall: Int64) {
    guard let payloads = try? packetizer.packetize(picture.data) else { return }
    let timestamp = base &+ picture.timestamp.rtpTimestamp(rate: 90_000)
    report(picture.timestamp, timestamp, wall)
    for (index, payload) in payloads.enumerated() {
      injection.send(payload, timestamp: timestamp, marker: index == payloads.count - 1)
    }
    injection.commit()
  }

  mutating func report(_ time: MediaTime, _ timestamp: UInt32, _ wall: Int64) {
    if let reported, time - reported < MixedTrackSink.reportInterval { return }
    reported = time
    injection.report(NTPTime(unixMicroseconds: wall &+ time.microseconds), timestamp: timestamp)
  }
}
