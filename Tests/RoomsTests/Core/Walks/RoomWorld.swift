import Foundation
import NIOCore
import RoomPeers
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import Testing
import RoomWebRTC

@testable import RoomEngine

/// Rooms with users that join by all entry points, and the code that performs the rooms' outputs.
struct RoomWorld {
  struct Party {
    var core: RoomCore
    var model = RoomModel()
    /// Connections of encoders, by user.
    var encoders: [UserID: ConnectionID] = [:]
    var sessions: [UserID: (session: SessionID, connection: ConnectionID, token: RoomToken)] = [:]
    var viewers: [SessionResourceID] = []
    /// The PK for which each other room borrows tracks of this one.
    var borrowers: [RoomName: PKID] = [:]
    var requests = 0
    /// The members in the simulated store.
    var storedMembers: [UserID: Member] = [:]

    /// Stores the changes, as a store that keeps each member separately; returns the room as it would be loaded.
    mutating func store() -> StoredRoom? {
      guard let change = core.takeStored() else { return nil }
      if change.members.isWhole { storedMembers = [:] }
      for (user, member) in change.members.members { storedMembers[user] = member }
      var room = change.room
      room.state.addStored(storedMembers)
      return room
    }
  }

  enum Letter {
    case message(PKMessage)
    case lend(UserID, to: RoomName, PKID)
    case endLending(of: RoomName, to: RoomName)
    case lent(LentTracks, to: RoomName)
    case ended(JobID, of: RoomName)
  }

  static let names: [RoomName] = ["a", "b"]
  private static let offers = Offers()
  var parties: [Party] = []
  private var random: Entropy
  private var letters: [Letter] = []
  private var lastConnection: UInt64 = 0
  private var time = RoomTime(instant: Instant(microseconds: 1_000_000), unix: 1_700_000_000_000)
  private(set) var done: [String: Int] = [:]

  init(seed: UInt64) {
    random = .seeded(seed)
    for name in Self.names { parties.append(newParty(name, stored: nil)) }
  }

  private mutating func newParty(_ name: RoomName, stored: RoomState?) -> Party {
    var limits = RoomBounds()
    limits.changesPerSecond = 1000
    limits.changeBurst = 10_000
    var settings = RoomCore.Settings(
      graceTime: .seconds(20), emptyTime: .seconds(40), participants: 12, limits: limits, pingInterval: .seconds(5))
    settings.isStored = true
    settings.audience = random.pick([.mixed, .mixed, .voice, .separate])
    settings.fingerprints = [Fingerprint(algorithm: "sha-256", bytes: [UInt8](repeating: 7, count: 32))]
    return Party(
      core: RoomCore(name: name, settings: settings, stored: stored, at: time, entropy: .seeded(random.next())))
  }

  // MARK: One step

  mutating func step(_ number: Int) throws {
    let pause = random.chance(1, in: 300) ? random.below(45_000) : random.below(60)
    time = RoomTime(instant: time.instant.advanced(milliseconds: Int64(pause)), unix: time.unix + Int64(pause))
    let index = random.below(parties.count)
    parties[index].core.advance(to: time)
    let what = act(on: index)
    done[what, default: 0] += 1
    try carryOut(index)
    while !letters.isEmpty, random.chance(4, in: 5) { try deliver(letters.removeFirst()) }
    for index in parties.indices where parties[index].core.isClosed { try replace(index) }
    if number % 64 == 0 { for party in parties { try party.model.check(party.core) } }
  }

  /// Performs a room's outputs, as `Room` does.
  private mutating func carryOut(_ index: Int) throws {
    var outputs = parties[index].core.takeOutputs()[...]
    while let output = outputs.popFirst() {
      guard try carryOut(output, index) else { continue }
      outputs = (parties[index].core.takeOutputs() + outputs)[...]
    }
  }

