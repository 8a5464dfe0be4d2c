import Foundation
import RoomProtocol
import SFU
import WebRTC

extension Room {
  /// Answers an offer for the publish transport. The second value tells the others, once the answer has gone out.
  func publish(
    _ params: PublishParams, by participant: Participant
  ) throws(RoomError) -> (PublishResult, announce: () -> Void) {
    guard participant.grants.contains(.publish) || state.mayPublish(participant.userId) else {
      throw RoomError(.noPermission, "the token has no grant to publish")
    }
    guard !participant.isHidden else {
      throw RoomError(.noPermission, "a hidden participant can't publish: its tracks would show it")
    }
    if let fault = params.tracks.lazy.compactMap(\.fault).first { throw RoomError(.publishFailed, fault) }

    let restarts = params.restart ?? false
    let old = participant.publishing
    let isNew = restarts || old == nil
    var transport: PublishTransport
    if let old, !restarts {
      transport = old
    } else {
      transport = PublishTransport(id: nextTransportID(), local: localTransport())
    }

    let answered: AnsweredOffer
    do {
      answered = try transport.negotiation.answer(params.sdp)
    } catch {
      throw RoomError(.publishFailed, "the offer was refused: \(error)")
    }
    let change = try PublishChange(
      params, answered: answered, published: isNew ? [] : participant.tracks, before: restarts ? participant.tracks : [])
    guard change.count <= settings.limits.tracksPerParticipant else {
      surroundings.counters.count(limit: .tracks)
      throw RoomError(.publishFailed, "a participant publishes at most \(settings.limits.tracksPerParticipant) tracks")
    }

    return begin(
      Publication(
        transport: transport, answered: answered, change: change, isNew: isNew, restarts: restarts), by: participant)
  }

  /// Carries out what was checked before; from here on nothing fails. The second value tells the others.
  func begin(_ publication: Publication, by participant: Participant) -> (PublishResult, announce: () -> Void) {
    let transport = publication.transport
    let answered = publication.answered
    let change = publication.change
    let restarts = publication.restarts
    let old = participant.publishing
    if publication.isNew { media.openTransport(transport.id, credentials: transport.credentials, role: transport.role) }
    if publication.isNew || answered.remoteChanged { media.connectTransport(transport.id, remote: answered.remote) }
    participant.publishing = transport
    var carried: [String: TrackInfo] = [:]
    for track in change.goingOn {
      guard let index = participant.tracks.firstIndex(where: { $0.id == track.id }) else { continue }
      // On a new transport the media is new to the workers: others get it on new streams, under the id they know.
      let id = restarts ? nextTrackID() : track.id
      participant.tracks[index] = PublishedTrack(id: id, info: track.info, parameters: track.parameters)
      carry(participant.tracks[index], on: transport)
      carried[track.parameters.mid] = track.info
    }
    var added: [TrackInfo] = []
    for new in change.added {
      let track = PublishedTrack(id: nextTrackID(), info: new.info, parameters: new.parameters)
      participant.tracks.append(track)
      carry(track, on: transport)
      carried[track.parameters.mid] = track.info
      added.append(track.info)
      log.info(
        "published",
        metadata: [
          "user": "\(participant.userId)", "track": "\(track.info.trackId)", "kind": "\(track.info.kind)",
          "codec": "\(track.info.codec ?? "")",
        ])
    }
    if restarts, let old { media.closeTransport(old.id) }

    let named = change.order.compactMap { mid in carried[mid].map { PublishedTrackInfo(mid: mid, track: $0) } }
    return (
      PublishResult(sdp: answered.sdp, tracks: named),
      {
        self.withdraw(change.removed, of: participant)
        if restarts || !added.isEmpty { self.announce(added, of: participant) }
      }
    )
  }

  /// Announces tracks that are new, whichever way they came in, and updates all that depends on a participant's tracks.
  /// - Parameter added: empty if known tracks go on as new media.
  func announce(_ added: [TrackInfo], of participant: Participant) {
    if !added.isEmpty {
      tell(.published(PublishedData(userId: participant.userId, tracks: added)), besides: participant)
      reportTracks(added, of: participant)
    }
    for other in participants.values where other !== participant { renewSubscriptions(of: other) }
    if let seat = state.seat(of: participant.userId) { applySwitches(of: seat) }
    renewReceivers()
  }

  /// Brings all that follows tracks without being a subscriber to what is published now.
  func renewReceivers() {
    renewViewers()
    renewJobs()
    renewLending()
  }

  private func carry(_ track: PublishedTrack, on transport: PublishTransport) {
    media.publish(track.id, on: transport.id, parameters: track.parameters)
    if track.info.muted { media.setMuted(track.id, true) }
  }

