import RoomCluster
import RoomProtocol

/// The scripts of the store, as values.
struct StoreData {
  struct Owner {
    var incarnation: Incarnation?
    var fence: Int64
  }

  var epoch: Int64 = 0
  private(set) var members: [Incarnation: ClusterMember] = [:]
  /// Entries and ends, of which the last few are kept.
  private var version: Int64 = 0
  private var changes: [(version: Int64, member: Incarnation)] = []
  /// The process that the members know, since when, and whether the data began then.
  var process: (name: String, since: Int64, isNew: Bool)?
  var rooms: [RoomName: Owner] = [:]

  private var membership: Membership { Membership(epoch: epoch, version: version, members: members) }

  private mutating func changed(_ member: Incarnation) {
    version += 1
    changes = changes.suffix(7) + [(version, member)]
  }

  mutating func remove(_ member: Incarnation) {
    if members.removeValue(forKey: member) != nil { changed(member) }
  }

  /// The rooms whose owners are no members.
  var orphans: [RoomName: Incarnation] {
    rooms.compactMapValues { owner in owner.incarnation.flatMap { members[$0] == nil ? $0 : nil } }
  }

  mutating func join(
    _ node: NodeID, process own: UInt64, previous: Incarnation?, leaving: [Incarnation], server: String, now: Int64
  ) -> NodeLease.Entry {
    if let process {
      if process.name != server { self.process = (server, now, false) }
    } else {
      process = (server, now, true)
    }
    for incarnation in leaving { remove(incarnation) }
    let incarnation: Incarnation
    if let previous, members[previous] != nil {
      incarnation = previous
    } else {
      epoch += 1
      incarnation = Incarnation(node: node, epoch: epoch, process: own)
      members[incarnation] = ClusterMember(incarnation, beat: 0, seen: 0, report: NodeReport(address: node.text))
      changed(incarnation)
    }
    return NodeLease.Entry(
      incarnation: incarnation, membership: membership, age: now - (process?.since ?? now), isNewStore: process?.isNew ?? true)
  }

  mutating func renew(_ own: Incarnation, beat: Int64, seen: Int64, _ reading: MemberReading) -> MemberReading.Answer? {
    guard members[own] != nil else { return nil }
    members[own]?.beat = beat
    members[own]?.seen = seen
    guard let since = reading.since else { return .all(membership) }
    let changed = changes.filter { $0.version > since }.map(\.member)
    guard changed.count == version - since else { return .all(membership) }
    let read = changed + reading.records
    return .changes(
      MembershipChanges(
        epoch: epoch, version: version, members: read.compactMap { members[$0] }, ended: read.filter { members[$0] == nil }))
  }

  mutating func assert(_ leases: [RoomLease], _ own: Incarnation) -> [RoomName] {
    leases.compactMap { lease in
      if let current = rooms[lease.room] {
        let isOwn = current.incarnation.map { $0.node == own.node && $0.process == own.process } ?? false
        if current.fence > lease.fence || current.fence == lease.fence && !isOwn { return lease.room }
      }
      rooms[lease.room] = Owner(incarnation: own, fence: lease.fence)
      return nil
    }
  }

  /// Returns the epoch if the member is none any more.
  mutating func end(_ member: Incarnation, beat: Int64, by own: Incarnation) -> Int64? {
    guard members[own] != nil else { return nil }
    if members[member]?.beat == beat { remove(member) }
    return members[member] == nil ? epoch : nil
  }

  /// Returns the fence; nil if the room has another owner.
  mutating func claim(_ room: RoomName, from expected: Incarnation?, by own: Incarnation) -> Int64? {
    let current = rooms[room]
    guard current?.incarnation == expected || current?.incarnation == own else { return nil }
    let fence = (current?.fence ?? 0) + 1
    rooms[room] = Owner(incarnation: own, fence: fence)
    return fence
  }

  /// Returns the fence; nil if the giver does not own the room any more.
  mutating func receive(_ handover: Handover, by own: Incarnation, comparesFence: Bool) -> Int64? {
    guard let current = rooms[handover.room], current.incarnation == handover.owner,
      !comparesFence || current.fence == handover.fence
    else { return nil }
    rooms[handover.room] = Owner(incarnation: own, fence: current.fence + 1)
    return current.fence + 1
  }

  mutating func release(_ lease: RoomLease, by own: Incarnation) {
    if rooms[lease.room]?.incarnation == own, rooms[lease.room]?.fence == lease.fence { rooms[lease.room]?.incarnation = nil }
  }
}

/// A process of the store, with the past of its data: what a failover or a crash returns to.
final class SimulatedServer {
  let name: String
  var data: StoreData
  var isAlive = true
  /// Whether its replicas receive its writes.
  var isReplicated = true
  private var past: [(time: Int64, data: StoreData)] = []

  init(_ name: String, _ data: StoreData) {
    self.name = name
    self.data = data
  }

  func write<Result>(now: Int64, _ body: (inout StoreData) -> Result) -> Result {
    if past.count > 400 { past.removeFirst(200) }
    past.append((now, data))
    return body(&data)
  }

  /// The data at a time.
  func data(at time: Int64) -> StoreData { past.first { $0.time > time }?.data ?? data }
}