  /// Returns true if the room received another input meanwhile.
  private mutating func carryOut(_ output: RoomOutput, _ index: Int) throws -> Bool {
    let name = parties[index].core.name
    switch output {
    case .program(.begin(let job, let broadcast, let mix)):
      if random.chance(1, in: 12) {
        parties[index].core.began(job, .failure(RoomError(.publishFailed, "chance")))
        return true
      }
      if let mix { parties[index].model.made(mix.id) }
      if broadcast != nil { parties[index].model.began(job) }
      parties[index].core.began(job, .success(broadcast.map { _ in BroadcastGrant(isDirect: true, recording: nil) }))
      return true
    case .program(.makeMix(let mix, _)):
      let fails = random.chance(1, in: 8)
      if !fails { parties[index].model.made(mix) }
      parties[index].core.made(mix, fails ? RoomError(.publishFailed, "chance") : nil)
      return true
    case .program(.arrange(let mix, _)):
      parties[index].core.arranged(mix, random.chance(1, in: 20) ? RoomError(.cdnParameters, "chance") : nil)
      return true
    case .program(.stop(let job)):
      try parties[index].model.take(output)
      letters.append(.ended(job, of: name))
    case .program(.lend(let items, let room)):
      guard let pk = parties[index].borrowers[room.room] else { break }
      let tracks = items.map {
        LentTrack(id: $0.source.track, info: $0.info, parameters: $0.parameters, handle: NoHandle.shared)
      }
      letters.append(.lent(LentTracks(pkId: pk, room: name, tracks: tracks), to: room.room))
    case .peer(.message(let message)): letters.append(.message(message))
    case .peer(.borrow(let user, let room, let pk)):
      letters.append(.lend(user, to: name, pk)); done["borrow \(room)", default: 0] += 1
    case .peer(.endBorrowing(let room)): letters.append(.endLending(of: room, to: name))
    case .store:
      if random.chance(1, in: 4) { _ = parties[index].store() }
      if random.chance(1, in: 100) { parties[index].core.state.forgetStored() }
    default: try parties[index].model.take(output)
    }
    return false
  }

  private mutating func deliver(_ letter: Letter) throws {
    func index(_ name: RoomName) -> Int? { Self.names.firstIndex(of: name) }
    switch letter {
    case .message(let message):
      guard let to = index(message.to) else {
        if let bounced = message.bounced { letters.append(.message(bounced)) }
        return
      }
      parties[to].core.advance(to: time)
      parties[to].core.receive(message)
      try carryOut(to)
    case .lend(let user, let borrower, let pk):
      guard let from = index(borrower == "a" ? "b" : "a") else { return }
      parties[from].core.advance(to: time)
      parties[from].borrowers[borrower] = pk
      parties[from].core.lend(user, to: Borrower(borrower))
      try carryOut(from)
    case .endLending(let lender, let borrower):
      guard let from = index(lender) else { return }
      parties[from].core.endLending(to: Borrower(borrower))
      try carryOut(from)
    case .lent(let tracks, let borrower):
      guard let to = index(borrower) else { return }
      parties[to].core.advance(to: time)
      parties[to].core.borrow(tracks)
      try carryOut(to)
    case .ended(let job, let room):
      guard let of = index(room), parties[of].model.broadcasts.contains(job) else { return }
      parties[of].model.ended(job)
      parties[of].core.handle(.ended(ProgramID(1), .stopped), of: job)
      try carryOut(of)
    }
  }

  /// Replaces a closed room by a new one.
  private mutating func replace(_ index: Int) throws {
    done["closed", default: 0] += 1
    letters.removeAll { if case .ended(_, of: let room) = $0 { room == Self.names[index] } else { false } }
    parties[index] = newParty(Self.names[index], stored: nil)
  }

  /// Restarts the server from what it stored.
  private mutating func restart(_ index: Int) -> String {
    guard let whole = parties[index].core.stored, let loaded = parties[index].store() else { return "no restart" }
    #expect(loaded.isStored(as: whole))
    guard let data = try? JSONEncoder().encode(loaded), let stored = try? JSONDecoder().decode(StoredRoom.self, from: data)
    else { return "no restart" }
    letters.removeAll { if case .ended(_, of: let room) = $0 { room == Self.names[index] } else { false } }
    parties[index] = newParty(Self.names[index], stored: stored.state)
    parties[index].core.restore(stored.jobs)
    return "restart"
  }

