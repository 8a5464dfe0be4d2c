import RoomRTP
import RoomClient
import RoomWebRTC

/// A publisher that replays recorded media: the sending half of a complete client, without an encoder that would disturb the
/// measurement.
///
/// A frame's packets are sent in one burst, as an encoder produces them. A key frame request restarts the recording.
final class PublisherBot: LoopBot {
  let socket: UDPSocket
  private(set) var deadline: Instant?
  let isInHaste = true
  private let session: MediaSession
  private let media: RecordedMedia
  private let connected: @Sendable (Result<Void, any Error>) -> Void
  private var mids: (video: Mid, audio: Mid)?
  private var nextVideo: Instant?
  private var nextAudio: Instant?
  private var videoFrame = 0
  private var audioFrame = 0
  private var videoTime: UInt32 = 0
  private var audioTime: UInt32 = 0

  /// Far above any bitrate used here, so that the pacer and the congestion estimator never limit sending.
  static let bandwidth = PathEstimator.Configuration(start: 40_000_000, minimum: 40_000_000, maximum: 50_000_000)

  /// - Parameter connected: called once the bot can send, or has failed.
  init(
    session: MediaSession, socket: UDPSocket, media: RecordedMedia,
    connected: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.session = session
    self.socket = socket
    self.media = media
    self.connected = connected
  }

  /// Number of RTP packets sent so far.
  var sent: Int { session.statistics().senders.values.reduce(0) { $0 + Int($1.packets) } }

  /// Applies the negotiated answer.
  func accept(_ remote: TransportParameters, senders: [RTPParameters], now: Instant) {
    guard let video = senders.first(where: { $0.kind == .video }), let audio = senders.first(where: { $0.kind == .audio })
    else { return connected(.failure(LoadtestError.refused("the server does not accept both video and audio"))) }
    mids = (video.mid, audio.mid)
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

  private func sendVideo(_ mid: Mid, _ due: Instant, _ now: Instant) {
    let frame = media.video[videoFrame]
    session.send(EncodedFrame(data: frame.data, timestamp: videoTime, isKeyFrame: frame.isKeyFrame), mid: mid, now: now)
    videoFrame = (videoFrame + 1) % media.video.count
    videoTime &+= media.videoTicks
    nextVideo = due.advanced(microseconds: media.videoInterval)
  }

  private func sendAudio(_ mid: Mid, _ due: Instant, _ now: Instant) {
    let frame = EncodedFrame(data: media.audio[audioFrame], timestamp: audioTime, isKeyFrame: true)
    session.send(frame, mid: mid, level: AudioLevel(level: 30, voice: true), now: now)
    audioFrame = (audioFrame + 1) % media.audio.count
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
      case .event(.keyFrameRequested): videoFrame = 0
      case .event(.failed(let reason)): connected(.failure(LoadtestError.noMedia("the publisher: \(reason)")))
      case .event(.closed): connected(.failure(LoadtestError.noMedia("the publisher was closed by the server")))
      case .event(.disconnected), .event(.frame), .event(.lossReported), .event(.targetBitrate): break
      }
    }
    deadline = [session.deadline, nextVideo, nextAudio].lazy.compactMap { $0 }.min()
  }
}
