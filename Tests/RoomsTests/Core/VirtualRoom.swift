import Foundation
import RoomRTP
import RoomProtocol
import RoomToken
import RoomPeers
import Testing
import RoomWebRTC

@testable import RoomEngine

/// A room in virtual time, without an environment.
struct VirtualRoom {
  var core: RoomCore
  private var time = RoomTime(instant: Instant(microseconds: 0), unix: 1_700_000_000_000)
  private var connections: UInt64 = 0
  private var sessions: [UserID: (session: SessionID, connection: ConnectionID)] = [:]

  init(name: RoomName = "a", _ change: (inout RoomCore.Settings) -> Void = { _ in }) {
    var settings = RoomCore.Settings(
      graceTime: .seconds(20), emptyTime: .seconds(60), participants: 10, limits: RoomBounds(), pingInterval: .seconds(5))
    settings.fingerprints = [Fingerprint(algorithm: "sha-256", bytes: [UInt8](repeating: 7, count: 32))]
    change(&settings)
    core = RoomCore(name: name, settings: settings, at: time, entropy: .seeded(1))
  }

  func token(_ user: UserID, _ grants: Grants) -> RoomToken {
    RoomToken(room: core.name, user: user, grants: grants, expires: .distantFuture, id: "")
  }

  mutating func newConnection() -> ConnectionID {
    connections += 1
    return ConnectionID(connections)
  }

  mutating func join(_ user: UserID, _ grants: Grants, traits: ClientTraits = [], resumes: Bool = false) {
    let connection = newConnection()
    let params = JoinParams(token: "", resume: resumes ? sessions[user]?.session : nil)
    guard case .joined(let session) = core.join(token(user, grants), params, request: 1, on: connection, traits: traits) else {
      return
    }
    sessions[user] = (session, connection)
  }

  mutating func lose(_ user: UserID) throws {
    let session = try #require(sessions[user])
    core.connectionLost(session.session, of: user, session.connection)
  }

  mutating func permit(_ permissions: SubscriptionPermissions, of user: UserID) throws {
    try core.setSubscribers(permissions, of: user, try #require(core.roster[user]).session)
  }

  /// Accepts the m-lines of a user's pending offer whose codec the user decodes.
  mutating func answer(_ user: UserID, accepts: @escaping @Sendable (RTPCodec) -> Bool = { _ in true }) throws {
    let pending = try #require(core.roster[user]?.receiving.transport?.pending)
    var answer = SubscribeAnswer(local: Descriptions.transport(), accepts: accepts)
    try call(.answer(AnswerParams(offer: pending.offer, sdp: try answer.answer(pending.sdp).sdp)), by: user)
  }

  /// The user of a connection.
  func user(_ connection: ConnectionID) -> UserID? { sessions.first { $0.value.connection == connection }?.key }

  mutating func call(_ call: SignalCall, by user: UserID) throws {
    let session = try #require(sessions[user])
    _ = core.handle(SignalRequest(id: 2, call: call), session: session.session, of: user, on: session.connection)
  }

  /// Publishes tracks of a user by an encoder, which takes the user's session.
  mutating func publish(_ user: UserID, _ grants: Grants, width: Int? = nil, height: Int? = nil) throws {
    let encoder = newConnection()
    guard case .joined = core.publish(token(user, grants), from: encoder, by: .rtmp) else {
      throw RoomError(.joinFailed, "rejected")
    }
    _ = core.publish(EncoderTrack(kind: .audio, codec: .opus, cname: "c"), from: encoder)
    let h264 = RTPCodec.h264(.constrainedBaseline, level: .level31)
    _ = core.publish(EncoderTrack(kind: .video, codec: h264, width: width, height: height, cname: "c"), from: encoder)
  }

  mutating func pass(_ duration: Duration) {
    time = RoomTime(instant: time.instant.advanced(by: duration), unix: time.unix + duration.milliseconds)
    core.advance(to: time)
  }

  /// Performs the room's outputs; every mix and broadcast is made at once.
  mutating func settle() -> [RoomOutput] {
    var done: [RoomOutput] = []
    var outputs = core.takeOutputs()[...]
    while let output = outputs.popFirst() {
      done.append(output)
      switch output {
      case .program(.begin(let job, let broadcast, _)):
        core.began(job, .success(broadcast.map { _ in BroadcastGrant(isDirect: true, recording: nil) }))
      case .program(.arrange(let mix, _)): core.arranged(mix, nil)
      case .program(.makeMix(let mix, _)): core.made(mix, nil)
      default: continue
      }
      outputs = (core.takeOutputs() + outputs)[...]
    }
    return done
  }

  /// The plan of the room's own mix.
  var stage: MixPlan? { core.jobs[JobID.stage]?.mix.flatMap { core.mixes[$0]?.plan } }
}