  // MARK: What people do

  private mutating func newConnection() -> ConnectionID {
    lastConnection += 1
    return ConnectionID(lastConnection)
  }

  private func token(_ user: UserID, _ index: Int, _ grants: Grants) -> RoomToken {
    RoomToken(room: Self.names[index], user: user, grants: grants, expires: .distantFuture, id: "\(user)")
  }

  /// The users of each room: its host and four others.
  private static let users: [[UserID]] = names.map { ["host-\($0)", "ann", "bob", "cid", "eve"] }

  private func host(_ index: Int) -> UserID { Self.users[index][0] }

  private mutating func act(on index: Int) -> String {
    let user = random.pick(Self.users[index])
    switch random.below(100) {
    case 0..<9: return join(user, index)
    case 9..<13: return lose(user, index)
    case 13..<15: return request(.leave, "leave", user == host(index) && random.chance(9, in: 10) ? "ann" : user, index)
    case 15..<24: return encoder(user, index)
    case 24..<27: return whip(user, index)
    case 27..<29: return view(index)
    case 29..<40: return media(index)
    case 40..<58: return seats(user, index)
    case 58..<64: return mute(user, index)
    case 64..<68: return select(user, index)
    case 68: return publish(user, index)
    case 69: return answer(user, index)
    case 70: return kick(user, index)
    case 71..<77: return jobs(user, index)
    case 77..<92: return pk(user, index)
    case 92..<96: return request(.sendMessage(MessageParams(.text, text: "hello")), "message", user, index)
    case 96: return random.chance(1, in: 40) ? restart(index) : "nothing"
    case 97:
      guard random.chance(1, in: 80) else { return "nothing" }
      parties[index].core.close(EndedData(reason: .roomClosed))
      return "close"
    case 98: return permit(user, index)
    default: return "nothing"
    }
  }

  private func grants(_ user: UserID) -> Grants {
    switch user {
    case _ where user.rawValue.hasPrefix("host"): [.admin, .publish, .subscribe, .relay]
    case "ann": [.publish, .subscribe]
    case "bob": [.subscribe]
    case "cid": [.publish]
    default: [.publish, .subscribe, .hidden]
    }
  }

  private mutating func join(_ user: UserID, _ index: Int) -> String {
    let connection = newConnection()
    let old = parties[index].sessions[user]
    let resumes = random.chance(1, in: 2)
    var params = JoinParams(token: "", resume: resumes ? old?.session : nil)
    params.autoSubscribe = random.chance(1, in: 3)
    params.audioLevels = random.chance(1, in: 3)
    params.preferSmall = random.chance(1, in: 4)
    let token = token(user, index, grants(user))
    guard case .joined(let session) = parties[index].core.join(token, params, request: 1, on: connection) else {
      return "refused"
    }
    parties[index].sessions[user] = (session, connection, token)
    return resumes && session == old?.session ? "resume" : "join"
  }

  private mutating func lose(_ user: UserID, _ index: Int) -> String {
    guard let session = parties[index].sessions[user], user != host(index) || random.chance(1, in: 4) else { return "nobody" }
    parties[index].core.connectionLost(session.session, of: user, session.connection)
    return "lose"
  }

  private mutating func request(_ call: SignalCall, _ what: String, _ user: UserID, _ index: Int) -> String {
    guard let session = parties[index].sessions[user] else { return "nobody" }
    parties[index].requests += 1
    let request = SignalRequest(id: parties[index].requests, call: call)
    _ = parties[index].core.handle(request, session: session.session, of: user, on: session.connection)
    return what
  }

