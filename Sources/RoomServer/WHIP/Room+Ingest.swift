import NIOCore
import RoomProtocol
import RoomToken
import SFU
import WebRTC

/// Where messages to a participant without a signalling socket go: nowhere.
final class NoOutlet: SignalOutlet {
  func send(_ message: ByteBuffer) {}
  func close(_ reason: CloseReason) {}
}

// WHIP: a participant that came with an offer over HTTP. To the others it is one like any other; that its client is there is
// told by its media instead of by a socket.

extension Room {
  /// Lets a user in with what its offer publishes. One that is there under the same name already has to go, as with any join.
  func ingest(_ token: RoomToken, offer: String) -> SessionOffer {
    guard !isClosed else { return .roomIsClosed }
    do throws(SessionRefusal) {
      let publication = try publication(of: offer)
      if let full = fullSentence(for: token.user, publishes: true) { throw .unavailable(RoomError(.joinFailed, full)) }
      if let refusal = refusal(ofGuest: token) { throw SessionRefusal(status: 403, error: refusal) }
      let participant = Participant(token: token, outlet: nil, plan: SubscriptionPlan(automatic: false))
      let answered = publication.answered
      guard let first = answered.media.first else { throw .badRequest("the offer has no m-line that sends") }
      let resource = SessionResource(
        user: token.user, transport: publication.transport.id, local: publication.transport.negotiation.local,
        remote: answered.remote, media: first)
      participant.resource = resource
      participant.takesPlace = false
      admit(participant)
      changeState { $0.setConnected(participant.userId, false) }
      let (_, announce) = begin(publication, by: participant)
      announce()
      wait(for: participant, settings.connectTime)
      surroundings.counters.count { $0.whipSessions += 1 }
      return .answered(SessionAnswer(resource: resource, sdp: answered.sdp))
    } catch {
      return .refused(error)
    }
  }

  /// Everything that the offer sends becomes a track, or nothing does.
  private func publication(of offer: String) throws(SessionRefusal) -> Publication {
    var transport = PublishTransport(id: nextTransportID(), local: localTransport(answering: offer))
    let answered: AnsweredOffer
    do {
      answered = try transport.negotiation.answer(offer)
    } catch {
      throw .offer(error, .publishFailed)
    }
    if let rejected = answered.rejected.first(where: { !Self.isDataChannel($0.mid, in: offer) }) {
      throw .notAcceptable(RoomError(.publishFailed, "m-line \(rejected.mid.prefix(32)): \(rejected.reason)"))
    }
    guard !answered.media.isEmpty else {
      throw .offer(.refused("it has no audio or video m-line that sends"), .publishFailed)
    }
    let limit = settings.limits.tracksPerParticipant
    guard answered.media.count <= limit else {
      surroundings.counters.count(limit: .tracks)
      throw .notAcceptable(RoomError(.publishFailed, "a participant publishes at most \(limit) tracks"))
    }
    let tracks = answered.media.enumerated().map { index, media in
      let isMain = !answered.media[..<index].contains { $0.kind == media.kind }
      return NewTrack(mid: media.mid, kind: media.kind == .audio ? .audio : .video, master: isMain)
    }
    do {
      let change = try PublishChange(
        PublishParams(sdp: offer, tracks: tracks), answered: answered, published: [], before: [])
      return Publication(transport: transport, answered: answered, change: change, isNew: true)
    } catch {
      throw .notAcceptable(error)
    }
  }

  /// This server's side of a transport for an offer. DTLS server as ever, but where the client can be nothing else, as ffmpeg's WHIP
  /// muxer.
  func localTransport(answering offer: String) -> TransportParameters {
    let theirs = try? SessionDescription(parsing: offer).transport().role
    return localTransport(theirs == .server ? .client : .server)
  }

  /// Data channels are left out, and audio and video go on without them.
  private static func isDataChannel(_ mid: String, in offer: String) -> Bool {
    let description = try? SessionDescription(parsing: offer)
    return description?.media.first { $0.mid == mid }?.kind == "application"
  }

  // MARK: What the media says

  /// The participant whose only connection this transport is; nil where it has a socket, or is none of the room's.
  func ingesting(on transport: TransportID) -> Participant? {
    participants.values.first { $0.resource?.transport == transport }
  }

  func ingestConnected(_ participant: Participant) {
    guard participant.outlet == nil else { return }
    if !participant.takesPlace {
      // The room may have filled since the offer.
      if fullSentence(for: nil, publishes: true) != nil { return end(participant, EndedData(reason: .timedOut)) }
      participant.takesPlace = true
    }
    reconnect(participant, on: NoOutlet())
    resumePK(of: participant)
  }

  // MARK: The resource

  /// The session of that URL, of either protocol; it has to be the user's.
  private func session(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal)
    -> SessionResource
  {
    let found: SessionResource? =
      switch direction {
      case .publish: participants.values.lazy.compactMap(\.resource).first { $0.id == id }
      case .view: viewers[id]?.resource
      }
    guard let found else { throw .noSuchSession }
    guard found.user == user else { throw .forbidden("the session is another user's") }
    return found
  }

  /// Throws where there is no such session of this user's.
  func find(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal) {
    _ = try session(id, of: user, direction)
  }

  /// Trickles, or restarts ICE; gives the session and what to say of the restart.
  func patch(
    _ id: SessionResourceID, of user: UserID, _ direction: SessionDirection, _ fragment: ICEFragment, match: String?
  ) throws(SessionRefusal) -> (SessionResource, ICEFragment?) {
    var resource = try session(id, of: user, direction)
    guard case .restart(let answer) = try resource.patch(fragment, match: match) else { return (resource, nil) }
    media.restartTransport(resource.transport, credentials: resource.local.credentials)
    media.connectTransport(resource.transport, remote: resource.remote)
    switch direction {
    case .publish: participants[user]?.resource = resource
    case .view: viewers[id]?.resource = resource
    }
    surroundings.counters.count { $0.iceRestarts += 1 }
    log.info("ICE restarted", metadata: ["user": "\(user)"])
    return (resource, answer)
  }

  /// Ends a session for its client.
  func finish(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal) {
    _ = try session(id, of: user, direction)
    switch direction {
    case .publish: if let participant = participants[user] { end(participant, EndedData(reason: .left)) }
    case .view: if let viewer = viewers[id] { end(viewer, because: "left") }
    }
  }
}

/// Which way a session's media flows: WHIP's or WHEP's.
enum SessionDirection: Sendable { case publish, view }
