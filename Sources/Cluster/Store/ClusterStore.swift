import Foundation
import RoomProtocol
import RoomRedis

/// The members and leases of a cluster in Redis.
///
/// A write counts once as many replicas have acknowledged it as the address demands, so that a failover does not lose it.
public struct ClusterStore: Sendable {
  /// The answer to a renewal.
  public struct Renewal: Sendable, Hashable {
    /// Nil if the node is no member.
    public var members: MemberReading.Answer?
    /// Rooms whose owners are no members.
    public var orphans: [RoomName: Incarnation] = [:]
    /// Kicked users' tokens that are new, as the store of rooms wrote them, with the number of the last one.
    public var kicks: [[UInt8]] = []
    public var lastKick: Int64 = 0
  }

  /// The answer to a claim.
  public enum Claim: Sendable, Hashable {
    case own(RoomLease)
    /// Nil for a room without an owner: it lost the expected one meanwhile.
    case other(Incarnation?)
  }

  public let redis: RedisClient

  public init(_ redis: RedisClient) { self.redis = redis }

  private var replicas: Int { redis.url.replicas }

  /// Enters the members, or stays one.
  public func join(
    _ node: NodeID, process: UInt64, previous: Incarnation?, leaving: [Incarnation], report: NodeReport,
    in session: RedisSession
  ) async throws(RedisError) -> NodeLease.Entry {
    let reply = try await redis.run(
      ClusterScripts.join,
      keys: [
        ClusterKeys.epoch, ClusterKeys.members, ClusterKeys.process, ClusterKeys.version, ClusterKeys.changes,
        ClusterKeys.ended,
      ],
      [
        session.process, node.text, String(process, radix: 16), Self.record(beat: 0, seen: 0, report),
        previous?.description ?? "",
      ].map(Self.bytes) + leaving.map { Self.bytes($0.description) }, replicas: replicas, in: session)
    guard let parts = reply.elements, parts.count == 6, let incarnation = parts[0].text.flatMap({ Incarnation($0) }),
      let epoch = parts[1].number, let members = parts[2].elements, let age = parts[3].number,
      let version = parts[5].number
    else { throw .unexpected("to join") }
    return NodeLease.Entry(
      incarnation: incarnation, membership: Membership(epoch, version, Self.members(members)),
      // A longer time has no other meaning.
      age: min(age, 86_400_000) * 1000, isNewStore: parts[4].number == 1)
  }

  /// Renews the lease of a member.
  /// - Parameters:
  ///   - reading: the members that it reads.
  ///   - lastKick: the last kick that the node knows.
  public func renew(
    _ own: Incarnation, beat: Int64, seen: Int64, report: NodeReport, _ reading: MemberReading, lastKick: Int64,
    in session: RedisSession
  ) async throws(RedisError) -> Renewal {
    let reply = try await redis.run(
      ClusterScripts.renew,
      keys: [
        ClusterKeys.epoch, ClusterKeys.members, ClusterKeys.ended, ClusterKeys.kicks, ClusterKeys.version, ClusterKeys.changes,
      ],
      ([
        own.description, Self.record(beat: beat, seen: seen, report), ClusterKeys.owned, "\(lastKick)",
        reading.since.map { "\($0)" } ?? "",
      ] + reading.records.map(\.description)).map(Self.bytes), replicas: replicas, in: session)
    guard let parts = reply.elements else { throw .unexpected("to renew") }
    guard !parts.isEmpty else { return Renewal() }
    guard parts.count == 6, let epoch = parts[0].number, let members = parts[1].elements, let orphans = parts[2].elements,
      let kicks = parts[3].elements, let version = parts[4].number, let isWhole = parts[5].number
    else { throw .unexpected("to renew") }
    let answer: MemberReading.Answer =
      if isWhole == 1 {
        .all(Membership(epoch, version, Self.members(members)))
      } else {
        .changes(
          MembershipChanges(
            epoch: epoch, version: version, members: Self.members(members),
            ended: Self.pairs(members).compactMap { $1 == .null ? $0.text.flatMap { Incarnation($0) } : nil }))
      }
    var renewal = Renewal(members: answer, orphans: Self.orphans(orphans))
    renewal.lastKick = lastKick
    for (kick, number) in Self.pairs(kicks) {
      renewal.kicks.append(kick.bytes ?? [])
      renewal.lastKick = max(renewal.lastKick, number.number ?? 0)
    }
    return renewal
  }

  /// Removes a member whose beat is the same. Returns nil if the node itself is no member.
  public func end(
    _ member: Incarnation, beat: Int64, by own: Incarnation, in session: RedisSession
  ) async throws(RedisError) -> (epoch: Int64, hasEnded: Bool, orphans: [RoomName: Incarnation])? {
    let reply = try await redis.run(
      ClusterScripts.end,
      keys: [ClusterKeys.epoch, ClusterKeys.members, ClusterKeys.ended, ClusterKeys.version, ClusterKeys.changes],
      [own.description, member.description, "\(beat)", ClusterKeys.owned].map(Self.bytes), replicas: replicas, in: session)
    guard let parts = reply.elements else { throw .unexpected("to end") }
    guard !parts.isEmpty else { return nil }
    guard parts.count == 3, let epoch = parts[0].number, let isMember = parts[1].number, let orphans = parts[2].elements else {
      throw .unexpected("to end")
    }
    return (epoch, isMember == 0, Self.orphans(orphans))
  }

  /// Removes the node's own incarnation.
  public func leave(_ own: Incarnation, in session: RedisSession) async throws(RedisError) {
    _ = try await redis.run(
      ClusterScripts.leave, keys: [ClusterKeys.members, ClusterKeys.version, ClusterKeys.changes, ClusterKeys.ended],
      [Self.bytes(own.description)], in: session)
  }

