import RoomProtocol
import RoomState
import RoomSFU

@testable import RoomEngine

/// A violation found by a walk.
struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A model of one room's environment, built from its outputs: sockets, the media worker, programs and everything sent to
/// clients.
struct RoomModel {
  struct Job {
    var mix: MixID?
    var hasBroadcast: Bool
  }

  var attached: Set<ConnectionID> = []
  private(set) var transports: Set<TransportID> = []
  /// The transport of each track; nil for tracks that this server produces.
  private(set) var tracks: [MediaTrackID: TransportID?] = [:]
  private(set) var muted: Set<MediaTrackID> = []
  private(set) var subscriptions: [SubscriptionID: (track: MediaTrackID, transport: TransportID)] = [:]
  private(set) var mixes: Set<MixID> = []
  private(set) var broadcasts: Set<JobID> = []
  private(set) var linked: Set<MediaTrackID> = []
  /// Tracks that were announced to everyone and have not ended.
  private(set) var announced: [TrackID: UserID] = [:]
  /// Tracks reported to the app's server.
  private(set) var reported: Set<TrackID> = []
  private var everAnnounced: Set<TrackID> = []
  private(set) var present: Set<UserID> = []
  private(set) var counts: [String: Int] = [:]

  /// Records an output that needs no answer.
  mutating func take(_ output: RoomOutput) throws {
    switch output {
    case .attach(let id): attached.insert(id)
    case .detach(let id), .replace(let id), .end(let id, _): attached.remove(id)
    case .send(let event, let id):
      guard attached.contains(id) else { throw Violation("\(event.name) is sent on a lost connection") }
      count(event.name)
    case .broadcast(let event, .these(let ids)):
      guard ids.allSatisfy(attached.contains) else { throw Violation("\(event.name) is sent on a lost connection") }
      count(event.name)
    case .broadcast(let event, .everyone): try take(event)
    case .media(let order): try take(order)
    case .program(let order): try take(order)
    case .report(let name, let data): try report(name, data)
    default: break
    }
  }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  private mutating func take(_ event: SignalEvent) throws {
    count(event.name)
    switch event {
    case .published(let data):
      for track in data.tracks {
        guard everAnnounced.insert(track.trackId).inserted else { throw Violation("\(track.trackId) is published twice") }
        announced[track.trackId] = data.userId
      }
    case .unpublished(let data):
      for track in data.trackIds {
        guard announced.removeValue(forKey: track) == data.userId else {
          throw Violation("\(track) is unpublished, but was not published by \(data.userId)")
        }
      }
    case .joined(let info):
      guard present.insert(info.userId).inserted else { throw Violation("\(info.userId) joined twice") }
    case .left(let data):
      guard present.remove(data.userId) != nil else { throw Violation("\(data.userId) left, but was not present") }
      announced = announced.filter { $0.value != data.userId }
    default: break
    }
  }

  private mutating func report(_ name: WebhookEvent.Name, _ data: any Encodable) throws {
    count("report \(name.rawValue)")
    switch data {
    case let data as WebhookEventData.Published:
      guard reported.insert(data.track.trackId).inserted else { throw Violation("trackPublished is reported twice") }
    case let data as WebhookEventData.Unpublished:
      guard reported.remove(data.trackId) != nil else {
        throw Violation("trackUnpublished is reported without its trackPublished")
      }
    default: break
    }
  }

  private mutating func take(_ order: MediaOrder) throws {
    switch order {
    case .open(let id, _, _):
      guard transports.insert(id).inserted else { throw Violation("\(id) is opened twice") }
    case .restart(let id, _), .connect(let id, _), .enableData(let id, _, _):
      guard transports.contains(id) else { throw Violation("\(id) is connected, but is not open") }
    case .close(let id):
      guard transports.remove(id) != nil else { throw Violation("\(id) is closed, but is not open") }
      for (track, transport) in tracks where transport == id { forget(track) }
      subscriptions = subscriptions.filter { $0.value.transport != id }
    case .publish(let track, let transport, _):
      guard transports.contains(transport) else { throw Violation("\(track) is published on a closed transport") }
      tracks[track] = .some(transport)
    case .unpublish(let track): forget(track)
    case .mute(let track, let isMuted):
      guard tracks[track] != nil else { throw Violation("\(track) is muted, but was removed") }
      if isMuted { muted.insert(track) } else { muted.remove(track) }
    case .subscribe(let id, let track, let transport, _, _):
      guard tracks[track] != nil else { throw Violation("a subscription to \(track), which was removed") }
      guard transports.contains(transport) else { throw Violation("a subscription on a closed transport") }
      subscriptions[id] = (track, transport)
      count("subscribed")
    case .unsubscribe(let id): subscriptions[id] = nil
    case .setReception(let id, _):
      guard subscriptions[id] != nil else { throw Violation("the reception of \(id) is set, but it was removed") }
      count("setReception")
    case .requestKeyFrame: break
    }
  }

