import RoomProtocol
import RoomRTP

/// The moves of rooms from a node that drains to the other members: when each starts, and its destination. Sans-I/O.
///
/// A few rooms move at a time, so that neither their clients nor the next nodes do everything at once. All have moved by the
/// middle of the drain, if the others have capacity.
public struct Departures: Sendable {
  /// The move of a room, or of two rooms in a PK, which needs both at one node.
  public struct Move: Sendable, Hashable {
    public var rooms: [RoomName]
    public var destination: ClusterMember
  }

  /// Maximum number of moves under way.
  public static let parallel = 4
  /// The longest time between the starts of two moves; µs.
  private static let pace: Int64 = 50_000
  /// The wait before the next attempt for a room that did not move, and before the next room for a member that took none; µs.
  private static let pause: Int64 = 500_000
  /// The time in which clients that a failed move has disconnected return to their room; µs.
  private static let returnTime: Int64 = 10_000_000

  private let deadline: Instant
  private var nextStart: Instant
  private var moving: Set<RoomName> = []
  private var moves = 0
  private var lastFailure: Instant?
  private var waiting: [RoomName: Instant] = [:]
  private var refusals: [Incarnation: Instant] = [:]

  public init(until deadline: Instant, now: Instant) {
    self.deadline = deadline
    nextStart = now
  }

  /// Whether another move may start now.
  public func isReady(at now: Instant) -> Bool { moves < Self.parallel && nextStart <= now }

  /// Takes the moves that are due.
  /// - Parameters:
  ///   - rooms: the rooms of the node, those in a PK together.
  ///   - own: the incarnation of the node.
  public mutating func takeMoves(
    of rooms: [[RoomName]], among membership: Membership, except own: Incarnation, now: Instant,
    using generator: inout some RandomNumberGenerator
  ) -> [Move] {
    waiting = waiting.filter { now < $0.value }
    refusals = refusals.filter { now < $0.value }
    let due = rooms.filter { group in group.allSatisfy { !moving.contains($0) && waiting[$0] == nil } }
    let left = Int64(due.count)
    var taken: [Move] = []
    for group in due where isReady(at: now) {
      guard let destination = destination(among: membership, except: own, using: &generator) else { break }
      taken.append(Move(rooms: group, destination: destination))
      moving.formUnion(group)
      moves += 1
      let pace = min(Self.pace, max(0, deadline - now) / 2 / left)
      nextStart = max(nextStart, now.advanced(microseconds: -Self.pace)).advanced(microseconds: pace)
    }
    return taken
  }

  /// A move has ended.
  /// - Parameter hasMoved: whether all of its rooms have another owner.
  public mutating func ended(_ move: Move, hasMoved: Bool, now: Instant) {
    moves -= 1
    moving.subtract(move.rooms)
    guard !hasMoved else { return }
    lastFailure = now
    refusals[move.destination.incarnation] = now.advanced(microseconds: Self.pause)
    for room in move.rooms { waiting[room] = now.advanced(microseconds: Self.pause) }
  }

  /// Whether clients that a failed move has disconnected may still return.
  public func awaitsClients(at now: Instant) -> Bool { lastFailure.map { now - $0 < Self.returnTime } ?? false }

  /// Whether a move is under way.
  public var isMoving: Bool { moves > 0 }

  /// Whether another member has capacity for a room.
  public static func hasDestination(among membership: Membership, except own: Incarnation) -> Bool {
    membership.members.values.contains { $0.incarnation != own && $0.report.headroom > 0 }
  }

  /// Chooses as for a new room. If all are nearly full, the member with the most headroom gets the room, as it would at the
  /// node's end.
  private func destination(
    among membership: Membership, except own: Incarnation, using generator: inout some RandomNumberGenerator
  ) -> ClusterMember? {
    let region = membership.members[own]?.report.region ?? ""
    let others = Membership(
      epoch: membership.epoch,
      members: membership.members.filter { $0.key != own && refusals[$0.key] == nil && $0.value.report.headroom > 0 })
    do throws(PlacementRefusal) {
      return try Placement.member(of: others, in: region, using: &generator)
    } catch {
      return others.members.values.max { $0.report.headroom < $1.report.headroom }
    }
  }
}
