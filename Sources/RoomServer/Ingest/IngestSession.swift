import RoomCLinux
import Foundation
import Logging
import NIOCore
import RoomCodecs
import RoomLiveOrigin
import RoomOriginServer
import RoomRTMP
import RoomRTP
import RoomProtocol
import RoomEngine
import RoomRelay
import RoomSFU
import Synchronization

/// One publish of an encoder to a room, by RTMP or SRT. Takes its messages from the connection's thread, converts them on an
/// ingest thread, and ends when the encoder, the room or an error in the stream ends it.
final class IngestSession: PublishSink, RoomEncoder {
  /// Messages converted in a row before other sessions get a turn.
  private static let turn = 32

  private struct State {
    var backlog = IngestBacklog()
    /// Whether the pipe has work or waits for a track.
    var isBusy = false
    var isOver = false
    var room: Room?
    /// The reason, if the room ended the session.
    var sentence: String?
  }

  let user: UserID
  let encoderProtocol: EncoderProtocol
  /// The RTCP CNAME that links audio and video for their receivers.
  let canonicalName = UUID().uuidString
  private let loop: any EventLoop
  private let pipe: NIOLoopBoundBox<IngestPipe>
  private let state = Mutex(State())
  private let mixes: MixDirectory
  private let stop: @Sendable (String) -> Void
  private let log: Logger

  /// - Parameters:
  ///   - mixes: the threads and the budget for video that must be transcoded.
  ///   - stop: ends the connection's publish, with a message for the encoder's user.
  init(
    of user: UserID, by encoderProtocol: EncoderProtocol, on loop: any EventLoop, mixes: MixDirectory,
    stop: @escaping @Sendable (String) -> Void, log: Logger
  ) throws(IngestError) {
    self.log = log
    self.user = user
    self.encoderProtocol = encoderProtocol
    self.loop = loop
    self.mixes = mixes
    self.stop = stop
    pipe = NIOLoopBoundBox.makeBoxSendingValue(try IngestPipe(), eventLoop: loop)
  }

  /// Sets the room that has admitted the stream.
  func enter(_ room: Room) { state.withLock { $0.room = room } }

  // MARK: The connection's side

  func publish(_ message: MediaMessage) {
    var late: String?
    let wakes = state.withLock { state in
      guard !state.isOver else {
        late = state.sentence
        return false
      }
      state.backlog.append(message)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if wakes { loop.execute { self.work() } }
    // The room ended the session before the connection was attached.
    if let late { stop(late) }
  }

  /// Ends the session because the connection closed or stopped publishing.
  func end() { finish { await $0.ended($1, isLost: true) } }

  /// Ends the session because the source is over: its participant leaves at once.
  func leave() { finish { await $0.ended($1, isLost: false) } }

  private func finish(_ report: @escaping @Sendable (Room, IngestSession) async -> Void) {
    guard let room = close() else { return }
    Task {
      await report(room, self)
      await logTally()
    }
  }

  /// Sets the volume of the sound: 1 is that of the stream.
  func setGain(_ gain: Double) { loop.execute { self.pipe.value.setGain(gain) } }

  /// Stops accepting messages. The first call returns the room.
  private func close() -> Room? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      state.backlog.removeAll()
      defer { state.room = nil }
      return state.room
    }
  }

  // MARK: The room's side

  /// Called when the room has ended the participant.
  func ended(_ ended: EndedData) {
    guard close() != nil else { return }
    let sentence = Self.sentence(ended)
    state.withLock { $0.sentence = sentence }
    stop(sentence)
  }

  private static func sentence(_ ended: EndedData) -> String {
    if let error = ended.error { return "\(error.code.rawValue): \(error.message)" }
    let operation = ended.by.flatMap { $0.isEmpty ? nil : " by \($0)" } ?? ""
    return switch ended.reason {
    case .kickedOut: "kicked out of the room\(operation)"
    case .roomClosed: "the room was closed"
    case .serverStopping: "the server is stopping"
    default: "the session in the room ended: \(ended.reason.rawValue)"
    }
  }

  // MARK: The thread's side

  private func work() {
    let pipe = self.pipe.value
    for _ in 0..<Self.turn {
      let message: MediaMessage? = state.withLock { state in
        let message = state.backlog.next()
        if message == nil { state.isBusy = false }
        return message
      }
      guard let message else { return }
      let now = Instant(microseconds: linux_now_us())
      let wall = Int64(Date().timeIntervalSince1970 * 1_000_000)
      do throws(IngestError) {
        guard let request = try pipe.take(message, now: now, wall: wall, transcode: transcode) else { continue }
        return requestTrack(request) { self.work() }
      } catch {
        return fail(error)
      }
    }
    loop.execute { self.work() }
  }

  // MARK: Transcoding

  private func transcode(_ profile: H264Encoder.Profile, after sent: MediaTime?) -> TranscodingStage {
    log.notice(
      "stream of an encoder is transcoded",
      metadata: [
        "user": "\(user)", "protocol": "\(encoderProtocol.rawValue)",
        "source": "\(pipe.value.transcoding.map { "\($0)" } ?? "")",
      ])
    if let room = state.withLock({ $0.room }), let source = pipe.value.transcoding, pipe.value.hasVideoTrack {
      Task { await room.perform { $0.transcodes("\(source)", from: ConnectionID(self)) } }
    }
    return mixes.transcode(to: profile, after: sent) { [weak self] output in
      guard let self else { return }
      loop.execute { self.transcoded(output) }
    }
  }

  private func transcoded(_ output: TranscodingStage.Output) {
    switch output {
    case .pictures(let pictures):
      guard let request = pipe.value.take(transcoded: pictures) else { return }
      requestTrack(request) {}
    case .failed(let failure):
      guard let source = pipe.value.transcoding else { return }
      fail(.transcoding(source, "\(failure)"))
    }
  }

  /// Requests a track from the room, then calls `next` on the session's thread.
  private func requestTrack(_ request: IngestPipe.TrackRequest, then next: @escaping @Sendable () -> Void) {
    guard let room = state.withLock({ $0.room }) else { return }
    Task {
      let track = EncoderTrack(
        kind: request.kind, codec: request.codec, width: request.width, height: request.height, fps: request.fps,
        transcodedFrom: request.source, cname: canonicalName)
      guard let injection = await room.publish(track, from: self) else { return }
      loop.execute {
        self.pipe.value.begin(request.kind, injection)
        next()
      }
    }
  }

  private func fail(_ fault: IngestError) {
    guard let room = close() else { return }
    stop("\(ErrorCode.publishFailed.rawValue): \(fault)")
    Task {
      await room.perform { $0.encoderFailed(ConnectionID(self), by: self.encoderProtocol, "\(fault)") }
      await logTally()
    }
  }

  private func logTally() async {
    let tally = await tally()
    log.info(
      "stream of an encoder ended",
      metadata: [
        "user": "\(user)", "protocol": "\(encoderProtocol.rawValue)", "pictures": "\(tally.pictures)",
        "packets": "\(tally.packets)", "malformed": "\(tally.malformed)", "jumps": "\(tally.jumps)", "lost": "\(tally.lost)",
      ])
  }

  /// Returns the counts of converted and dropped messages so far.
  func tally() async -> IngestPipe.Tally {
    let counted = try? await loop.submit { self.pipe.value.tally }.get()
    var tally = counted ?? .init()
    tally.lost += state.withLock { $0.backlog.dropped }
    return tally
  }
}