  private mutating func forget(_ track: MediaTrackID) {
    tracks[track] = nil
    muted.remove(track)
  }

  private mutating func take(_ order: ProgramOrder) throws {
    switch order {
    case .inject(let track, _, _):
      guard tracks.updateValue(nil, forKey: track) == nil else { throw Violation("\(track) is injected twice") }
    case .closeRoom: (transports, tracks, muted, subscriptions) = ([], [:], [], [:])
    case .start(let job, let program), .continue(let job, let program):
      guard broadcasts.contains(job) else { throw Violation("\(job) is started without begin") }
      if case .mix(let mix, _, _) = program, !mixes.contains(mix) { throw Violation("\(job) sends a mix that was removed") }
      count("program")
    case .setTracks(let job, _, _):
      guard broadcasts.contains(job) else { throw Violation("tracks for \(job), which was removed") }
    case .stop(let job):
      guard broadcasts.contains(job) else { throw Violation("\(job) is stopped, but was removed") }
    case .setMixTracks(let mix, _, _), .publishMix(let mix, _, _, _), .addListener(let mix, _, _, _):
      guard mixes.contains(mix) else { throw Violation("\(order) of a mix that was removed") }
    case .endMix(let mix):
      guard mixes.remove(mix) != nil else { throw Violation("a mix ends twice") }
    case .link(let track, _, _):
      linked.insert(track)
      tracks[track] = .some(nil)
      count("linked")
    case .unlink(let track): linked.remove(track)
    default: break
    }
  }

  mutating func made(_ mix: MixID) { mixes.insert(mix) }
  mutating func began(_ job: JobID) { broadcasts.insert(job) }
  mutating func ended(_ job: JobID) { broadcasts.remove(job) }

  // MARK: Invariants