  /// Ends tracks of the caller.
  func unpublish(_ selection: TrackSelection, by participant: Participant) throws(RoomError) -> () -> Void {
    var gone: [PublishedTrack] = []
    for trackId in selection.trackIds ?? [] {
      guard let track = participant.track(trackId) else {
        throw RoomError(.publishFailed, "you publish no track \"\(trackId.brief)\"")
      }
      gone.append(track)
    }
    for user in selection.userIds ?? [] {
      guard user == participant.userId else {
        throw RoomError(.noPermission, "only one's own tracks can be unpublished; mute or kick others")
      }
      gone = participant.tracks
    }
    return { self.withdraw(gone, of: participant) }
  }

  /// Ends tracks and tells the others.
  func withdraw(_ tracks: [PublishedTrack], of participant: Participant) {
    guard !tracks.isEmpty else { return }
    for track in tracks {
      media.unpublish(track.id)
      log.info("unpublished", metadata: ["user": "\(participant.userId)", "track": "\(track.info.trackId)"])
    }
    let ids = tracks.map(\.info.trackId)
    participant.tracks.removeAll { ids.contains($0.info.trackId) }
    participant.mutedBySeat.subtract(ids)
    tell(.unpublished(UnpublishedData(userId: participant.userId, trackIds: ids)), besides: participant)
    reportNoTracks(ids, of: participant)
    for other in participants.values where other !== participant {
      for id in ids { other.plan.forget(track: id) }
      renewSubscriptions(of: other)
    }
    renewReceivers()
  }
}

/// An offer that was answered and checked, and changed nothing yet.
struct Publication {
  var transport: PublishTransport
  var answered: AnsweredOffer
  var change: PublishChange
  /// The transport is not open yet.
  var isNew: Bool
  /// It replaces the participant's transport.
  var restarts = false
}

/// What an answered offer means for a participant's tracks.
struct PublishChange {
  struct New {
    var info: TrackInfo
    var parameters: RTPParameters
  }

  /// Tracks that are there already, with what the offer now says of them.
  var goingOn: [PublishedTrack] = []
  var added: [New] = []
  var removed: [PublishedTrack] = []
  /// The mids of the call's tracks, in its order.
  var order: [String]

  /// - Parameters:
  ///   - published: the tracks on this transport.
  ///   - before: with a restart, the tracks of the transport that is replaced.
  /// - Throws: where a named track has no m-line to come on, or has one that is not its own.
  init(
    _ params: PublishParams, answered: AnsweredOffer, published: [PublishedTrack], before: [PublishedTrack]
  ) throws(RoomError) {
    order = params.tracks.map(\.mid)
    guard Set(order).count == order.count else { throw RoomError(.publishFailed, "two tracks name one mid") }
    let media = Dictionary(answered.media.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })

    for track in published {
      if let parameters = media[track.parameters.mid] {
        guard !order.contains(track.parameters.mid) else {
          throw RoomError(.publishFailed, "m-line \(track.parameters.mid) is track \(track.info.trackId) already")
        }
        guard parameters != track.parameters else { continue }
        var changed = track
        changed.parameters = parameters
        goingOn.append(changed)
      } else {
        removed.append(track)
      }
    }
    kept = published.count - removed.count - goingOn.count

    for new in params.tracks {
      guard let parameters = media[new.mid] else {
        let reason = answered.rejected.first { $0.mid == new.mid }?.reason ?? "the offer has no such m-line that sends"
        throw RoomError(.publishFailed, "m-line \(new.mid.prefix(64)): \(reason)")
      }
      guard parameters.kind.rawValue == new.kind.rawValue else {
        throw RoomError(.publishFailed, "m-line \(new.mid) is \(parameters.kind), not \(new.kind)")
      }
      // A codec that changed would need new subscriptions, so that is a new track.
      if let same = before.first(where: { $0.info.trackId == new.trackId }),
        same.parameters.codecs.first?.isSame(as: parameters.codecs.first) == true,
        !goingOn.contains(where: { $0.id == same.id })
      {
        var track = same
        track.parameters = parameters
        goingOn.append(track)
      } else {
        added.append(New(info: TrackInfo(new, codec: parameters.codecs.first?.name), parameters: parameters))
      }
    }
    removed += before.filter { old in !goingOn.contains { $0.id == old.id } }
  }

  /// Tracks of which the offer says nothing new.
  private var kept = 0

  /// How many tracks the participant has afterwards.
  var count: Int { kept + goingOn.count + added.count }
}

extension RTPCodec {
  fileprivate func isSame(as other: RTPCodec?) -> Bool {
    name == other?.name && parameters == other?.parameters && clockRate == other?.clockRate
  }
}

extension TrackInfo {
  /// A new track, under an id of ours.
  init(_ new: NewTrack, codec: String?) {
    self.init(
      trackId: Self.newID(), kind: new.kind, tag: new.tag ?? "",
      master: new.master ?? true, muted: new.muted ?? false, codec: codec, width: new.width, height: new.height, fps: new.fps,
      bitrate: new.bitrate)
  }

  /// An id that no other track has.
  static func newID() -> TrackID { "TR_\(UUID().uuidString.filter { $0 != "-" }.prefix(16))" }
}