  private mutating func encoder(_ user: UserID, _ index: Int) -> String {
    guard grants(user).contains(.publish), !grants(user).contains(.hidden) else { return "nobody" }
    guard let encoder = parties[index].encoders[user] else {
      let connection = newConnection()
      let joined = parties[index].core.publish(token(user, index, grants(user)), from: connection, by: .rtmp)
      guard case .joined = joined else { return "refused" }
      parties[index].encoders[user] = connection
      return "encoder"
    }
    switch random.below(5) {
    case 0, 1, 2:
      let isVideo = random.chance(1, in: 2)
      let track = EncoderTrack(
        kind: isVideo ? .video : .audio, codec: isVideo ? .h264(.constrainedBaseline) : .opus, width: 640, height: 360, fps: 25,
        cname: "cname")
      return parties[index].core.publish(track, from: encoder) == nil ? "no encoder" : "encoder track"
    case 3:
      parties[index].encoders[user] = nil
      parties[index].core.encoderLost(encoder)
      return "encoder lost"
    default:
      parties[index].encoders[user] = nil
      if random.chance(1, in: 2) {
        parties[index].core.encoderFailed(encoder, by: .rtmp, "chance")
      } else {
        parties[index].core.encoderLost(encoder)
      }
      return "encoder failed"
    }
  }

  private mutating func whip(_ user: UserID, _ index: Int) -> String {
    guard random.chance(1, in: 8) else { return "nothing" }
    guard grants(user).contains(.publish), !grants(user).contains(.hidden) else { return "nobody" }
    let offer = random.pick(Self.offers.publish)
    return (try? parties[index].core.publish(token(user, index, grants(user)), offer: offer)) == nil ? "no WHIP" : "WHIP"
  }

  private mutating func view(_ index: Int) -> String {
    if !parties[index].viewers.isEmpty, random.chance(1, in: 2) {
      let id = parties[index].viewers.remove(at: random.below(parties[index].viewers.count))
      try? parties[index].core.finish(id, of: "bob", .view)
      return "view ends"
    }
    guard random.chance(1, in: 8) else { return "nothing" }
    let source: Viewer.Source = random.chance(1, in: 2) ? .stage : .user(random.pick(Self.users[index]))
    guard let answer = try? parties[index].core.view(token("bob", index, [.subscribe]), source, offer: Self.offers.view) else {
      return "no WHEP"
    }
    parties[index].viewers.append(answer.resource.id)
    return "WHEP"
  }

  private mutating func media(_ index: Int) -> String {
    let transports = parties[index].model.transports
    if random.chance(1, in: 3) {
      let tracks = Array(parties[index].model.tracks.keys.prefix(3))
      parties[index].core.handle(
        random.chance(1, in: 2) ? .activeSpeakers(tracks) : .audioLevels(tracks.map { TrackLevel(track: $0, level: -30) }))
      return "speakers"
    }
    guard let transport = transports.min(by: { $0.rawValue % 7 < $1.rawValue % 7 }) ?? transports.first else {
      return "nothing"
    }
    let event: MediaEvent =
      switch random.below(13) {
      case 12:
        .layersChanged(
          parties[index].model.tracks.keys.first ?? MediaTrackID(1),
          [TrackLayer(rid: "q", size: PictureSize(width: 320, height: 180))])
      case 0: .transportFailed(transport, .timeout)
      case 1: .transportClosed(transport)
      case 2..<5: .transportDisconnected(transport)
      case 5: .layersWanted(parties[index].model.tracks.keys.first ?? MediaTrackID(1), ["q", "h"])
      default: .transportConnected(transport)
      }
    parties[index].core.handle(event)
    return "media"
  }