  /// The maximum number of rooms in one script, so that none takes longer than some ms.
  private static let assertedAtOnce = 500

  /// Writes the owner of rooms after a change of the store. Returns those that another node owns.
  public func assert(
    _ leases: [RoomLease], _ own: Incarnation, in session: RedisSession
  ) async throws(RedisError) -> [RoomName] {
    var refused: [RoomName] = []
    var rest = leases[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.assertedAtOnce)
      rest = rest.dropFirst(Self.assertedAtOnce)
      let reply = try await redis.run(
        ClusterScripts.assert, keys: [ClusterKeys.members, ClusterKeys.ended] + part.map { ClusterKeys.lease($0.room) },
        ([own.description, "\(own.node):", ":\(String(own.process, radix: 16))", ClusterKeys.owned]
          + part.flatMap { [$0.room.rawValue, "\($0.fence)"] }).map(Self.bytes), replicas: replicas, in: session)
      guard let names = reply.elements else { throw .unexpected("to assert") }
      refused += names.compactMap { $0.text.map { RoomName($0) } }
    }
    return refused
  }

  /// Claims a room.
  /// - Parameter expected: the owner that has ended; nil for a room without one.
  public func claim(
    _ room: RoomName, from expected: Incarnation?, by own: Incarnation, in session: RedisSession
  ) async throws(RedisError) -> Claim {
    let reply = try await redis.run(
      ClusterScripts.claim, keys: [ClusterKeys.members, ClusterKeys.ended, ClusterKeys.lease(room)],
      [own.description, expected?.description ?? "", room.rawValue, ClusterKeys.owned].map(Self.bytes), replicas: replicas,
      in: session)
    if case .integer(let fence) = reply { return .own(RoomLease(room: room, fence: fence)) }
    return .other(reply.text.flatMap { Incarnation($0) })
  }

  /// Claims a room that its owner gives. The other owner is the giver itself if it has taken the room back.
  public func receive(
    _ handover: Handover, by own: Incarnation, in session: RedisSession
  ) async throws(RedisError) -> Claim {
    let reply = try await redis.run(
      ClusterScripts.receive, keys: [ClusterKeys.members, ClusterKeys.ended, ClusterKeys.lease(handover.room)],
      [own.description, handover.owner.description, handover.room.rawValue, ClusterKeys.owned, "\(handover.fence)"].map(
        Self.bytes), replicas: replicas, in: session)
    if case .integer(let fence) = reply { return .own(RoomLease(room: handover.room, fence: fence)) }
    return .other(reply.text.flatMap { Incarnation($0) })
  }

  /// Gives a room up.
  public func release(_ lease: RoomLease, by own: Incarnation) async throws(RedisError) {
    _ = try await redis.run(
      ClusterScripts.release, keys: [ClusterKeys.lease(lease.room)],
      [own.description, "\(lease.fence)", lease.room.rawValue, ClusterKeys.owned].map(Self.bytes))
  }

  /// Returns the owner of a room, which may have ended; nil if it has none.
  public func owner(of room: RoomName) async throws(RedisError) -> Incarnation? {
    try await redis.send(["HGET", ClusterKeys.lease(room), "owner"]).text.flatMap { Incarnation($0) }
  }

  /// Returns the secret of the cluster. The first node makes it.
  /// - Parameter proposal: random bytes, in hexadecimal.
  public func secret(proposal: String) async throws(RedisError) -> String {
    let replies = try await redis.pipeline([["SET", ClusterKeys.secret, proposal, "NX"], ["GET", ClusterKeys.secret]])
    guard replies.count == 2, let secret = replies[1].text, !secret.isEmpty else { throw .unexpected("to secret") }
    return secret
  }

  // MARK: Texts

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func record(beat: Int64, seen: Int64, _ report: NodeReport) -> String {
    let json = (try? JSONEncoder().encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    return "\(beat) \(seen) \(json)"
  }

  private static func pairs(_ values: [RedisValue]) -> [(RedisValue, RedisValue)] {
    stride(from: 0, to: values.count - values.count % 2, by: 2).map { (values[$0], values[$0 + 1]) }
  }

  private static func orphans(_ values: [RedisValue]) -> [RoomName: Incarnation] {
    var orphans: [RoomName: Incarnation] = [:]
    for (room, owner) in pairs(values) {
      if let room = room.text, let owner = owner.text.flatMap({ Incarnation($0) }) { orphans[RoomName(room)] = owner }
    }
    return orphans
  }

  /// Reads members. A record that can't be read, such as that of a later version, is a member all the same, without address.
  private static func members(_ values: [RedisValue]) -> [ClusterMember] {
    pairs(values).compactMap { field, value in
      guard let incarnation = field.text.flatMap({ Incarnation($0) }), let record = value.text else { return nil }
      let parts = record.split(separator: " ", maxSplits: 2)
      let report = parts.count > 2 ? try? JSONDecoder().decode(NodeReport.self, from: Data(parts[2].utf8)) : nil
      return ClusterMember(
        incarnation, beat: parts.first.flatMap { Int64($0) } ?? 0, seen: parts.dropFirst().first.flatMap { Int64($0) } ?? 0,
        report: report ?? NodeReport(address: "", headroom: 0))
    }
  }
}

extension Membership {
  fileprivate init(_ epoch: Int64, _ version: Int64, _ members: [ClusterMember]) {
    self.init(epoch: epoch, version: version)
    for member in members { self.members[member.incarnation] = member }
  }
}
