import NIOCore
import RoomProtocol
import RoomToken
import SFU
import WebRTC

// RTMP: a participant that an encoder is. To the others it is one like any other, connected while its stream is.

extension Room {
  /// How long the place of an encoder whose connection is gone is kept; never longer than a participant's own.
  private static let encoderGrace = Duration.seconds(10)

  /// Lets a stream in as the token's user, or back in where its connection was lost a moment ago. One that is there under the same
  /// name otherwise has to go, as with any join.
  func ingest(_ token: RoomToken, _ session: IngestSession) -> Joined {
    guard !isClosed else { return .roomIsClosed }
    if let old = participants[token.user], old.ingest != nil, old.outlet == nil, old.grants == token.grants {
      old.token = token
      old.ingest = session
      surroundings.counters.count { $0.resumes += 1 }
      reconnect(old, on: NoOutlet())
      log.info("RTMP stream is back", metadata: ["user": "\(token.user)"])
      return begun(session, old)
    }
    if let full = fullSentence(for: token.user, publishes: true) { return .refused(RoomError(.joinFailed, full)) }
    if let refusal = refusal(ofGuest: token) { return .refused(refusal) }
    let participant = Participant(token: token, outlet: NoOutlet(), plan: SubscriptionPlan(automatic: false))
    participant.ingest = session
    admit(participant)
    resumePK(of: participant)
    log.info("RTMP stream begins", metadata: ["user": "\(token.user)"])
    return begun(session, participant)
  }

  private func begun(_ session: IngestSession, _ participant: Participant) -> Joined {
    surroundings.counters.count { $0.rtmpSessions += 1 }
    session.enter(self)
    return .joined(sessionId: participant.sessionId)
  }

  private func participant(of session: IngestSession) -> Participant? {
    participants.values.first { $0.ingest === session }
  }

  /// Publishes a track of a stream; nil where the stream's participant is gone.
  func carry(_ wish: IngestPipe.Wish, of session: IngestSession) -> TrackInjection? {
    guard let participant = participant(of: session) else { return nil }
    let new = NewTrack(
      mid: "", kind: wish.kind, tag: wish.kind == .video ? "camera" : "microphone", master: true,
      width: wish.width.flatMap { (1...16384).contains($0) ? $0 : nil },
      height: wish.height.flatMap { (1...16384).contains($0) ? $0 : nil }, fps: wish.fps)
    let parameters = RTPParameters(
      mid: "", kind: wish.kind == .video ? .video : .audio, codecs: [wish.codec], cname: session.canonicalName)
    let track = PublishedTrack(id: nextTrackID(), info: TrackInfo(new, codec: wish.codec.name), parameters: parameters)
    let injection = media.inject(track.id, parameters: parameters)
    participant.tracks.append(track)
    log.info(
      "published",
      metadata: [
        "user": "\(participant.userId)", "track": "\(track.info.trackId)", "kind": "\(wish.kind)",
        "codec": "\(wish.codec.name)",
      ])
    announce([track.info], of: participant)
    return injection
  }

  /// The stream's connection is gone, or it ended its publish: its tracks end, and its place is kept for a moment.
  func ingestLost(_ session: IngestSession) async {
    if let participant = participant(of: session) {
      withdraw(participant.tracks, of: participant)
      lose(participant, for: min(settings.graceTime, Self.encoderGrace))
    }
    await tell(session)
  }

  /// The stream is one that the room can't take.
  func ingestFailed(_ session: IngestSession, _ fault: IngestFault) async {
    log.notice("RTMP stream refused", metadata: ["reason": "\(fault)"])
    surroundings.counters.count { $0.rtmpFaults += 1 }
    if let participant = participant(of: session) { end(participant, EndedData(reason: .left)) }
    await tell(session)
  }

  private func tell(_ session: IngestSession) async {
    let tally = await session.tally()
    log.info(
      "RTMP stream over",
      metadata: [
        "user": "\(session.user)", "pictures": "\(tally.pictures)", "packets": "\(tally.packets)",
        "malformed": "\(tally.malformed)", "jumps": "\(tally.jumps)", "lost": "\(tally.lost)",
      ])
  }

  /// Ends the tracks of a participant whose stream comes by RTMP, as it leaves.
  func endIngest(of participant: Participant, _ ended: EndedData) {
    guard let session = participant.ingest else { return }
    for track in participant.tracks { media.unpublish(track.id) }
    participant.ingest = nil
    session.ended(ended)
  }
}