  private mutating func seats(_ user: UserID, _ index: Int) -> String {
    let other = random.pick(Self.users[index])
    let seat = random.below(3)
    let call: SeatCall =
      switch random.below(12) {
      case 0, 1: .take(SeatParams(index: seat))
      case 2: .leave
      case 3: .kick(UserParams(userId: other))
      case 4, 5, 6:
        .set(
          SeatSwitches(
            index: seat, muted: random.chance(1, in: 2), video: random.chance(1, in: 2), audio: random.chance(1, in: 2)))
      case 7: .setLayout(LayoutParams(random.pick([.oneToOne, .oneToSix, .gridThree])))
      case 8: .request(SeatParams(index: seat))
      case 9: .acceptRequest(UserParams(userId: other))
      case 10: .invite(SeatInviteParams(userId: other, index: seat))
      default: .acceptInvitation
      }
    if random.chance(1, in: 4) {
      _ = try? parties[index].core.perform(.seats(call))
      return "seat by the API"
    }
    return request(.seats(call), "seat", user, index)
  }

  private mutating func mute(_ user: UserID, _ index: Int) -> String {
    guard let track = parties[index].model.announced.keys.min() else { return "no track" }
    let params = MuteParams(trackId: track, muted: random.chance(1, in: 2))
    if random.chance(1, in: 3) {
      _ = try? parties[index].core.perform(.mute(params))
      return "mute by the API"
    }
    return request(.mute(params), "mute", user, index)
  }

  private mutating func select(_ user: UserID, _ index: Int) -> String {
    if random.chance(1, in: 3), let track = parties[index].model.announced.keys.min() {
      let choice = TrackReception(
        trackId: track, maxHeight: random.chance(1, in: 2) ? 180 : nil, paused: random.chance(1, in: 3))
      return request(.setReception(ReceptionParams(tracks: [choice])), "reception", user, index)
    }
    let selection =
      random.chance(1, in: 2)
      ? TrackSelection(userIds: [random.pick(Self.users[index])])
      : TrackSelection(trackIds: parties[index].model.announced.keys.min().map { [$0] } ?? [])
    return request(random.chance(1, in: 2) ? .subscribe(selection) : .unsubscribe(selection), "select", user, index)
  }

  /// Lets a user choose who receives its tracks.
  private mutating func permit(_ user: UserID, _ index: Int) -> String {
    guard let participant = parties[index].core.roster[user] else { return "nothing" }
    let some = participant.tracks.first.map { Set([$0.info.trackId]) } ?? []
    let permissions = random.pick([
      SubscriptionPermissions.everyone, SubscriptionPermissions(only: [random.pick(Self.users[index]): .all]),
      SubscriptionPermissions(only: ["bob": .only(some)]),
    ])
    try? parties[index].core.setSubscribers(permissions, of: user, participant.session)
    return "permit"
  }

  private mutating func publish(_ user: UserID, _ index: Int) -> String {
    var params = random.pick(Self.offers.params)
    params.restart = true
    return request(.publish(params), "publish", user, index)
  }

  private mutating func answer(_ user: UserID, _ index: Int) -> String {
    guard let pending = parties[index].core.roster[user]?.receiving.transport?.pending else { return "no offer" }
    var answer = SubscribeAnswer(local: Descriptions.transport()) { _ in true }
    guard let answered = try? answer.answer(pending.sdp) else { return "no answer" }
    return request(.answer(AnswerParams(offer: pending.offer, sdp: answered.sdp)), "answer", user, index)
  }

  private mutating func kick(_ user: UserID, _ index: Int) -> String {
    guard user != host(index) || random.chance(1, in: 20) else { return "nothing" }
    _ = try? parties[index].core.perform(.kick(UserParams(userId: user)))
    return "kick"
  }