  /// Compares the room with the model.
  func check(_ core: RoomCore) throws {
    guard !core.isClosed else { return }
    for (id, subscription) in subscriptions where tracks[subscription.track] == nil {
      throw Violation("\(id) is to \(subscription.track), which was removed")
    }
    for (id, subscription) in subscriptions {
      // The others are mixes without the receiver's own sound.
      let media = core.published(subscription.track)
      guard let owner = core.roster.owner(of: media), let track = owner.tracks.first(where: { $0.id == media }),
        let receiver = core.roster.owner(of: subscription.transport)?.participant.user
          ?? core.viewers.viewer(on: subscription.transport)?.token.user
      else { continue }
      guard owner.permits(track.info.trackId, to: receiver) else {
        throw Violation("\(id): \(receiver) receives a track that \(owner.user) does not permit")
      }
    }
    var published: Set<MediaTrackID> = []
    var ids: [TrackID: UserID] = [:]
    var visible: Set<UserID> = []
    for participant in core.roster.all {
      if !participant.isHidden { visible.insert(participant.user) }
      for track in participant.tracks {
        published.insert(track.id)
        ids[track.info.trackId] = participant.user
        guard tracks[track.id] != nil else { throw Violation("\(participant.user) has a track that the worker does not have") }
        guard muted.contains(track.id) == track.info.muted else { throw Violation("\(track.id) is muted on one side only") }
        if !participant.isVirtual, !reported.contains(track.info.trackId) { throw Violation("a track was not reported") }
      }
      try checkPresence(of: participant, in: core)
    }
    let shown = core.roster.order.compactMap { core.roster[$0] }.filter { !$0.isHidden }.map(\.info)
    guard core.roster.shown == shown else { throw Violation("shown are \(core.roster.shown), but \(shown) are present") }
    let receivers = core.roster.all.filter(\.receiving.concernsTracks).map(\.user)
    guard core.roster.receivers == Set(receivers) else { throw Violation("receivers are \(core.roster.receivers)") }
    guard visible == present else { throw Violation("present are \(visible), but \(present) joined") }
    guard ids == announced else { throw Violation("published are \(ids), but \(announced) were announced") }
    // The others are the mixes that speakers receive without their own sound, and tracks in other codecs.
    let own = Set(core.mixes.values.flatMap { $0.published?.own.values.map(\.track.id) ?? [] })
    let renditions = core.renditions.filter { $0.value.refusal == nil }.keys
    let backups = core.backups.values.compactMap(\.media?.id)
    guard Set(tracks.keys) == published.union(own).union(renditions).union(backups) else {
      throw Violation("the worker has other tracks than the room")
    }
    guard Set(core.mixes.keys) == mixes else { throw Violation("the room has other mixes than were made") }
    for job in core.jobs.values {
      guard (job.broadcast != nil) == broadcasts.contains(job.id) else { throw Violation("\(job.id) has lost its broadcast") }
      if let mix = job.mix, !mixes.contains(mix) { throw Violation("\(job.id) has lost its mix") }
    }
    for job in core.jobs.values { try checkProgram(of: job, in: core) }
    guard core.newJobs.isEmpty, core.mixSteps.isEmpty else { throw Violation("an order was not answered") }
    let seated = Set(core.state.allSeats.compactMap(\.userId))
    let watching = core.roster.visible.compactMap { core.roster[$0] }.filter { $0.tracks.isEmpty && !seated.contains($0.user) }
    guard core.audience == watching.count + core.viewers.audience else { throw Violation("\(core.audience) people watch") }
    guard core.crowd.total.participants == core.roster.visible.count, core.roster.rated.allSatisfy({ core.roster[$0] != nil })
    else { throw Violation("the crowd has people who are not there") }
    guard core.roster.trackCount == published.count else { throw Violation("the roster counts other tracks") }
    guard core.changes.isEmpty else { throw Violation("changes are not reconciled") }
  }

  /// Checks that a job sends what it follows, unless that could not be made.
  private func checkProgram(of job: RoomEngine.Job, in core: RoomCore) throws {
    switch (core.wish(of: job), job.program) {
    case (.tracks(let wanted), .forward(let sent)):
      guard wanted.audio == sent.audio, wanted.video == sent.video else { throw Violation("\(job.id) sends another user") }
    case (.tracks, _): throw Violation("\(job.id) sends a composition, but should send tracks")
    case (.composition(let rendition), _):
      guard let mix = core.program.mixes[rendition] else {
        guard core.program.refused[rendition] != nil else { throw Violation("\(job.id) waits for a composition") }
        return
      }
      guard job.mix == mix else { throw Violation("\(job.id) sends an old composition") }
    case (nil, _): break
    }
  }

  private func checkPresence(of participant: Participant, in core: RoomCore) throws {
    let user = participant.user
    guard core.roster[user]?.session == participant.session else { throw Violation("\(user) can't be found") }
    if let connection = participant.connection {
      guard participant.isConnected, core.roster.user(of: connection) == user else {
        throw Violation("\(user) has a connection, but is disconnected")
      }
      guard !participant.presence.isClient || attached.contains(connection) else { throw Violation("\(user) is not attached") }
    }
    if let transport = participant.publishing?.id {
      guard core.roster.owner(of: transport)?.participant.user == user else { throw Violation("a transport has no owner") }
    }
    guard !participant.isVirtual else { return }
    guard core.state.users.contains(user) else { throw Violation("\(user) is in the roster, but not in the state") }
    // A host that joined again must resume the PK, which fails if another user took its seat.
    if let pk = core.state.snapshot(for: nil).pk, pk.host == user, pk.mode == .bridge, participant.joinedAt < pk.startedAt,
      pk.connected != participant.isConnected
    {
      throw Violation("\(user) is \(participant.isConnected ? "" : "not ")connected, but the PK disagrees")
    }
    guard let seat = core.state.seat(of: user) else { return }
    for track in participant.tracks {
      if seat.isOff(track.info.kind), !track.info.muted { throw Violation("\(user) is muted by its seat, but sends") }
    }
  }
}
