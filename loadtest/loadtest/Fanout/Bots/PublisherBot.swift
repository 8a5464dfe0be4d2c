import RoomRTP
import RoomClient
import RoomWebRTC

/// A publisher that replays recorded media: the sending half of a complete client, without an encoder that would disturb the
/// measurement.
///
/// A frame's packets are sent in one burst, as an encoder produces them. A key frame request restarts the recording. The layers
/// of a simulcast are recordings of their own.
final class PublisherBot: LoopBot {
  let socket: UDPSocket
  private(set) var deadline: Instant?
  let isInHaste = true
  private let session: MediaSession
  /// The layers of the video, the smallest first; the first one's audio is sent.
  private let layers: [RecordedMedia]
  private let connected: @Sendable (Result<Void, any Error>) -> Void
  private var mids: (video: [Mid], audio: Mid)?
  private var nextVideo: Instant?
  private var nextAudio: Instant?
  /// The next frame of each layer.
  private var videoFrames: [Int]
  private var audioFrame = 0
  private var videoTime: UInt32 = 0
  private var audioTime: UInt32 = 0

  /// Far above any bitrate used here, so that the pacer and the congestion estimator never limit sending.
  static let bandwidth = PathEstimator.Configuration(start: 40_000_000, minimum: 40_000_000, maximum: 50_000_000)

  private static let latenessLimit = 100_000

  /// - Parameter connected: called once the bot can send, or has failed.
  init(
    session: MediaSession, socket: UDPSocket, layers: [RecordedMedia],
    connected: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.session = session
    self.socket = socket
    self.layers = layers
    videoFrames = layers.map { _ in 0 }
    self.connected = connected
  }

  /// How late each picture was sent because this machine was busy, in milliseconds.
  private(set) var lateness: [Double] = []

  /// Number of RTP packets sent so far.
  var sent: Int { session.statistics().senders.values.reduce(0) { $0 + Int($1.packets) } }

  /// Applies the negotiated answer.
  func accept(_ remote: TransportParameters, senders: [RTPParameters], now: Instant) {
    let video = senders.filter { $0.kind == .video }
    guard video.count == layers.count, let audio = senders.first(where: { $0.kind == .audio }) else {
      return connected(.failure(LoadtestError.refused("the server does not accept both video and audio")))
    }
    mids = (video.map(\.mid), audio.mid)
    session.setSenders(senders, now: now)
    session.setRemote(remote, now: now)
    drain(now)
  }

  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    session.receive(datagram, from: from, now: now)
    drain(now)
  }

  func advance(to now: Instant) {
    session.advance(to: now)
    if let mids {
      if let due = nextVideo, due <= now { sendVideo(mids.video, due, now) }
      if let due = nextAudio, due <= now { sendAudio(mids.audio, due, now) }
    }
    drain(now)
  }

  func close(now: Instant) {
    session.close(now: now)
    drain(now)
  }

  private func sendVideo(_ mids: [Mid], _ due: Instant, _ now: Instant) {
    if lateness.count < Self.latenessLimit { lateness.append(Double(now - due) / 1000) }
    for (layer, (media, mid)) in zip(layers, mids).enumerated() {
      let frame = media.video[videoFrames[layer]]
      session.send(
        EncodedFrame(
          data: frame.data, timestamp: videoTime, isKeyFrame: frame.isKeyFrame, temporalLayer: frame.temporalLayer),
        mid: mid, now: now)
      videoFrames[layer] = (videoFrames[layer] + 1) % media.video.count
    }
    videoTime &+= layers[0].videoTicks
    nextVideo = due.advanced(microseconds: layers[0].videoInterval)
  }

  private func sendAudio(_ mid: Mid, _ due: Instant, _ now: Instant) {
    let frame = EncodedFrame(data: layers[0].audio[audioFrame], timestamp: audioTime, isKeyFrame: true)
    session.send(frame, mid: mid, level: AudioLevel(level: 30, voice: true), now: now)
    audioFrame = (audioFrame + 1) % layers[0].audio.count
    audioTime &+= RecordedMedia.audioTicks
    nextAudio = due.advanced(microseconds: RecordedMedia.audioInterval)
  }

  private func drain(_ now: Instant) {
    while let output = session.nextOutput() {
      switch output {
      case .transmit(let bytes, let address): socket.send(bytes, to: address)
      case .event(.connected):
        guard nextVideo == nil else { break }
        nextVideo = now
        // Audio and video of a real client are not synchronised.
        nextAudio = now.advanced(microseconds: RecordedMedia.audioInterval / 3)
        connected(.success(()))
      case .event(.keyFrameRequested(let mid, _)):
        if let layer = mids?.video.firstIndex(of: mid) { videoFrames[layer] = 0 }
      case .event(.failed(let reason)): connected(.failure(LoadtestError.noMedia("the publisher: \(reason)")))
      case .event(.closed): connected(.failure(LoadtestError.noMedia("the publisher was closed by the server")))
      case .event(.disconnected), .event(.frame), .event(.lossReported), .event(.targetBitrate), .event(.channel): break
      }
    }
    deadline = [session.deadline, nextVideo, nextAudio].lazy.compactMap { $0 }.min()
  }
}