  private mutating func jobs(_ user: UserID, _ index: Int) -> String {
    let id = JobID("job\(random.below(3))")
    let layouts = [random.pick(Self.users[index]), random.pick(Self.users[index])].map {
      TrackLayout(userId: $0, x: 0, y: 0, width: 64, height: 64)
    }
    let call: SignalCall
    switch random.below(8) {
    case 0: call = .startForward(ForwardParams(jobId: id, publishUrl: "rtmp://localhost/live/\(id)", userId: host(index)))
    case 5: call = .startForward(ForwardParams(jobId: id, publishUrl: "rtmp://localhost/live/\(id)", follow: .stage))
    case 6: call = .setStage(StagePicture(fps: random.pick([10, 24]), names: random.chance(1, in: 2), scores: true))
    case 7:
      let program = parties[index].core.program
      let number = program.lastNumber
      let edited = program.isPending ? program.proposed?.composition : nil
      let edits: [SignalCall] = [
        .editComposition(EditCompositionParams(deadline: random.pick([200, 200, nil]))),
        .setComposition(CompositionParams(number: number, composition: edited)),
      ]
      return request(random.pick(edits), "composition", host(index), index)
    case 1:
      call = .startMerge(
        MergeParams(jobId: id, publishUrl: "rtmp://localhost/live/\(id)", width: 64, height: 64, layouts: layouts))
    case 2: call = .startMerge(MergeParams(jobId: id, publishAs: "mixed", width: 64, height: 64, layouts: layouts))
    case 3: call = .setLayouts(LayoutsParams(jobId: id, layouts: layouts))
    default: call = .stopJob(JobParams(jobId: id))
    }
    if random.chance(1, in: 2) { return request(call, "job", user, index) }
    _ = try? parties[index].core.perform(call)
    return "job by the API"
  }

  private mutating func pk(_ user: UserID, _ index: Int) -> String {
    let other = Self.names[1 - index]
    // A PK needs a host on the first seat of both rooms.
    if random.chance(1, in: 2) {
      if parties[index].core.roster[host(index)]?.isConnected != true { return join(host(index), index) }
      if parties[index].core.state.seat(of: host(index))?.index != 0 {
        return request(.seats(.take(SeatParams(index: 0))), "seat", host(index), index)
      }
    }
    let invitations = parties[index].core.state.snapshot(for: nil).pkInvitations
    let invitation = invitations.last { $0.from.room == other }?.pkId ?? "none"
    let call: PKCall =
      switch random.below(10) {
      case 0, 1, 2:
        .invite(
          PKInviteParams(
            room: other, mode: random.chance(1, in: 4) ? .move : .bridge,
            duration: random.chance(1, in: 3) ? 10 + random.below(30) : nil))
      case 3, 4, 5, 6: .accept(PKParams(pkId: invitation))
      case 7: .mutePeer(PKMuteParams(muted: random.chance(1, in: 2)))
      case 7 where random.chance(1, in: 3): .extend(PKExtendParams(seconds: 5))
      case 8: .setScore(PKScoreParams(score: random.below(9)))
      default: random.chance(1, in: 5) ? .quit : .mutePeer(PKMuteParams(muted: false))
      }
    if random.chance(1, in: 2) {
      _ = try? parties[index].core.perform(.pk(call))
      return "PK by the API"
    }
    return request(.pk(call), "PK", user == "bob" ? host(index) : user, index)
  }
}

/// Session descriptions, created once: they take longer than everything else.
private struct Offers: Sendable {
  let publish: [String]
  let params: [PublishParams]
  let view: String

  init() {
    publish = [[RTPCodec.opus], [.opus, .vp8]].compactMap { codecs in
      var publisher = TestPublisher()
      return try? publisher.publish(codecs).sdp
    }
    params = [[RTPCodec.opus], [.opus, .vp8]].compactMap { codecs in
      var publisher = TestPublisher()
      return try? publisher.publish(codecs)
    }
    view = HTTPOffer.view(.opus, .vp8)
  }
}

final class NoHandle: LentHandle {
  static let shared = NoHandle()

  var decoded: DecodedTrack? { nil }
  var layers: Int { 1 }

  func copy(to injection: TrackInjection) -> @Sendable () -> Void { {} }
  func show(_ size: PictureSize?, by room: ObjectIdentifier) {}
}

extension Entropy {
  /// Returns a number in 0 ..< count; faster than `Int.random` in unoptimized builds.
  fileprivate mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % count }
  fileprivate mutating func chance(_ one: Int, in count: Int) -> Bool { below(count) < one }
  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
