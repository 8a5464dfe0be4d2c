import NIOCore
import RoomClient
import RoomCodecs
import RoomMedia
import RoomPush
import RoomRTMP
import RoomRTP
import Synchronization

/// A push of H.264 and AAC: by RTMP, RTMPS or SRT.
final class FLVOutput: StreamingOutput {
  private struct State: Sendable {
    var timeline: FLVTimeline
    var link: (any FLVLink)?
    /// Incremented with each connection, so that events of an old one are ignored.
    var generation = 0
  }

  private let trust: ServerTrust
  private let hasVideo: Bool
  private let hasAudio: Bool
  private let resolver: StreamingResolver?
  private let control: PictureControl?
  private let pictures = SourceQueue<Arrived<VideoFrame>>(backlog: VideoSource.backlog)
  private let sounds = SourceQueue<Arrived<AudioFrame>>(backlog: AudioSource.backlog)
  private let state: Mutex<State>

  /// - Throws: `CodecError` for settings that an encoder rejects.
  init(_ setup: StreamingSetup, rate: EncodingRate) throws(CodecError) {
    trust = setup.trust
    hasVideo = setup.video != nil
    hasAudio = setup.audio != nil
    resolver = setup.resolver
    let picture: PictureEncoding? = if let video = setup.video { try PictureEncoding(video) } else { nil }
    let sound: SoundEncoding? = if let audio = setup.audio { try SoundEncoding(audio) } else { nil }
    control = setup.video.map { PictureControl($0, rate) }
    var audio: (AACEncoderSettings, [UInt8])?
    if let settings = setup.audio, let sound { audio = (settings, sound.configuration) }
    state = Mutex(State(timeline: FLVTimeline(video: setup.video?.settings, audio: audio)))
    if let picture, let control {
      pictures.run { [weak self, frames = pictures.frames] in
        await picture.run(frames, control) { [weak self] encoded in self?.send { $0.take(encoded, now: RTMPPush.now()) } }
      }
    }
    if let sound {
      sounds.run { [weak self, frames = sounds.frames] in
        await sound.run(frames) { [weak self] encoded in
          self?.send { $0.take(sound: encoded.data, at: encoded.time, now: RTMPPush.now()) }
        }
      }
    }
  }

  deinit { stop() }

  func push(_ frame: VideoFrame) -> Bool { pictures.push(Arrived(frame: frame, time: RTMPPush.now())) }
  func push(_ frame: AudioFrame) { sounds.push(Arrived(frame: frame, time: RTMPPush.now())) }

  func open(_ address: StreamingAddress, tell: @escaping @Sendable (StreamingLinkEvent) -> Void) {
    let host: (name: String, port: UInt16)
    switch address {
    case .rtmp(let address): host = (address.host, address.port)
    case .srt(let address): host = (address.host, address.port)
    case .whip: return tell(.failed(.invalidURL("another protocol")))
    }
    let generation = state.withLock { state in
      state.generation += 1
      return state.generation
    }
    guard let resolver else { return connect(address, addresses: nil, generation, tell) }
    Task {
      do throws(StreamingFailure) {
        connect(address, addresses: try await resolver.addresses(of: host.name, port: host.port), generation, tell)
      } catch { tell(.failed(error)) }
    }
  }

  private func connect(
    _ address: StreamingAddress, addresses: [SocketAddress]?, _ generation: Int,
    _ tell: @escaping @Sendable (StreamingLinkEvent) -> Void
  ) {
    let observe: @Sendable (StreamingLinkEvent) -> Void = { [weak self] event in
      if case .opened = event { self?.control?.state.withLock { $0.isConnected = true } }
      tell(event)
    }
    let keyFrameNeeded: @Sendable () -> Void = { [weak self] in self?.control?.requestKeyFrame() }
    state.withLock { state in
      guard state.generation == generation else { return }
      let preamble = state.timeline.preamble
      switch address {
      case .rtmp(let address):
        state.link = RTMPLink(
          to: address, addresses: addresses, trust: trust, preamble: preamble, tell: observe, keyFrameNeeded: keyFrameNeeded)
      case .srt(let address):
        state.link = SRTLink(
          to: address, addresses: addresses, hasVideo: hasVideo, hasAudio: hasAudio, preamble: preamble, tell: observe,
          keyFrameNeeded: keyFrameNeeded)
      case .whip: break
      }
    }
  }

  func close(then: @escaping @Sendable () -> Void) {
    control?.state.withLock { $0.isConnected = false }
    let link = state.withLock { state in
      state.generation += 1
      return state.link.take()
    }
    Task {
      await link?.close()
      then()
    }
  }

  func progress() async -> StreamingProgress { await state.withLock { $0.link }?.progress() ?? StreamingProgress() }

  func encode(at rate: EncodingRate) { control?.state.withLock { $0.rate = rate } }

  /// The session itself decides about the rate.
  func apply(_ options: StreamingOptions) {}

  func reconfigure(_ video: VideoConfiguration) {
    control?.state.withLock { $0.configuration = video }
    send { $0.describe(video.settings) }
  }

  /// Neither a TCP connection nor one of SRT survives a change of the address.
  func followNetwork() -> Bool { false }

  func stop() {
    pictures.end()
    sounds.end()
  }

  /// Sends messages in their order on the timeline.
  private func send(_ messages: (inout FLVTimeline) -> [MediaMessage]) {
    state.withLock { state in
      let ready = messages(&state.timeline)
      state.link?.send(ready)
    }
  }
}
