import RoomClient
import RoomCodecs
import RoomMedia
import Synchronization

/// A push by WHIP: H.264 and Opus over WebRTC, whose congestion control replaces the steps of the session.
final class WHIPOutput: StreamingOutput {
  private let setup: StreamingSetup
  private let token: String?
  private let camera: VideoSource?
  private let microphone: AudioSource?
  private let session = Mutex<WHIPSession?>(nil)

  /// - Throws: `CodecError` or `VideoLimitError` for settings that an encoder rejects.
  init(_ setup: StreamingSetup, token: String?, options: StreamingOptions) throws {
    self.setup = setup
    self.token = token
    camera = try setup.video.map { try VideoSource($0, adaptation: nil) }
    microphone = try setup.audio.map {
      try AudioSource(
        OpusEncoderSettings(channels: $0.format.channels, bitrate: $0.bitrate, application: .music))
    }
    apply(options)
  }

  func push(_ frame: VideoFrame) -> Bool { camera?.push(frame) ?? true }
  func push(_ frame: AudioFrame) { microphone?.push(frame) }

  func open(_ address: StreamingAddress, tell: @escaping @Sendable (StreamingLinkEvent) -> Void) {
    guard case .whip(let url) = address else { return tell(.failed(.invalidURL("another protocol"))) }
    let request = WHIPRequest(
      method: .POST, url: url, token: token, body: nil, trust: setup.trust, resolver: setup.resolver)
    let new = WHIPSession(request, override: setup.mediaAddressOverride, tell: tell)
    let old = session.withLock { session in
      defer { session = new }
      return session
    }
    let tracks = [camera?.track as (any LocalTrack)?, microphone?.track].compactMap { $0 }
    Task {
      await old?.close()()
      await new.open(tracks)
    }
  }

  func close(then: @escaping @Sendable () -> Void) {
    let delete = session.withLock { $0.take() }?.close()
    Task {
      await delete?()
      then()
    }
  }

  func progress() async -> StreamingProgress {
    var progress = await session.withLock { $0 }?.progress() ?? StreamingProgress()
    progress.rate = camera.map { EncodingRate(bitrate: $0.statistics.bitrate, fps: $0.quality.fps) }
    return progress
  }

  /// The source follows its own estimate of the path.
  func encode(at rate: EncodingRate) {}

  func apply(_ options: StreamingOptions) {
    guard let camera else { return }
    guard options.minBitrate != nil || options.isFrameRateDynamic else {
      camera.adaptation = nil
      return
    }
    camera.adaptation = VideoAdaptation(
      minBitrate: options.minBitrate ?? camera.configuration.settings.bitrate, lowersFrameRate: options.isFrameRateDynamic)
  }

  func reconfigure(_ video: VideoConfiguration) { try? camera?.reconfigure(video) }

  func followNetwork() -> Bool {
    guard let session = session.withLock({ $0 }) else { return false }
    session.networkChanged()
    return true
  }

  func stop() {
    camera?.stop()
    microphone?.stop()
  }
}
